import { err, ok, type Result } from "@cairn/kernel/result"
import type { Config } from "@cairn/schema/config"
import type { z } from "zod"
import { nearest } from "./nearest.ts"
import { dotted, type KeyPath, type ParsedConfig } from "./parse.ts"
import { unknownKeys } from "./unknown-keys.ts"

type Issue = z.core.$ZodIssue

export interface Validated {
  readonly config: Config
  readonly warnings: readonly string[]
}

const mostMessages = 20

/**
 * Checks a parsed file (or `value` in its place, when strings were substituted). The error names every wrong key, one a
 * line: file, line, column, path, what was expected. A key that nobody knows is a warning with the nearest name.
 */
export async function validateConfig(
  parsed: ParsedConfig,
  value: unknown = parsed.value,
): Promise<Result<Validated, string>> {
  const { Config } = await import("@cairn/schema/config")
  // Compiling the schema to code pays after some hundred uses; this is one of a few.
  const result = Config.safeParse(value, { jitless: true })
  if (!result.success) {
    const problems = result.error.issues.map((issue) => describe(issue, value))
    const lines = problems
      .sort((a, b) => parsed.offset(a.path) - parsed.offset(b.path))
      .slice(0, mostMessages)
      .map(({ path, message }) => {
        return `${parsed.at(path)}: ${dotted(path)}: ${message}, got ${shown(valueAt(parsed.value, path))}`
      })
    return err(lines.join("\n"))
  }
  const warnings = unknownKeys(Config, value)
    .slice(0, mostMessages)
    .map(({ path, known }) => {
      const name = String(path.at(-1))
      const near = nearest(name, known)
      const hint = near === undefined ? "" : `; did you mean "${near}"?`
      return `${parsed.at(path)}: ${dotted(path)}: unknown key, ignored${hint}`
    })
  return ok({ config: result.data, warnings })
}

/** The most telling of an issue: for a union, the branch that got furthest, or all that would have been right. */
function describe(issue: Issue, value: unknown, base: KeyPath = []): { path: KeyPath; message: string } {
  const path = [...base, ...keys(issue)]
  if (issue.code === "invalid_union") {
    const branches = issue.errors.filter((branch) => branch.length > 0)
    // A wrong value tells more than a missing one: that branch was meant.
    const missing = (inner: Issue) => (valueAt(value, [...path, ...keys(inner)]) === undefined ? 1 : 0)
    const deep = branches
      .filter((branch) => branch.every((inner) => inner.path.length > 0))
      .sort((a, b) => missing(a[0]!) - missing(b[0]!) || a.length - b.length)[0]?.[0]
    if (deep) return describe(deep, value, path)
  }
  return { path, message: `expected ${expectation(issue)}` }
}

const keys = (issue: Issue): KeyPath => issue.path.map((key) => (typeof key === "number" ? key : String(key)))

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return article(issue.expected)
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ")
    case "too_small":
      return `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unit(issue.origin)}`
    case "too_big":
      return `${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unit(issue.origin)}`
    case "invalid_format":
      return issue.message.replace(/^must be /, "")
    case "invalid_union":
      return either(issue)
    default:
      return issue.message
  }
}

/** What any branch of a union would have taken in this place. */
function either(issue: z.core.$ZodIssueInvalidUnion): string {
  if ("options" in issue && Array.isArray(issue.options)) {
    return issue.options.map((option) => JSON.stringify(option)).join(" or ")
  }
  const inner = issue.errors.flat()
  const here = inner.filter((one) => one.path.length === 0)
  return [...new Set((here.length > 0 ? here : inner).map((one) => expectation(one)))].join(" or ")
}

const names: Readonly<Record<string, string>> = {
  record: "an object",
  object: "an object",
  array: "a list",
  tuple: "a list",
  string: "a string",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
}
const article = (type: string) => names[type] ?? type
const unit = (origin: string) => (origin === "array" ? " entries" : origin === "string" ? " characters" : "")

function valueAt(value: unknown, path: KeyPath): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string | number, unknown>)[key]
  }
  return at
}

/** The kind of a wrong value, and the value itself when it can hold no secret. */
function shown(value: unknown): string {
  if (value === undefined) return "nothing"
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value)
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return "an object"
  return typeof value === "string" && /^[\w ./-]{0,24}$/.test(value) ? JSON.stringify(value) : "a string"
}

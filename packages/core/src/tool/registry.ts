import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { z } from "zod"
import type { Tool } from "./define.ts"
import { jsonSchemaOf } from "./json-schema.ts"
import type { JsonSchema } from "./json-schema.ts"
import { nearNames } from "./near-names.ts"
import { repairArguments, unwrapArguments } from "./repair-arguments.ts"
import { parseLooseJson } from "./repair-json.ts"

/** The order in which tools stand in every request. Others follow by name, so that the prompt's start stays the same. */
const order = ["bash", "read", "write", "edit", "apply_patch", "glob", "grep", "todowrite"]

/** The tools in their stable order. Two of one name are a defect. */
export function createTools(tools: readonly Tool[]): readonly Tool[] {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  const sorted = tools.toSorted((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1))
  const twice = sorted.find((tool, index) => tool.name === sorted[index + 1]?.name)
  if (twice) throw new Error(`two tools are named ${twice.name}`)
  return sorted
}

/** A tool as it is sent to a model. */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** `brief` for models with little room: the description's first sentence. */
export function toolSchema(tool: Tool, brief = false): ToolSchema {
  const description = tool.description.trim()
  return {
    name: tool.name,
    description: brief ? firstSentence(description) : description,
    parameters: tool.schema ?? jsonSchemaOf(tool.parameters),
  }
}

/** What begins with a colon's promise (a format, an example) is not cut: it would say nothing. */
function firstSentence(text: string): string {
  const [start = ""] = text.split("\n", 1)
  return start.endsWith(":") ? text : (/^.*?\.(?=\s+[A-Z]|$)/.exec(start)?.[0] ?? start)
}

const longestShown = 80

/**
 * The arguments of a call from the text that the model sent. What can only be meant in one way is repaired;
 * the refusal names each field, what was expected and what came.
 */
export function parseArguments(tool: Tool, raw: string): Result<Record<string, unknown>, ToolFailure> {
  const loose = parseLooseJson(raw)
  if ("problem" in loose) return err(refusal(tool, [loose.problem]))
  const direct = tool.parameters.safeParse(loose.value)
  if (direct.success && isRecord(loose.value) && isRecord(direct.data)) {
    if (unknownFields(loose.value, fieldsOf(tool)).length === 0) return ok(direct.data)
  }
  const schema = jsonSchemaOf(tool.parameters)
  const value = repairArguments(unwrapArguments(loose.value, schema), schema)
  const repaired = tool.parameters.safeParse(value)
  if (repaired.success && isRecord(repaired.data)) return ok(repaired.data)
  const issues = repaired.success
    ? ["expected an object"]
    : repaired.error.issues.map((issue) => describe(issue, value))
  return err(refusal(tool, [...issues, ...unknownFields(value, fieldsOf(tool))]))
}

function refusal(tool: Tool, problems: readonly string[]): ToolFailure {
  const shown = problems.slice(0, 20).map((problem) => `- ${problem}`)
  return {
    kind: "invalid_arguments",
    message: `The ${tool.name} tool was called with invalid arguments:\n${shown.join("\n")}\nCorrect them and call it again.`,
  }
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  const path = issue.path.map(String).join(".") || "the arguments"
  const given = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  )
  const came = given === undefined ? "nothing came" : `${kindOf(given)} came: ${short(given)}`
  if (issue.code === "invalid_type") return `${path}: expected ${issue.expected}, ${came}`
  if (issue.code === "invalid_value") return `${path}: expected one of ${issue.values.map(String).join(", ")}, ${came}`
  return `${path}: ${issue.message}, ${came}`
}

/** Names of the tool's fields, undefined where there are no named ones. Making the JSON schema costs more than all else here. */
function fieldsOf({ parameters }: Tool): readonly string[] | undefined {
  const fields = parameters instanceof z.ZodObject ? parameters.shape : jsonSchemaOf(parameters).properties
  return fields && Object.keys(fields)
}

/** Says of each field that the tool does not have which one was perhaps meant. */
function unknownFields(value: unknown, names: readonly string[] | undefined): string[] {
  if (!isRecord(value) || !names) return []
  return Object.keys(value)
    .filter((key) => !names.includes(key))
    .map((key) => {
      const near = nearNames(key, names, 1)[0]
      return `${short(key)}: there is no such field${near === undefined ? "" : `, perhaps ${near} is meant`}`
    })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

import { createContext, runInContext } from "node:vm"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Ajv, ErrorObject, Options } from "ajv"

/** What is wrong with a schema, and where in it. */
export interface SchemaProblem {
  readonly path: readonly string[]
  readonly message: string
}

/** What does not fit in a value, a line each; empty when all does. */
export type SchemaCheck = (value: unknown) => string[]

type Schema = Readonly<Record<string, unknown>>

/** Characters of a schema as JSON: it stands in every request. */
const longestSchema = 256 * 1024
const deepest = 64
/** Milliseconds that compiling, and each check, may take. A schema can be small and its check endless. */
const longestWork = 2_000
const mostProblems = 20
const longestProblem = 300

/**
 * A check for values of a JSON schema (2020-12, 2019-09, draft-07), or what is wrong with the schema. Nothing is fetched:
 * a reference must lead into the schema. Loads the validator on first use.
 */
export async function compileSchema(schema: Schema): Promise<Result<SchemaCheck, SchemaProblem>> {
  const unfit = bounds(schema)
  if (unfit !== undefined) return err({ path: [], message: unfit })
  const { $schema: dialect, ...rest } = schema
  const compiler = await compilerOf(dialect)
  if (!compiler) return err({ path: ["$schema"], message: `is not a dialect that is known here (${dialects})` })
  const check = timed(() => compileWith(compiler, rest))
  // Lists of items mean something else in the newest dialect, and many schemas do not say theirs.
  if (check.ok || dialect !== undefined || check.error.path.at(-1) !== "items") return check
  const older = await compilerOf(draft07)
  return older ? timed(() => compileWith(older, rest)) : check
}

const dialects = "2020-12, 2019-09, draft-07"
const draft07 = "http://json-schema.org/draft-07/schema"

function bounds(schema: Schema): string | undefined {
  const text = JSON.stringify(schema)
  if (text.length > longestSchema) return `is larger than ${longestSchema / 1024} kB; it stands in every request`
  return depthOf(schema) > deepest ? `is nested more than ${deepest} levels deep` : undefined
}

function depthOf(schema: unknown): number {
  let depth = 0
  let level: unknown[] = [schema]
  while (level.length > 0 && depth <= deepest) {
    depth++
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []))
  }
  return depth
}

const options: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  validateFormats: false,
  ownProperties: true,
  multipleOfPrecision: 9,
  code: { regExp: Object.assign(lenientPattern, { code: "lenientPattern" }) },
}

/** Many patterns hold escapes that only older JavaScript takes. */
function lenientPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}

/** Of the dialect that is named, else of the newest; undefined when it is not known. */
async function compilerOf(dialect: unknown): Promise<Ajv | undefined> {
  const name = dialect ?? "https://json-schema.org/draft/2020-12/schema"
  if (typeof name !== "string") return undefined
  if (/\/2020-12\/schema#?$/.test(name)) return new (await import("ajv/dist/2020.js")).Ajv2020(options)
  if (/\/2019-09\/schema#?$/.test(name)) return new (await import("ajv/dist/2019.js")).Ajv2019(options)
  return /\/draft-0[67]\/schema#?$/.test(name) ? new (await import("ajv")).Ajv(options) : undefined
}

function compileWith(compiler: Ajv, schema: Schema): Result<SchemaCheck, SchemaProblem> {
  if (compiler.validateSchema(schema) !== true) return err(invalid(compiler.errors ?? []))
  try {
    const validate = compiler.compile(schema)
    if ("$async" in validate) return err({ path: place(schema, "$async", () => true), message: "is not supported" })
    // What refers to itself without taking anything of the value shows at once.
    for (const probe of [null, true, 0, "", [], {}]) validate(probe)
    return ok((value) => checked(() => (validate(value) === true ? [] : describeAll(validate.errors ?? []))))
  } catch (error) {
    return err(uncompilable(error, schema))
  }
}

function checked(check: () => string[]): string[] {
  try {
    const result = timed(() => ok(check()))
    return result.ok ? result.value : [result.error.message]
  } catch (error) {
    if (error instanceof RangeError) return ["the value: is nested too deeply"]
    throw error
  }
}

/** Work that a hostile schema cannot make endless. */
function timed<T>(work: () => Result<T, SchemaProblem>): Result<T, SchemaProblem> {
  try {
    return runInContext("work()", createContext({ work }), { timeout: longestWork }) as Result<T, SchemaProblem>
  } catch (error) {
    if (!isCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw error
    return err({ path: [], message: `takes longer than ${longestWork / 1_000} s to check` })
  }
}

const isCode = (error: unknown, code: string): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === code

/** The deepest of the validator's complaints about a schema: the others follow from it. */
function invalid(errors: readonly ErrorObject[]): SchemaProblem {
  const own = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf" && keyword !== "if")
  const [worst] = [...(own.length > 0 ? own : errors)].sort((a, b) => b.instancePath.length - a.instancePath.length)
  return worst ? { path: steps(worst.instancePath), message: words(worst) } : { path: [], message: "is no JSON schema" }
}

function uncompilable(error: unknown, schema: Schema): SchemaProblem {
  if (error instanceof RangeError)
    return { path: place(schema, "$ref", () => true), message: "refers to itself without end" }
  if (typeof error === "object" && error !== null && "missingRef" in error) {
    const { missingRef } = error
    const path = place(schema, "$ref", (value) => typeof value === "string" && String(missingRef).endsWith(value))
    return { path, message: "leads out of the schema, or to nothing in it; references are never fetched" }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { path: place(schema, "pattern", (value) => !isPattern(value)), message: message.slice(0, longestProblem) }
}

function isPattern(value: unknown): boolean {
  try {
    return lenientPattern(String(value), "u") instanceof RegExp
  } catch {
    return false
  }
}

/** Where the first such key stands; the root when there is none. */
function place(schema: unknown, key: string, wanted: (value: unknown) => boolean): string[] {
  const left: { value: unknown; path: string[] }[] = [{ value: schema, path: [] }]
  for (let next = left.shift(); next; next = left.shift()) {
    const { value, path } = next
    if (typeof value !== "object" || value === null) continue
    for (const [name, item] of Object.entries(value)) {
      if (name === key && wanted(item)) return [...path, name]
      left.push({ value: item, path: [...path, name] })
    }
  }
  return []
}

const steps = (pointer: string): string[] =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))

function describeAll(errors: readonly ErrorObject[]): string[] {
  const lines = new Set(
    errors.map((error) => `${error.instancePath || "the value"}: ${words(error)}`.slice(0, longestProblem)),
  )
  const shown = [...lines].slice(0, mostProblems)
  return lines.size > shown.length ? [...shown, `and ${lines.size - shown.length} more`] : shown
}

function words({ keyword, message = "does not fit", params }: ErrorObject): string {
  const detail: unknown =
    keyword === "enum"
      ? params["allowedValues"]
      : keyword === "const"
        ? params["allowedValue"]
        : params["additionalProperty"]
  return detail === undefined ? message : `${message} (${JSON.stringify(detail)})`
}

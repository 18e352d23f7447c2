import { err, ok, type Result } from "@cairn/kernel/result"

/** Most bytes of a file with a schema. */
export const largestSchemaFile = 1024 * 1024

/** The schema that a file holds, for a prompt's `format`. The error is a line with the place: `file:line:column: /properties/a/type: …`. */
export async function readSchema(text: string, file: string): Promise<Result<Record<string, unknown>, string>> {
  if (text.trim() === "") return err(`${file}: is empty; a JSON schema was expected`)
  const { parseConfig } = await import("../config/parse.ts")
  const parsed = parseConfig(await import("jsonc-parser"), text, file)
  if (!parsed.ok) return parsed
  const { value, at } = parsed.value
  const { compileSchema } = await import("../tool/structured-output/schema-check.ts")
  const check = await compileSchema(value)
  if (check.ok) return ok(value)
  const { path, message } = check.error
  const where = path.length === 0 ? "the schema" : `/${path.join("/")}`
  return err(`${at(withIndexes(value, path))}: ${where} ${message}`)
}

/** Steps into a list as numbers. */
function withIndexes(value: unknown, path: readonly string[]): (string | number)[] {
  let at: unknown = value
  return path.map((step) => {
    const key = Array.isArray(at) ? Number(step) : step
    at = typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined
    return key
  })
}

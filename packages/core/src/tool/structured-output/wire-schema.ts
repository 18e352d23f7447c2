import type { JsonSchema } from "../json-schema.ts"

type Schema = Readonly<Record<string, unknown>>

/** A schema as the arguments of a tool. */
export interface WireSchema {
  readonly schema: JsonSchema
  /** Arguments are objects: another value stands in their `value`. */
  readonly wrapped: boolean
}

/** The schema as providers take it for a tool: an object at the root, and nothing about the dialect. */
export function wireSchema({ $schema: _, ...schema }: Schema): WireSchema {
  if (schema["type"] === "object") return { schema, wrapped: false }
  if (schema["type"] === undefined && isRecord(schema["properties"]))
    return { schema: { type: "object", ...schema }, wrapped: false }
  // References of a schema with an id of its own lead into it wherever it stands.
  const value = schema["$id"] === undefined ? (moved(schema) as JsonSchema) : schema
  return { schema: { type: "object", properties: { value }, required: ["value"] }, wrapped: true }
}

const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"])

/** References from the root lead one level deeper now. */
function moved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moved)
  if (!isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, item]) => {
      if (key === "$ref" && typeof item === "string" && /^#(\/|$)/.test(item))
        return [key, `#/properties/value${item.slice(1)}`]
      return [key, data.has(key) ? item : moved(item)]
    }),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

import { z } from "zod"

/** The part of JSON Schema that tool parameters use. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly [key: string]: unknown
}

/** The schema as it is sent: without the dialect, and without the bounds of safe integers that some providers refuse. */
export function jsonSchemaOf(parameters: z.ZodType): JsonSchema {
  return slim(z.toJSONSchema(parameters, { io: "input", unrepresentable: "any" })) as JsonSchema
}

function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slim)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key, item]) => key !== "$schema" && !isSafeBound(key, item))
  return Object.fromEntries(kept.map(([key, item]) => [key, slim(item)]))
}

function isSafeBound(key: string, value: unknown): boolean {
  if (key === "maximum") return value === Number.MAX_SAFE_INTEGER
  return key === "minimum" && value === Number.MIN_SAFE_INTEGER
}

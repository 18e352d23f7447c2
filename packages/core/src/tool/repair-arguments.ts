import type { JsonSchema } from "./json-schema.ts"

/**
 * Brings arguments nearer to their schema where there is only one way to mean them: names in another
 * spelling, numbers and booleans in strings, JSON in a string, a lone value for a list, null for what may be
 * left out. Everything else stays as it came, for the schema to refuse.
 */
export function repairArguments(value: unknown, schema: JsonSchema): unknown {
  const type = typeof schema.type === "string" ? schema.type : undefined
  switch (type) {
    case "object":
      return repairObject(typeof value === "string" ? parsed(value, isObject) : value, schema)
    case "array":
      return repairArray(value, schema)
    case "number":
    case "integer":
      return typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    case "boolean":
      return typeof value === "string" && /^(true|false)$/i.test(value.trim())
        ? value.trim().toLowerCase() === "true"
        : value
    case "string":
      return repairString(value, schema)
    default:
      return value
  }
}

function repairObject(value: unknown, schema: JsonSchema): unknown {
  if (!isObject(value) || schema.properties === undefined) return value
  const properties = schema.properties
  const repaired: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") continue
    const name = Object.hasOwn(properties, key) ? key : (spelling(key, value, properties) ?? key)
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (item === null && property !== undefined && !schema.required?.includes(name)) continue
    repaired[name] = property ? repairArguments(item, property) : item
  }
  return repaired
}

/** The property that is meant by a name like `file_path` or `FilePath`, unless it is given as well. */
function spelling(key: string, given: object, properties: Readonly<Record<string, JsonSchema>>): string | undefined {
  const bare = (name: string) => name.replace(/[-_\s]/g, "").toLowerCase()
  return Object.keys(properties).find((name) => bare(name) === bare(key) && !Object.hasOwn(given, name))
}

function repairArray(value: unknown, schema: JsonSchema): unknown {
  const list = typeof value === "string" ? parsed(value, Array.isArray) : value
  const items = schema.items
  if (Array.isArray(list)) return items ? list.map((item) => repairArguments(item, items)) : list
  const one = items?.type === "object" && typeof list === "string" ? parsed(list, isObject) : list
  const fits = items?.type === "object" ? isObject(one) : items?.type === "string" && typeof one === "string"
  return fits && items ? [repairArguments(one, items)] : list
}

function repairString(value: unknown, schema: JsonSchema): unknown {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (typeof value !== "string" || !schema.enum || schema.enum.includes(value)) return value
  const bare = (text: string) => text.replace(/[-_\s]/g, "").toLowerCase()
  return schema.enum.find((option) => typeof option === "string" && bare(option) === bare(value)) ?? value
}

function parsed(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return fits(value) ? value : text
  } catch {
    return text
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

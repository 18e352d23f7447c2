import type { JsonSchema } from "./json-schema.ts"
import { slippedName } from "./near-names.ts"

const wrappers = ["arguments", "parameters", "args", "input", "params", "properties"]
const labels = new Set(["name", "tool", "tool_name", "type", "id"])

/**
 * The arguments themselves, when the model put the whole call (`{"name": …, "arguments": {…}}`), a lone wrapper or a
 * list of one in their place; else the value as it came.
 */
export function unwrapArguments(value: unknown, schema: JsonSchema): unknown {
  const whole = typeof value === "string" ? parsed(value, (each) => isObject(each) || Array.isArray(each)) : value
  const one = Array.isArray(whole) && whole.length === 1 && isObject(whole[0]) ? whole[0] : whole
  if (!isObject(one)) return value
  const own = (key: string) => Object.hasOwn(schema.properties ?? {}, key)
  const wrapper = wrappers.find((key) => Object.hasOwn(one, key))
  if (wrapper === undefined || Object.keys(one).some(own)) return one
  if (!Object.keys(one).every((key) => key === wrapper || labels.has(key))) return one
  const inner = typeof one[wrapper] === "string" ? parsed(one[wrapper], isObject) : one[wrapper]
  return isObject(inner) ? inner : one
}

/**
 * Brings arguments nearer to their schema where there is only one way to mean them: names in another
 * spelling or cut short, numbers and booleans in strings, JSON in a string, a lone value for a list, null for what
 * may be left out. Everything else stays as it came, for the schema to refuse.
 */
export function repairArguments(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(schema.anyOf)) return repairChoice(value, schema.anyOf as JsonSchema[])
  const types = [schema.type ?? []].flat().filter((type) => type !== "null")
  if (value === null && types.length !== [schema.type ?? []].flat().length) return value
  switch (types.length === 1 ? types[0] : undefined) {
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
  return fillRequired(repaired, schema, properties)
}

/**
 * Gives a required field that is missing the one value under a name that is not the tool's and can mean it
 * (`path` for `filePath`, `old_str` for `oldString`), if that name can mean no other.
 */
function fillRequired(
  given: Record<string, unknown>,
  { required = [] }: JsonSchema,
  properties: Readonly<Record<string, JsonSchema>>,
): Record<string, unknown> {
  const missing = required.filter((name) => !Object.hasOwn(given, name) && Object.hasOwn(properties, name))
  if (missing.length === 0) return given
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(properties, key))
  const filled = { ...given }
  for (const name of missing) {
    const near = unknown.filter((key) => canMean(key, name))
    const [key] = near
    if (key === undefined || near.length > 1 || missing.some((other) => other !== name && canMean(key, other))) continue
    const property = properties[name] ?? {}
    const item = repairArguments(given[key], property)
    if (property.type === "string" && typeof given[key] !== "string") continue
    delete filled[key]
    filled[name] = item
  }
  return filled
}

function canMean(key: string, name: string): boolean {
  const [given, own] = [bare(key), bare(name)]
  if (slippedName(key, [name]) !== undefined) return true
  const [short, long] = given.length < own.length ? [given, own] : [own, given]
  return short.length >= 3 && (long.startsWith(short) || long.endsWith(short))
}

/** A choice with null is repaired as what it is besides; of other choices nobody knows which one is meant. */
function repairChoice(value: unknown, choices: readonly JsonSchema[]): unknown {
  const real = choices.filter((choice) => choice.type !== "null")
  const [only] = real
  return value !== null && only && real.length === 1 ? repairArguments(value, only) : value
}

function bare(name: string): string {
  return name.replace(/[-_\s]/g, "").toLowerCase()
}

/** The property that is meant by a name like `file_path` or `FilePath`, unless it is given as well. */
function spelling(key: string, given: object, properties: Readonly<Record<string, JsonSchema>>): string | undefined {
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

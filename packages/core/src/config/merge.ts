type Value = unknown
type Fields = Record<string, Value>

/** Lists of these keys (at the top of the config) grow from layer to layer; every other list is replaced. */
const growing: ReadonlySet<string> = new Set(["instructions", "plugin"])
const unsafe: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

/** True for a name that could reach a prototype; such keys are never read or written. */
export const unsafeKey = (key: string): boolean => unsafe.has(key)

/** `over` laid upon `base`: objects deeply, lists replaced but for `instructions` and `plugin`. Neither argument is changed. */
export function mergeConfig<T extends object>(base: T, over: object): T {
  const merged = mergeFields(base as Fields, over as Fields)
  for (const key of growing) {
    const [first, second] = [own(base, key), own(over, key)]
    if (Array.isArray(first) && Array.isArray(second)) merged[key] = unique([...first, ...second])
  }
  return merged as T
}

function mergeFields(base: Fields, over: Fields): Fields {
  const result: Fields = {}
  for (const [key, value] of Object.entries(base))
    if (!unsafe.has(key)) result[key] = isFields(value) ? mergeFields({}, value) : value
  for (const [key, value] of Object.entries(over)) {
    if (unsafe.has(key) || value === undefined) continue
    const before = own(result, key)
    result[key] = isFields(value) ? mergeFields(isFields(before) ? before : {}, value) : value
  }
  return result
}

const own = (from: object, key: string): Value => (Object.hasOwn(from, key) ? (from as Fields)[key] : undefined)

function isFields(value: Value): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Keeps the last place of equal entries, since later plugins and instructions win. */
function unique(list: readonly Value[]): Value[] {
  const last = new Map(list.map((value, index) => [JSON.stringify(value), index]))
  return list.filter((value, index) => last.get(JSON.stringify(value)) === index)
}

import type { Clock } from "./clock.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"
export type LogFields = Record<string, unknown>

/** Where finished lines go: a file in the program, an array in a test. Never the terminal. */
export interface LogSink {
  write(line: string): void
}

/** Structured log. One JSON object a line: `time`, `level`, `scope`, `message`, then the fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** The same log with a scope name and fields that every line carries. */
  child(scope: string, fields?: LogFields): Log
}

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
const secretName =
  /(?:authorization|cookie|password|passphrase|secret|token|api[-_]?key|private[-_]?key|goog-api-key)$/i
const secretText: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 [redacted]"],
  [/\b(?:(?:sk|pk|rk|xox[a-z])-|(?:gh[a-z]|github_pat|sk|pk)_|AIza)[\w-]{16,}/g, "[redacted]"],
  [/([?&](?:key|token|api[-_]?key|access[-_]?token|password)=)[^&\s"']+/gi, "$1[redacted]"],
  [/(:\/\/[^/\s:@]*):[^/\s@]+@/g, "$1:[redacted]@"],
]
/** Characters of a line. Longer ones are shortened value by value, so that each line stays one JSON object. */
const longestLine = 8_192
interface Limits {
  readonly text: number
  readonly items: number
}
const generous: Limits = { text: 2_000, items: 100 }
const strict: Limits = { text: 200, items: 20 }

export function createLog(
  sink: LogSink,
  clock: Pick<Clock, "now">,
  level: LogLevel = "info",
  scope = "",
  base: LogFields = {},
): Log {
  const at = (of: LogLevel) => (message: string, fields?: LogFields) => {
    if (rank[of] < rank[level]) return
    sink.write(line(new Date(clock.now()).toISOString(), of, scope, message, base, fields))
  }
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (name, fields) => createLog(sink, clock, level, scope ? `${scope}.${name}` : name, { ...base, ...fields }),
  }
}

/** A log that goes nowhere. */
export const silentLog: Log = createLog({ write: () => {} }, { now: () => 0 }, "error")

function line(
  time: string,
  level: LogLevel,
  scope: string,
  message: string,
  ...fields: (LogFields | undefined)[]
): string {
  const own = { time, level, scope, message }
  for (const limits of [generous, strict]) {
    const text = stringify(() => ({ ...own, ...renamed(Object.assign({}, ...fields) as LogFields, own) }), limits)
    if (text !== undefined && text.length <= longestLine) return text
  }
  return stringify(() => ({ ...own, truncated: true }), strict) ?? "{}"
}

/** A field may not hide the line's own: it moves aside. */
function renamed(fields: LogFields, own: object): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name in own ? `${name}_` : name, value]))
}

/** Undefined when the fields cannot be written: a getter that throws, nesting without end. A log never throws. */
function stringify(value: () => object, limits: Limits): string | undefined {
  try {
    return JSON.stringify(value(), replacer(limits))
  } catch {
    return undefined
  }
}

/** Makes errors readable, drops secrets by name and by look, shortens, survives cycles and bigints. */
function replacer(limits: Limits): (key: string, value: unknown) => unknown {
  const seen = new WeakSet<object>()
  return (key, value) => {
    if (typeof value === "bigint") return value.toString()
    if (typeof value === "number" || typeof value === "boolean" || value == null) return value
    if (secretName.test(key)) return "[redacted]"
    if (typeof value === "string") return shortened(value, limits.text)
    if (typeof value !== "object") return undefined
    if (seen.has(value)) return "[seen]"
    seen.add(value)
    if (value instanceof Error) return { ...described(value), cause: value.cause }
    if (Array.isArray(value)) return few(value, limits.items)
    const entries = Object.entries(value)
    return entries.length > limits.items ? Object.fromEntries(entries.slice(0, limits.items)) : value
  }
}

function described(error: Error): object {
  const code = "code" in error ? error.code : undefined
  return { name: error.name, message: error.message, code, stack: error.stack }
}

/** Without what looks like a secret, then cut: only the part that can be shown is looked at. */
function shortened(text: string, limit: number): string {
  const safe = withoutSecrets(text.slice(0, 2 * limit))
  return text.length <= limit ? safe : `${safe.slice(0, limit)}… (${text.length} characters)`
}

/** The text without what looks like a secret: keys of known forms, and those in headers and addresses. */
export function withoutSecrets(text: string): string {
  return secretText.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text)
}

function few(items: unknown[], limit: number): unknown[] {
  return items.length <= limit ? items : [...items.slice(0, limit), `… (${items.length - limit} more)`]
}

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
const secretName = /^(authorization|x-api-key|api-?key|x-goog-api-key|password|secret|token|cookie|set-cookie)$/i
const longest = 8_192

export function createLog(sink: LogSink, clock: Pick<Clock, "now">, level: LogLevel = "info", scope = "", base: LogFields = {}): Log {
  const at = (of: LogLevel) => (message: string, fields?: LogFields) => {
    if (rank[of] < rank[level]) return
    sink.write(line(new Date(clock.now()).toISOString(), of, scope, message, { ...base, ...fields }))
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

function line(time: string, level: LogLevel, scope: string, message: string, fields: LogFields): string {
  const text = JSON.stringify({ time, level, scope, message, ...fields }, replacer())
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Makes errors readable, drops what is named like a secret, survives cycles and bigints. */
function replacer(): (key: string, value: unknown) => unknown {
  const seen = new WeakSet<object>()
  return (key, value) => {
    if (key !== "" && secretName.test(key)) return "[redacted]"
    if (typeof value === "bigint") return value.toString()
    if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack, cause: value.cause }
    if (typeof value !== "object" || value === null) return value
    if (seen.has(value)) return "[seen]"
    seen.add(value)
    return value
  }
}

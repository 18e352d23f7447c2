/** A provider that wants us back later than this is given up: a run must not look as if it hung. */
export const longestWaitMs = 10 * 60_000
const longestMs = 7 * 24 * 3_600_000
const longestBody = 16_384

/**
 * How long a provider asks us to wait, in ms: `retry-after-ms`, then `retry-after` (seconds or a date, against `now`),
 * then hints in the body ("try again in 1m2.5s", `"retryDelay": "34s"`). Undefined when it does not say; at most a week.
 */
export function retryAfter(
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  now: number,
): number | undefined {
  return (
    number(headers["retry-after-ms"], 1) ??
    number(headers["retry-after"], 1_000) ??
    date(headers["retry-after"], now) ??
    (body === undefined ? undefined : hint(body.slice(0, longestBody)))
  )
}

function number(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined
  return bounded(Number(text) * unit)
}

function date(text: string | undefined, now: number): number | undefined {
  const isDate = text !== undefined && /^\s*([A-Za-z]{3,}, |\d{4}-\d\d-)/.test(text)
  const time = isDate ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : bounded(time - now)
}

const unit: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const amount = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\b`
const phrase = new RegExp(
  `(?:try again|retry|reset\\w*|available(?: again)?) (?:in|after) (?:about )?((?:${amount}[\\s,]*){1,4})`,
  "i",
)
const compact = /(?:try again|retry|reset\w*) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|[smhd])){1,5})/i

function hint(body: string): number | undefined {
  const field = /"(?:retryDelay|retry_after|retry-after|retryAfter)"\s*:\s*"?(\d+(?:\.\d+)?)(ms|s)?"?/i.exec(body)
  if (field) return bounded(Number(field[1]) * (unit[field[2] ?? "s"] ?? 1_000))
  const milliseconds = /"(?:retry_after_ms|retryAfterMs)"\s*:\s*"?(\d+)/i.exec(body)
  if (milliseconds) return bounded(Number(milliseconds[1]))
  const text = compact.exec(body)?.[1] ?? phrase.exec(body)?.[1]
  if (text === undefined) return undefined
  let sum = 0
  for (const [, value, name = "s"] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) sum += Number(value) * unitOf(name)
  return bounded(sum)
}

/** `2 h 5 min`, to the minute. */
export function waitText(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  const parts: [number, string][] = [
    [Math.floor(minutes / 1_440), "d"],
    [Math.floor(minutes / 60) % 24, "h"],
    [minutes % 60, "min"],
  ]
  return parts.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])).join(" ")
}

function unitOf(name: string): number {
  const lower = name.toLowerCase()
  if (lower === "ms" || lower.startsWith("milli")) return 1
  return unit[lower.charAt(0)] ?? 1_000
}

function bounded(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), longestMs))
}

import type { Tokens } from "@cairn/schema/model"

/** `940`, `12.3k`, `1.2M` */
export function count(value: number): string {
  if (value < 1_000) return String(Math.round(value))
  if (value < 999_950) return `${trim(value / 1_000)}k`
  return `${trim(value / 1_000_000)}M`
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "")
}

/** `$0.0042`, `$1.25`; empty for nothing. */
export function money(dollars: number): string {
  if (dollars <= 0) return ""
  return `$${dollars < 0.1 ? dollars.toFixed(4) : dollars.toFixed(2)}`
}

/** Milliseconds as `840 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** How long ago `time` was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, then the date. */
export function ago(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ago`
  const days = Math.floor(hours / 24)
  if (days === 1) return "yesterday"
  return days < 30 ? `${days} days ago` : new Date(time).toISOString().slice(0, 10)
}

/** `2.1k in (8k cached), 340 out`; `in` counts what the cache gave too. */
export function tokens(used: Tokens): string {
  const { read, write } = used.cache
  const cached = read > 0 ? ` (${count(read)} cached)` : ""
  const thought = used.reasoning > 0 ? ` (${count(used.reasoning)} reasoning)` : ""
  return `${count(used.input + read + write)} in${cached}, ${count(used.output + used.reasoning)} out${thought}`
}

/** `1 file`, `2 files` */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`
}

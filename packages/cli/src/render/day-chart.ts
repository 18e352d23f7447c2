import type { DayUsage, Stats, Usage } from "@cairn/schema/stats"
import type { Look, Style } from "../terminal/look.ts"
import { count } from "./format.ts"
import { allTokens, costOf } from "./usage.ts"

interface ChartView {
  readonly look: Look
  readonly style: Style
}

interface Bucket {
  readonly label: string
  readonly usage: Pick<Usage, "cost" | "calls" | "unpriced"> & { readonly tokens: number }
}

const longestBar = 40
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
const dayMs = 86_400_000

/**
 * Days with their cost and tokens. In a pipe the days that have any, one a line; on a terminal a bar chart without gaps: of
 * days up to a month, of weeks up to half a year, of months beyond. Bars show money, or tokens where none was paid.
 */
export function dayChart({ days, to }: Pick<Stats, "days" | "to">, { look, style }: ChartView): string[] {
  const buckets = look.live ? gathered(days, to) : days.map((day) => bucketOf(day.date, [day]))
  const money = buckets.some(({ usage }) => usage.cost > 0)
  const size = ({ usage }: Bucket) => (money ? usage.cost : usage.tokens)
  const most = Math.max(...buckets.map(size))
  const cells = buckets.map(({ label, usage }) =>
    usage.calls === 0 ? [label, "", ""] : [label, costOf(usage), count(usage.tokens)],
  )
  const rows = [["days", "cost", "tokens"], ...cells]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  const used = widths.reduce((sum, width) => sum + width + 2, 0)
  const room = look.live ? Math.min(longestBar, look.width - used - 1) : 0
  const kept = used - 2 > look.width ? 2 : 3
  const lines = rows.map((row) =>
    [row[0]!.padEnd(widths[0]!), row[1]!.padStart(widths[1]!), row[2]!.padStart(widths[2]!)].slice(0, kept).join("  "),
  )
  const bars = buckets.map((bucket) => (room < 4 ? "" : bar((size(bucket) / Math.max(most, Number.MIN_VALUE)) * room)))
  return lines.map((line, index) => {
    if (index === 0) return style.strong(line)
    const drawn = bars[index - 1] ?? ""
    return drawn === "" ? line.trimEnd() : `${line}  ${style.mark(drawn)}`
  })
}

/** A length in columns, to an eighth; what is there at all is seen. */
function bar(length: number): string {
  if (length <= 0) return ""
  const parts = Math.max(1, Math.round(length * 8))
  return "█".repeat(Math.floor(parts / 8)) + eighths[parts % 8]!
}

function bucketOf(label: string, days: readonly DayUsage[]): Bucket {
  const usage = { cost: 0, calls: 0, unpriced: 0, tokens: 0 }
  for (const day of days) {
    usage.cost += day.cost
    usage.calls += day.calls
    usage.unpriced += day.unpriced
    usage.tokens += allTokens(day)
  }
  return { label, usage }
}

/** From the first day that has a call to today, none left out. */
function gathered(days: readonly DayUsage[], to: number): Bucket[] {
  const first = noonOf(days[0]?.date ?? "1970-01-01")
  const today = new Date(to)
  const last = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate(), 12)
  const span = Math.round((last - first) / dayMs) + 1
  const label = span <= 31 ? dayLabel : span <= 182 ? weekLabel : monthLabel
  const groups = new Map<string, DayUsage[]>()
  for (let time = first; time <= last; time += dayMs) groups.set(label(time), [])
  for (const day of days) groups.get(label(noonOf(day.date)))?.push(day)
  return [...groups].map(([name, group]) => bucketOf(name, group))
}

/** A date as a moment that no change of summer time can move to another day. */
const noonOf = (date: string): number => Date.parse(`${date}T12:00:00Z`)

const dayLabel = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The week's Monday. */
function weekLabel(time: number): string {
  const weekday = (new Date(time).getUTCDay() + 6) % 7
  return `week of ${dayLabel(time - weekday * dayMs)}`
}

const monthLabel = (time: number): string => dayLabel(time).slice(0, 7)

import type { Figure } from "./stats.ts"

export type Unit = "ms" | "s" | "MB" | "×" | "%" | "tokens" | "count"

/** One line of the result. Times in ms, sizes in bytes, shares from 0 to 1. */
export interface Row {
  readonly name: string
  readonly unit: Unit
  readonly cairn: Figure
  readonly floor?: Figure
  /** What `cairn.min` must not exceed, or for `%` not fall below. */
  readonly budget?: number
  /** Of which DESIGN section 6 says that CI may fail on it. */
  readonly counted?: boolean
}

const head = ["", "budget", "Cairn min", "Cairn median", "floor min", "floor median", "× floor", "within"]

/** The cells of the table, head first. */
export function cells(rows: readonly Row[]): string[][] {
  return [head, ...rows.map(rowCells)]
}

function rowCells(row: Row): string[] {
  const { name, unit, cairn, floor, budget } = row
  const limit = budget === undefined ? "" : `${unit === "%" ? "≥" : "≤"} ${shown(budget, unit)}`
  return [
    row.counted ? `${name} ●` : name,
    limit,
    ...pair(cairn, unit),
    ...(floor ? pair(floor, unit) : ["", ""]),
    floor && unit !== "×" ? `${ratio(cairn.min, floor.min)}` : "",
    budget === undefined ? "" : holds(row) ? "yes" : "**no**",
  ]
}

/** A figure that was counted, or taken once, has one value. */
const pair = ({ min, median }: Figure, unit: Unit): string[] => [shown(min, unit), shown(median, unit)]

/** Whether the least disturbed repetition is within the budget. A row without a budget always is. */
export function holds({ unit, cairn, budget }: Row): boolean {
  if (budget === undefined) return true
  return unit === "%" ? cairn.min >= budget : cairn.min <= budget
}

/** `a` as a multiple of `b`, two significant digits; `–` when `b` is nothing. */
export function ratio(a: number, b: number): string {
  if (!(b > 0) || !Number.isFinite(a)) return "–"
  const value = a / b
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2)
}

/** A value with its unit, as many digits as mean something. */
export function shown(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–"
  if (unit === "ms") return `${digits(value)} ms`
  if (unit === "s") return `${(value / 1000).toFixed(value < 10_000 ? 3 : 1)} s`
  if (unit === "MB") return `${(value / 1024 / 1024).toFixed(1)} MB`
  if (unit === "×") return value.toFixed(2)
  if (unit === "%") return `${(Math.floor(value * 10_000) / 100).toString()} %`
  return Math.round(value).toLocaleString("en")
}

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2))

/** For a terminal: columns aligned. */
export function terminalTable(rows: readonly Row[]): string {
  const all = cells(rows).map((row) => row.map((cell) => cell.replaceAll("**", "")))
  const widths = head.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ""))))
  const padded = (cell: string, column: number) => {
    const space = " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell))
    return column === 0 ? cell + space : space + cell
  }
  return all.map((row) => row.map(padded).join("  ").trimEnd()).join("\n")
}

export function markdownTable(rows: readonly Row[]): string {
  const [first = [], ...rest] = cells(rows)
  const line = (row: readonly string[]) => `|${row.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}`
  return [line(first), `|---|${"---:|".repeat(first.length - 1)}`, ...rest.map(line)].join("\n")
}

import type { Look } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { padEnd, textWidth, truncate } from "../terminal/width.ts"

/** Aligned columns, two spaces between. The column `flexible` gives way when the lines are wider than the terminal. */
export function table(rows: readonly (readonly string[])[], look: Pick<Look, "width">, flexible: number): string[] {
  const clean = rows.map((row) => row.map(sanitiseLine))
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => textWidth(row[column] ?? ""))))
  const total = widths.reduce((sum, width) => sum + width + 2, -2)
  const spare = (widths[flexible] ?? 0) - Math.max(0, total - look.width)
  if (total > look.width) widths[flexible] = Math.max(10, spare)
  return clean.map((row) =>
    row
      .map((cell, column) => padEnd(truncate(cell, widths[column] ?? 0), widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

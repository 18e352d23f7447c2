import type { Style } from "../terminal/look.ts"
import { sanitise } from "../terminal/sanitise.ts"
import { plural } from "./format.ts"

/** Lines of a unified diff in colour, without its file headers, at most `limit` of them. */
export function diffLines(diff: string, style: Style, limit: number): string[] {
  const lines = sanitise(diff).replace(/\n$/, "").split("\n").filter(isBody)
  const shown = lines.slice(0, limit).map((line) => paint(line, style))
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, style.dim(`… ${plural(rest, "more line")}`)] : shown
}

/** Lines added and removed by a unified diff. */
export function diffCounts(diff: string): { added: number; removed: number } {
  const lines = diff.split("\n").filter(isBody)
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  }
}

function isBody(line: string): boolean {
  return !/^(Index: |={20}|--- |\+\+\+ |diff --git |index [0-9a-f]+\.\.)/.test(line)
}

function paint(line: string, style: Style): string {
  if (line.startsWith("+")) return style.good(line)
  if (line.startsWith("-")) return style.bad(line)
  if (line.startsWith("@@")) return style.mark(line)
  return style.dim(line)
}

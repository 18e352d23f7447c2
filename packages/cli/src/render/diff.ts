import type { Style } from "../terminal/look.ts"
import { sanitise } from "../terminal/sanitise.ts"
import { plural } from "./format.ts"

/** Lines of a unified diff in colour, without its file headers, at most `limit` of them. */
export function diffLines(diff: string, style: Style, limit: number): string[] {
  const lines = hunkLines(sanitise(diff))
  const shown = lines.slice(0, limit).map((line) => paint(line, style))
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, style.dim(`… ${plural(rest, "more line")}`)] : shown
}

/** Lines added and removed by a unified diff. */
export function diffCounts(diff: string): { added: number; removed: number } {
  const lines = hunkLines(diff)
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  }
}

/** The lines of the hunks. They are counted, because `--- x` may be a header or a removed line. */
function hunkLines(diff: string): string[] {
  const kept: string[] = []
  let before = 0
  let after = 0
  for (const line of diff.split("\n")) {
    const hunk = before + after > 0 ? null : /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk) {
      before = Number(hunk[1] ?? 1)
      after = Number(hunk[2] ?? 1)
      kept.push(line)
    } else if (before + after > 0) {
      if (!line.startsWith("+") && !line.startsWith("\\")) before--
      if (!line.startsWith("-") && !line.startsWith("\\")) after--
      kept.push(line)
    }
  }
  return kept
}

function paint(line: string, style: Style): string {
  if (line.startsWith("+")) return style.good(line)
  if (line.startsWith("-")) return style.bad(line)
  if (line.startsWith("@@")) return style.mark(line)
  return style.dim(line)
}

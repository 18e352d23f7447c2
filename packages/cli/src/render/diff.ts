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

/** All lines of a unified patch in colour, its headers and what is said above them too. */
export function patchLines(patch: string, style: Style): string[] {
  const hunks = new Set<number>()
  const lines = sanitise(patch).replace(/\n$/, "").split("\n")
  walkHunks(lines, (_, at) => hunks.add(at))
  return lines.map((line, at) => (hunks.has(at) ? paint(line, style) : style.strong(line)))
}

/** Lines added and removed by a unified diff. */
export function diffCounts(diff: string): { added: number; removed: number } {
  const lines = hunkLines(diff)
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  }
}

/** The lines of the hunks. */
function hunkLines(diff: string): string[] {
  const kept: string[] = []
  walkHunks(diff.split("\n"), (line) => kept.push(line))
  return kept
}

/** Gives each line of a hunk and where it stands. They are counted, because `--- x` may be a header or a removed line. */
function walkHunks(lines: readonly string[], take: (line: string, at: number) => void): void {
  let before = 0
  let after = 0
  for (const [at, line] of lines.entries()) {
    const hunk = before + after > 0 ? null : /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk) {
      before = Number(hunk[1] ?? 1)
      after = Number(hunk[2] ?? 1)
      take(line, at)
    } else if (before + after > 0) {
      if (!line.startsWith("+") && !line.startsWith("\\")) before--
      if (!line.startsWith("-") && !line.startsWith("\\")) after--
      take(line, at)
    }
  }
}

function paint(line: string, style: Style): string {
  if (line.startsWith("+")) return style.good(line)
  if (line.startsWith("-")) return style.bad(line)
  if (line.startsWith("@@")) return style.mark(line)
  return style.dim(line)
}

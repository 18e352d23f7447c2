import { changesOf, rawLines } from "../diff.ts"
import type { Hunk } from "../diff.ts"

/** The merged text, or how many places were changed on both sides in different ways. */
export type Merged = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly conflicts: number }

/**
 * What both sides made of `base`, line by line with their line ends. Lines that only one side changed are taken from it;
 * where both changed the same lines, or lines that touch, they have to agree, else it is a conflict. Pure.
 */
export async function mergeTexts(base: string, ours: string, theirs: string): Promise<Merged> {
  if (ours === base || ours === theirs) return { ok: true, text: theirs }
  if (theirs === base) return { ok: true, text: ours }
  const [origin, left, right] = [rawLines(base), rawLines(ours), rawLines(theirs)]
  const [leftChanges, rightChanges] = [await changesOf(origin, left), await changesOf(origin, right)]
  const parts: string[] = []
  let at = 0
  let conflicts = 0
  for (const { start, end, left: ofLeft, right: ofRight } of regions(leftChanges, rightChanges)) {
    parts.push(origin.slice(at, start).join(""))
    const mine = madeOf(left, ofLeft, start, end)
    const other = madeOf(right, ofRight, start, end)
    if (ofRight.length === 0 || sameLines(mine, other)) parts.push(mine.join(""))
    else if (ofLeft.length === 0) parts.push(other.join(""))
    else conflicts++
    at = end
  }
  parts.push(origin.slice(at).join(""))
  return conflicts === 0 ? { ok: true, text: parts.join("") } : { ok: false, conflicts }
}

/** A stretch of the base with the changes of both sides in it. */
interface Region {
  start: number
  end: number
  readonly left: Hunk[]
  readonly right: Hunk[]
}

/** Changes that overlap or touch, across both sides, belong together. */
function regions(left: readonly Hunk[], right: readonly Hunk[]): Region[] {
  const found: Region[] = []
  const all = [
    ...left.map((change) => ({ change, side: "left" as const })),
    ...right.map((change) => ({ change, side: "right" as const })),
  ]
  all.sort((a, b) => a.change.oldStart - b.change.oldStart || a.change.oldEnd - b.change.oldEnd)
  for (const { change, side } of all) {
    const last = found.at(-1)
    if (last && change.oldStart <= last.end) {
      last[side].push(change)
      last.end = Math.max(last.end, change.oldEnd)
    } else {
      const region: Region = { start: change.oldStart, end: change.oldEnd, left: [], right: [] }
      region[side].push(change)
      found.push(region)
    }
  }
  return found
}

/** What a side has in place of a stretch of the base. */
function madeOf(lines: readonly string[], changes: readonly Hunk[], start: number, end: number): string[] {
  const first = changes[0]
  const last = changes.at(-1)
  if (!first || !last) return []
  return lines.slice(first.newStart - (first.oldStart - start), last.newEnd + (end - last.oldEnd))
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, position) => line === b[position])
}

import { linesOf } from "./line-ends.ts"

/** A stretch of changed lines with its context: half-open ranges of line indexes in the old and the new text. */
export interface Hunk {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

export interface FileDiff {
  /** Unified format, or a line that says why it is not shown. */
  readonly patch: string
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly Hunk[]
}

/** Unchanged lines around a change, where nobody asks for another number. */
const usualContext = 3
/** More differences than this are shown as one replaced block: finding the shortest script costs too much. */
const mostEdits = 1_000
const largestPatch = 256 * 1024

/**
 * Compares two texts line by line, line ends included. Costs what the changed region costs, not what the file does.
 * `context` is the number of unchanged lines around a change.
 */
export async function diffTexts(
  path: string,
  before: string,
  after: string,
  context: number = usualContext,
): Promise<FileDiff> {
  const old = rawLines(before)
  const fresh = rawLines(after)
  const changes = await changesOf(old, fresh)
  const hunks = group(changes, [old.length, fresh.length], context)
  const additions = changes.reduce((sum, change) => sum + change.newEnd - change.newStart, 0)
  const deletions = changes.reduce((sum, change) => sum + change.oldEnd - change.oldStart, 0)
  const patch = [`--- ${path}`, `+++ ${path}`, ...hunks.map((hunk) => hunkText(hunk, old, fresh, changes))].join("\n")
  if (patch.length <= largestPatch) return { patch: `${patch}\n`, additions, deletions, hunks }
  const note = `--- ${path}\n+++ ${path}\n(too large to show: ${deletions} lines removed, ${additions} added)\n`
  return { patch: note, additions, deletions, hunks }
}

/** The line that stands above a hunk in a diff; `whole file` for one without lines. */
export function hunkHeader({ oldStart, oldEnd, newStart, newEnd }: Hunk): string {
  if (oldStart === oldEnd && newStart === newEnd) return "whole file"
  return `@@ -${range(oldStart, oldEnd)} +${range(newStart, newEnd)} @@`
}

/** The new text with only the chosen hunks of the diff applied, and the numbers of those that were left out. */
export function chooseHunks(
  before: string,
  after: string,
  hunks: readonly Hunk[],
  chosen: readonly number[],
): { text: string; leftOut: readonly number[] } {
  const old = rawLines(before)
  const fresh = rawLines(after)
  const parts: string[] = []
  const leftOut: number[] = []
  let at = 0
  for (const [index, hunk] of hunks.entries()) {
    parts.push(old.slice(at, hunk.oldStart).join(""))
    if (chosen.includes(index)) parts.push(fresh.slice(hunk.newStart, hunk.newEnd).join(""))
    else {
      parts.push(old.slice(hunk.oldStart, hunk.oldEnd).join(""))
      leftOut.push(index)
    }
    at = hunk.oldEnd
  }
  parts.push(old.slice(at).join(""))
  return { text: parts.join(""), leftOut }
}

/** The lines of a text, each with its end: put together they are the text. */
export function rawLines(text: string): string[] {
  return linesOf(text).map((line) => line.text + line.end)
}

/** What was changed from one list of lines to the other, in order; no two ranges touch. Very different lists are one range. */
export async function changesOf(old: readonly string[], fresh: readonly string[]): Promise<Hunk[]> {
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  const most = Math.min(old.length, fresh.length) - head
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++
  const whole = { oldStart: head, oldEnd: old.length - tail, newStart: head, newEnd: fresh.length - tail }
  if (whole.oldStart === whole.oldEnd && whole.newStart === whole.newEnd) return []
  if (whole.oldStart === whole.oldEnd || whole.newStart === whole.newEnd) return [whole]
  const { diffArrays } = await import("diff")
  const parts = diffArrays(old.slice(head, whole.oldEnd), fresh.slice(head, whole.newEnd), { maxEditLength: mostEdits })
  if (parts === undefined) return [whole]
  const changes: Hunk[] = []
  let oldAt = head
  let newAt = head
  for (const part of parts) {
    const oldEnd = oldAt + (part.added ? 0 : part.count)
    const newEnd = newAt + (part.removed ? 0 : part.count)
    const last = changes.at(-1)
    if (part.added || part.removed) {
      const adjacent = last !== undefined && last.oldEnd === oldAt && last.newEnd === newAt
      if (adjacent) changes[changes.length - 1] = { ...last, oldEnd, newEnd }
      else changes.push({ oldStart: oldAt, oldEnd, newStart: newAt, newEnd })
    }
    oldAt = oldEnd
    newAt = newEnd
  }
  return changes
}

function group(changes: readonly Hunk[], [oldLength, newLength]: readonly [number, number], context: number): Hunk[] {
  const hunks: Hunk[] = []
  for (const change of changes) {
    const wide = {
      oldStart: Math.max(0, change.oldStart - context),
      oldEnd: Math.min(oldLength, change.oldEnd + context),
      newStart: Math.max(0, change.newStart - context),
      newEnd: Math.min(newLength, change.newEnd + context),
    }
    const last = hunks.at(-1)
    if (last && wide.oldStart <= last.oldEnd)
      hunks[hunks.length - 1] = { ...last, oldEnd: wide.oldEnd, newEnd: wide.newEnd }
    else hunks.push(wide)
  }
  return hunks
}

function hunkText(hunk: Hunk, old: readonly string[], fresh: readonly string[], changes: readonly Hunk[]): string {
  const inside = changes.filter((change) => change.oldStart >= hunk.oldStart && change.oldEnd <= hunk.oldEnd)
  const lines = [hunkHeader(hunk)]
  let at = hunk.oldStart
  for (const change of inside) {
    for (; at < change.oldStart; at++) lines.push(shown(" ", old[at] ?? ""))
    for (; at < change.oldEnd; at++) lines.push(shown("-", old[at] ?? ""))
    for (let index = change.newStart; index < change.newEnd; index++) lines.push(shown("+", fresh[index] ?? ""))
  }
  for (; at < hunk.oldEnd; at++) lines.push(shown(" ", old[at] ?? ""))
  return lines.join("\n")
}

function range(start: number, end: number): string {
  const length = end - start
  return length === 1 ? String(start + 1) : `${length === 0 ? start : start + 1},${length}`
}

function shown(sign: string, line: string): string {
  const text = line.replace(/\r?\n$|\r$/, "")
  return text.length === line.length ? `${sign}${text}\n\\ No newline at end of file` : sign + text
}

import { visibleMarks } from "./byte-order-mark.ts"

/** How the indentation of the file differs from what the model wrote: every line has `add` where the model has `remove`. */
export interface Shift {
  readonly remove: string
  readonly add: string
}

/** The one shift that turns every line of `from` into its line of `to`, blank lines aside; undefined when there is none. */
export function uniformShift(from: readonly string[], to: readonly string[]): Shift | undefined {
  let shift: Shift | undefined
  for (const [index, line] of from.entries()) {
    if (line.trim() === "") continue
    const here = indentOf(line)
    const there = indentOf(to[index] ?? "")
    shift ??= difference(here, there)
    if (!here.startsWith(shift.remove) || shift.add + here.slice(shift.remove.length) !== there) return undefined
  }
  return shift ?? { remove: "", add: "" }
}

/** The text with every line moved; undefined when a line has not the indentation that is to go. Blank lines stay. */
export function applyShift(text: string, { remove, add }: Shift): string | undefined {
  if (remove === add) return text
  const parts = text.split(/(\r\n?|\n)/)
  for (const [index, line] of parts.entries()) {
    if (index % 2 === 1 || line.trim() === "") continue
    if (!line.startsWith(remove)) return undefined
    parts[index] = add + line.slice(remove.length)
  }
  return parts.join("")
}

function indentOf(line: string): string {
  return /^\s*/.exec(visibleMarks(line))?.[0] ?? ""
}

function difference(here: string, there: string): Shift {
  let same = 0
  while (same < here.length && same < there.length && here.at(-1 - same) === there.at(-1 - same)) same++
  return { remove: here.slice(0, here.length - same), add: there.slice(0, there.length - same) }
}

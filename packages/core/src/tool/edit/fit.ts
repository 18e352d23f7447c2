import { commonLineEnd, lineEndOf, withLineEnds } from "../../workspace/line-ends.ts"
import type { LineEnd } from "../../workspace/line-ends.ts"
import type { Counter } from "./line-search.ts"
import type { Span } from "./types.ts"

/** So far a line end is looked for after a place. */
const farthest = 4_096

/**
 * The new text with the line ends of the place where it goes: those of the whole file, or where the file
 * mixes them those of the replaced text, or of the line that holds it. Where that mixes them too, the text
 * stays as it was written. Reads the content once, however many places there are.
 */
export function lineEndsOf(content: string, counter: Counter): (text: string, span: Span) => string {
  let whole: ReturnType<typeof lineEndOf> | undefined
  let common: { readonly end: LineEnd | undefined } | undefined
  return (text, span) => {
    const written = lineEndOf(text)
    counter.comparisons++
    if (written === "none") return text
    whole ??= readOnce(content, counter, lineEndOf)
    if (whole !== "mixed") return whole === "none" ? text : withLineEnds(text, whole)
    const replaced = content.slice(span.start, span.end)
    const local = lineEndOf(replaced)
    if (local === "mixed") return text
    if (local !== "none") return withLineEnds(text, local)
    const after = /\r\n?|\n/.exec(content.slice(span.end, span.end + farthest))?.[0]
    const end = lineEnd(after) ?? (common ??= { end: readOnce(content, counter, commonLineEnd) }).end
    return end === undefined ? text : withLineEnds(text, end)
  }
}

function lineEnd(text: string | undefined): LineEnd | undefined {
  return text === "\r\n" || text === "\r" || text === "\n" ? text : undefined
}

/** Counted as a comparison of every line, roughly: what tests ask is how it grows with the content. */
function readOnce<T>(content: string, counter: Counter, read: (content: string) => T): T {
  counter.comparisons += Math.ceil(content.length / 40)
  return read(content)
}

import { commonLineEnd, lineEndOf, withLineEnds } from "../../workspace/line-ends.ts"
import type { Span } from "./types.ts"

/**
 * The new text with the line ends of the place where it goes: those of the whole file, or where the file
 * mixes them those of the replaced text, or of the line that holds it. Where that mixes them too, the text
 * stays as it was written.
 */
export function fitLineEnds(text: string, content: string, span: Span): string {
  const written = lineEndOf(text)
  if (written === "none") return text
  const whole = lineEndOf(content)
  if (whole === "none") return text
  if (whole !== "mixed") return withLineEnds(text, whole)
  const replaced = content.slice(span.start, span.end)
  const local = lineEndOf(replaced)
  if (local === "mixed") return text
  if (local !== "none") return withLineEnds(text, local)
  const end = /\r\n?|\n/.exec(content.slice(span.end, span.end + 4096))?.[0] ?? commonLineEnd(content)
  return end === undefined ? text : withLineEnds(text, end === "\r\n" || end === "\r" ? end : "\n")
}

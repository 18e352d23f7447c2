import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailureKind } from "@cairn/schema/error"
import { linesOf } from "../../workspace/line-ends.ts"
import { splitMark } from "./byte-order-mark.ts"
import { lineEndsOf } from "./fit.ts"
import type { Counter } from "./line-search.ts"
import { ambiguous, identical, notFound, refused } from "./messages.ts"
import { search } from "./strategies.ts"
import type { AppliedEdit, EditInput, MatchFailure, Span } from "./types.ts"

/**
 * Replaces `oldString` by `newString` in the text of a file, or says why not: `not_found`, `ambiguous`,
 * `identical`, `refused` or `binary`. Strategies are tried from strict to tolerant; the first that finds
 * anything decides, and must find exactly one place unless `replaceAll`. The new text gets the file's line
 * ends, and the indentation or escapes by which the old text was found. A byte order mark stays. Linear in the lines
 * of the file.
 */
export function applyEdit(
  content: string,
  input: EditInput,
  counter: Counter = { comparisons: 0 },
): Result<AppliedEdit, MatchFailure> {
  const { mark, body } = splitMark(content)
  const applied = applyToBody(body, withoutMark(input, body), counter)
  if (!applied.ok || mark === "") return applied
  const spans = applied.value.spans.map(({ start, end }) => ({ start: start + 1, end: end + 1 }))
  return ok({ ...applied.value, content: mark + applied.value.content, spans })
}

/** A byte order mark that was copied along with the first line belongs to the file, and stays. */
function withoutMark(input: EditInput, body: string): EditInput {
  const old = splitMark(input.oldString)
  if (old.mark === "" || body.includes(old.mark)) return input
  return { ...input, oldString: old.body, newString: splitMark(input.newString).body }
}

function applyToBody(content: string, input: EditInput, counter: Counter): Result<AppliedEdit, MatchFailure> {
  const { oldString, newString, replaceAll = false } = input
  if (oldString === newString) return err(identical())
  if (content.includes("\0") || newString.includes("\0")) {
    return err(plain("binary", "The text contains a NUL byte; only text files are edited."))
  }
  if (oldString === "") {
    if (content === "") return ok({ content: newString, strategy: "exact", spans: [{ start: 0, end: 0 }] })
    return err(
      plain(
        "refused",
        "oldString is empty, but the file exists and is not empty. Give the text to replace, or use write to replace the whole file.",
      ),
    )
  }
  const lines = linesOf(content)
  const found = search({ content, lines, oldString, newString, replaceAll, counter })
  if (!found) return err(notFound(lines, input, counter))
  const { strategy, candidates } = found
  if (candidates.length > 1 && !replaceAll) return err(ambiguous(lines, candidates, strategy))
  const parts: string[] = []
  const spans: Span[] = []
  const fitted = lineEndsOf(content, counter)
  let at = 0
  for (const { start, end, replacement } of candidates) {
    // Of overlapping places only the first is replaced.
    if (start < at) continue
    if (typeof replacement !== "string") return err(refused(lines, { start, end }, replacement.reason))
    parts.push(content.slice(at, start), fitted(replacement, { start, end }))
    spans.push({ start, end })
    at = end
  }
  parts.push(content.slice(at))
  const result = parts.join("")
  return result === content ? err(identical()) : ok({ content: result, strategy, spans })
}

function plain(kind: ToolFailureKind, message: string): MatchFailure {
  return { kind, message, brief: message }
}

import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"

const beginMark = "*** Begin Patch"
const endMark = "*** End Patch"

/**
 * The lines of the two marks, as indexes, whatever harmless wrapping stands around them: blanks, a code fence, a heredoc
 * with or without its command or a shell call, or the quotes of a command line. Else which line (from 1) is wrong.
 */
export function findPatch(
  lines: readonly string[],
): Result<{ readonly begin: number; readonly end: number }, { readonly line: number; readonly what: string }> {
  const begin = lines.findIndex((line) => line.trim() === beginMark || quotedBegin.test(line))
  if (begin === -1) return err({ line: 1, what: `the patch must begin with "${beginMark}"` })
  const opening = lines.slice(0, begin)
  const before = opening.findIndex((line) => !isOpening(line))
  if (before !== -1) return err({ line: before + 1, what: `unexpected text before "${beginMark}"` })
  const first = lines[begin] ?? ""
  const quote = quotedBegin.exec(first)?.[1] ?? opening.map((line) => quotedCall.exec(line)?.[1]).find(Boolean)
  const end = endOf(lines, begin, quote)
  if (end === -1) return err({ line: lines.length, what: `the patch must end with "${endMark}"` })
  if (quote !== undefined && isEscaped(lines.slice(begin + 1, end), quote)) {
    return err({
      line: begin + 1,
      what: "the patch has its quotes escaped for a shell: give it bare, without apply_patch",
    })
  }
  const closings = new Set([...opening.flatMap(closingsOf), ...(quote === undefined ? [] : [quote])])
  const after = lines.findIndex(
    (line, index) => index > end && line.trim() !== "" && !plainClosing.test(line) && !closings.has(line.trim()),
  )
  return after === -1 ? ok({ begin, end }) : err({ line: after + 1, what: `unexpected text after "${endMark}"` })
}

/** Behind blanks the mark is an unchanged line of an update, unless the first mark stands behind blanks too. */
function endOf(lines: readonly string[], begin: number, quote: string | undefined): number {
  const end = lines.findIndex((line, index) => {
    if (index <= begin || !line.startsWith(endMark)) return false
    const rest = line.slice(endMark.length).trim()
    return rest === "" || rest === quote
  })
  if (end !== -1 || !/^\s/.test(lines[begin] ?? "")) return end
  const last = lines.findLastIndex((line) => line.trim() === endMark)
  return last > begin ? last : -1
}

/** Whether the quote that wraps the patch stands in it only as a shell would have it: then what was meant is unclear. */
function isEscaped(lines: readonly string[], quote: string): boolean {
  const escaped = quote === '"' ? '\\"' : "'\\''"
  const text = lines.join("\n")
  return text.includes(escaped) && !text.replaceAll(escaped, "").includes(quote)
}

function isOpening(line: string): boolean {
  return line.trim() === "" || [fence, heredoc, shellCall, quotedCall].some((pattern) => pattern.test(line))
}

const fence = /^\s*(?:`{3,}|~{3,})\w*\s*$/
const heredoc = /^\s*(?:(?:apply_?patch|cat)\s*)?<<-?\s*(?:(['"])([^'"]+)\1|\w+)(?:\s*\|\s*apply_?patch)?\s*$/
const shellCall =
  /^\s*(?:bash|sh|zsh)\s+-l?c\s+(?:(["'])\s*)?(?:(?:apply_?patch|cat)\s*)?<<-?\s*(?:(['"])([^'"]+)\2|(\w+))(?:\s*\|\s*apply_?patch)?\s*$/
const quotedCall = /^\s*apply_?patch\s+(["'])\s*$/
const quotedBegin = /^\s*apply_?patch\s+(["'])\s*\*\*\* Begin Patch\s*$/
const plainClosing = /^\s*(?:`{3,}|~{3,}|\w+)\s*$/

/** A heredoc ends with its word; the quote that a shell call opened is closed behind that, or on a line of its own. */
function closingsOf(line: string): string[] {
  const word = heredoc.exec(line)?.[2]
  if (word !== undefined) return [word.trim()]
  const [, quote, , quoted, bare] = shellCall.exec(line) ?? []
  const tag = quoted?.trim() ?? bare
  if (tag === undefined) return []
  return quote === undefined ? [tag] : [tag, quote, tag + quote]
}

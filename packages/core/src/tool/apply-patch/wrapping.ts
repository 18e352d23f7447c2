/** What may stand before a patch: blank lines, an opening fence, a heredoc with or without its command or a shell call. */
export function isOpening(line: string): boolean {
  return line.trim() === "" || /^\s*(?:```|~~~)\w*\s*$/.test(line) || heredoc.test(line) || shellCall.test(line)
}

/** Index of the first line after a patch that closes nothing of what `opening` may have opened. */
export function unexpectedAfter(after: readonly string[], opening: readonly string[]): number | undefined {
  const closings = new Set(opening.flatMap(shellClosings))
  const found = after.findIndex((line) => line.trim() !== "" && !plainClosing.test(line) && !closings.has(line.trim()))
  return found === -1 ? undefined : found
}

const heredoc = /^\s*(?:(?:apply_?patch|cat)\s*)?<<-?\s*(['"]?)\w+\1(?:\s*\|\s*apply_?patch)?\s*$/
const shellCall =
  /^\s*(?:bash|sh|zsh)\s+-l?c\s+(?:(["'])\s*)?(?:(?:apply_?patch|cat)\s*)?<<-?\s*(['"]?)(\w+)\2(?:\s*\|\s*apply_?patch)?\s*$/
const plainClosing = /^\s*(?:```|~~~|\w+)\s*$/

/** The quote that a shell call opened is closed behind the end of its heredoc, or on a line of its own. */
function shellClosings(line: string): string[] {
  const [, quote, , tag] = shellCall.exec(line) ?? []
  return quote === undefined || tag === undefined ? [] : [quote, tag + quote]
}

import type { Counter } from "./line-search.ts"
import type { Note } from "./types.ts"

/** Of the shell, where a command stands before it: `cat << eof`, `cat <<$X`. */
const shellOpening =
  /^\s*(?:sudo\s+)?(?:cat|tee|bash|sh|ssh|python3?|mysql|psql|ftp|read|node|sed)\b[^<"'`]*<<(-?)\s*(\$?[A-Za-z_]\w{0,80})(?=\s|$|[;|&>)])/

/** `<<EOF`, `<<-'EOF'`, `<<~EOS`, PHP's `<<<'X'`. A blank before a bare word is only let pass where that is in capitals. */
const opening = /<<(<?)([-~]?)(?:\s*(["'`])([^"'`]{1,80})\3|\\?([A-Za-z_][\w-]{0,80})|\s+\\?([A-Z_][A-Z0-9_]{0,80})\b)/g

/** No word is longer, so no line that ends a here-document is. */
const longest = 200

interface Opening {
  readonly word: string
  readonly end: "line" | "trimmed" | "first"
}

/** Notes the lines of here-documents: those between the line that opens one and the line that ends it, if any does. */
export function readHeredocs(texts: readonly string[], note: Note, counter: Counter): void {
  const openings = new Map<number, Opening[]>()
  for (const [index, text] of texts.entries()) {
    counter.comparisons++
    if (text.includes("<<")) openings.set(index, openingsOf(text))
  }
  if (openings.size === 0) return
  // From below, so that the next line of each kind is always the one that was seen last.
  const next = { line: new Map<string, number>(), trimmed: new Map<string, number>(), first: new Map<string, number>() }
  const begins = texts.map(() => 0)
  const ends = texts.map(() => 0)
  for (let index = texts.length - 1; index >= 0; index--) {
    counter.comparisons++
    for (const { word, end: how } of openings.get(index) ?? []) {
      const end = next[how].get(word) ?? noDeeper(texts, index, next.trimmed.get(word))
      if (end === undefined) continue
      begins[index + 1] = (begins[index + 1] ?? 0) + 1
      ends[end] = (ends[end] ?? 0) + 1
    }
    const text = texts[index] ?? ""
    if (text.length > longest) continue
    next.line.set(text, index)
    next.trimmed.set(text.trim(), index)
    next.first.set(/^\s*(\w*)/.exec(text)?.[1] ?? "", index)
  }
  let open = 0
  for (const [index] of texts.entries()) {
    open += (begins[index] ?? 0) - (ends[index] ?? 0)
    if (open > 0) note(index, 0, Infinity)
  }
}

/** A script within another file is indented as a whole: there the ending is not deeper than the line that opens. */
function noDeeper(texts: readonly string[], from: number, end: number | undefined): number | undefined {
  if (end === undefined) return undefined
  return (texts[end] ?? "").search(/\S/) <= (texts[from] ?? "").search(/\S/) ? end : undefined
}

function openingsOf(text: string): Opening[] {
  const found = [...text.matchAll(opening)].map(([, third, dash, , quoted, bare, spaced]) => ({
    word: quoted ?? bare ?? spaced ?? "",
    end: third === "<" ? ("first" as const) : dash === "" ? ("line" as const) : ("trimmed" as const),
  }))
  const shell = text.length > longest ? undefined : shellOpening.exec(text)
  const [, dash, word = ""] = shell ?? []
  if (word === "" || found.some((one) => one.word === word)) return found
  return [...found, { word, end: dash === "" ? "line" : "trimmed" }]
}

/** Inside which kind of literal a line begins, when it begins inside one that goes over several lines. */
export type LiteralState = "" | "`" | '"""' | "'''"

/**
 * One line with the white space outside of string literals made uniform, and that inside kept. Two lines
 * that are equal but for white space differ inside a literal exactly when these differ. The indentation is
 * dropped: it is judged by the shift of the whole block. Works without knowing the language: a quote that
 * does not close on its line is an apostrophe; a backtick and a triple quote go on.
 */
export function readLiterals(line: string, state: LiteralState): { shape: string; state: LiteralState } {
  let shape = ""
  let at = 0
  let open = state
  while (at < line.length) {
    if (open !== "") {
      const end = closing(line, at, open)
      shape += line.slice(at, end.at)
      at = end.at
      if (end.closed) open = ""
      continue
    }
    const next = skipSpace(line, at)
    if (next > at) {
      shape += " "
      at = next
      continue
    }
    const multi = openingAt(line, at)
    if (multi) {
      shape += multi
      at += multi.length
      open = multi
      continue
    }
    const char = line[at] ?? ""
    const end = char === '"' || char === "'" ? closing(line, at + 1, char) : undefined
    const until = end?.closed ? end.at : at + 1
    shape += line.slice(at, until)
    at = until
  }
  const trimmed = shape.replace(/^\s+/, "")
  return { shape: open === "" ? trimmed.replace(/\s+$/, "") : trimmed, state: open }
}

/** The state after all these lines. */
export function stateAfter(lines: readonly string[], start: LiteralState = ""): LiteralState {
  let state = start
  for (const line of lines) {
    // Most lines have none of the two quotes that go over lines.
    if (state === "" && !/`|"""|'''/.test(line)) continue
    state = readLiterals(line, state).state
  }
  return state
}

function openingAt(line: string, at: number): LiteralState {
  if (line[at] === "`") return "`"
  if (line.startsWith('"""', at)) return '"""'
  return line.startsWith("'''", at) ? "'''" : ""
}

function skipSpace(line: string, from: number): number {
  let at = from
  while (at < line.length && /\s/.test(line[at] ?? "")) at++
  return at
}

function closing(line: string, from: number, quote: string): { at: number; closed: boolean } {
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++
    else if (line.startsWith(quote, at)) return { at: at + quote.length, closed: true }
  }
  return { at: line.length, closed: false }
}

/** Where a motion leads, as an offset in UTF-16 units, and what an operator takes of the way. */
export interface Motion {
  readonly to: number
  /** The character at the far end is taken too. */
  readonly inclusive?: true
  /** Whole lines are taken. */
  readonly linewise?: true
}

/** A search for a character on the line: `f`, `F`, `t`, `T`. */
export interface Find {
  readonly kind: "f" | "F" | "t" | "T"
  readonly character: string
}

const segmenter = new Intl.Segmenter()

/** The end of the character that starts at `at`. */
export function after(text: string, at: number): number {
  const [first] = segmenter.segment(text.slice(at, at + 100))
  return first === undefined ? at : at + first.segment.length
}

/** The start of the character that ends at `at`. */
export function before(text: string, at: number): number {
  const start = lineStart(text, at)
  if (start === at) return Math.max(0, at - 1)
  const pieces = [...segmenter.segment(text.slice(start, at))]
  return start + (pieces.at(-1)?.index ?? 0)
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1
}

/** Where the line's text ends, before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

/** The last place of a line that a cursor in normal mode may have. */
export function lastOnLine(text: string, at: number): number {
  const start = lineStart(text, at)
  const end = lineEnd(text, at)
  return end === start ? start : before(text, end)
}

export function firstNonBlank(text: string, at: number): number {
  const start = lineStart(text, at)
  const blank = /^[ \t]*/.exec(text.slice(start, lineEnd(text, start)))?.[0].length ?? 0
  return start + blank
}

type Class = "blank" | "word" | "sign" | "end"

function classAt(text: string, at: number): Class {
  if (at >= text.length) return "end"
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (/\s/.test(character)) return "blank"
  return /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign"
}

function nextWord(text: string, from: number): number {
  let at = from
  const own = classAt(text, at)
  if (own === "end") return at
  while (own !== "blank" && classAt(text, at) === own) at = after(text, at)
  while (classAt(text, at) === "blank") {
    // An empty line is a word.
    if (text[at] === "\n" && text[at + 1] === "\n") return at + 1
    at = after(text, at)
  }
  return at
}

function previousWord(text: string, from: number): number {
  let at = before(text, from)
  while (at > 0 && classAt(text, at) === "blank") at = before(text, at)
  const own = classAt(text, at)
  while (at > 0 && classAt(text, before(text, at)) === own) at = before(text, at)
  return at
}

function wordEnd(text: string, from: number): number {
  let at = after(text, from)
  while (classAt(text, at) === "blank") at = after(text, at)
  if (at >= text.length) return lastOnLine(text, text.length)
  const own = classAt(text, at)
  while (classAt(text, after(text, at)) === own) at = after(text, at)
  return at
}

/** Up (negative) or down by lines, in the same column as far as the line goes. Undefined when there is no such line. */
function byLines(text: string, at: number, lines: number): number | undefined {
  const column = [...segmenter.segment(text.slice(lineStart(text, at), at))].length
  let start = lineStart(text, at)
  for (let step = 0; step < Math.abs(lines); step++) {
    if (lines > 0) {
      const end = lineEnd(text, start)
      if (end === text.length) return undefined
      start = end + 1
    } else {
      if (start === 0) return undefined
      start = lineStart(text, start - 1)
    }
  }
  let to = start
  const end = lastOnLine(text, start)
  for (let step = 0; step < column && to < end; step++) to = after(text, to)
  return to
}

/** Offset of a line by its number, from 1; the last one where there are fewer. */
function lineNumbered(text: string, number: number): number {
  let at = 0
  for (let line = 1; line < number; line++) {
    const end = text.indexOf("\n", at)
    if (end < 0) break
    at = end + 1
  }
  return at
}

/** Where `f`, `F`, `t`, `T` find their character, `count` times, on the line. */
export function findMotion(
  text: string,
  from: number,
  { kind, character }: Find,
  count: number,
  again = false,
): Motion | undefined {
  const forward = kind === "f" || kind === "t"
  const start = lineStart(text, from)
  const end = lineEnd(text, from)
  let at = from
  // Again from right before the character: there is a next one.
  if (again && kind === "t") at = after(text, at)
  if (again && kind === "T") at = before(text, at)
  for (let step = 0; step < count; step++) {
    const found = forward
      ? text.slice(0, end).indexOf(character, after(text, at))
      : at <= start
        ? -1
        : text.lastIndexOf(character, at - 1)
    if (found < start || found < 0) return undefined
    at = found
  }
  if (kind === "t") return { to: before(text, at), inclusive: true }
  if (kind === "T") return { to: after(text, at) }
  return kind === "f" ? { to: at, inclusive: true } : { to: at }
}

/** What a motion key does. `count` is undefined when none was typed. Undefined: it is no motion, or leads nowhere. */
export function motion(text: string, at: number, key: string, count: number | undefined): Motion | undefined {
  const times = count ?? 1
  const repeat = (step: (text: string, at: number) => number) => {
    let to = at
    for (let round = 0; round < times; round++) to = step(text, to)
    return to
  }
  switch (key) {
    case "h":
    case "left":
    case "backspace":
      return { to: repeat((_, from) => (from > lineStart(text, at) ? before(text, from) : from)) }
    case "l":
    case "right":
    case "space":
      return { to: repeat((_, from) => (from < lineEnd(text, at) ? after(text, from) : from)) }
    case "j":
    case "down":
      return linewise(byLines(text, at, times))
    case "k":
    case "up":
      return linewise(byLines(text, at, -times))
    case "w":
      return { to: repeat(nextWord) }
    case "b":
      return { to: repeat(previousWord) }
    case "e":
      return { to: repeat(wordEnd), inclusive: true }
    case "0":
    case "home":
      return { to: lineStart(text, at) }
    case "^":
      return { to: firstNonBlank(text, at) }
    case "$":
    case "end":
      return { to: lastOnLine(text, times > 1 ? (byLines(text, at, times - 1) ?? at) : at), inclusive: true }
    case "gg":
      return linewise(firstNonBlank(text, lineNumbered(text, times)))
    case "shift+g":
      return linewise(firstNonBlank(text, lineNumbered(text, count ?? Infinity)))
    default:
      return undefined
  }
}

function linewise(to: number | undefined): Motion | undefined {
  return to === undefined ? undefined : { to, linewise: true }
}

import { after, before, lineEnd, lineStart } from "./motion.ts"

/** A piece of text; `to` is not a part of it. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly linewise?: true
}

const pairs: Readonly<Record<string, readonly [string, string]>> = {
  "(": ["(", ")"],
  ")": ["(", ")"],
  b: ["(", ")"],
  "[": ["[", "]"],
  "]": ["[", "]"],
  "{": ["{", "}"],
  "}": ["{", "}"],
  "shift+b": ["{", "}"],
  "<": ["<", ">"],
  ">": ["<", ">"],
}

/** What `iw`, `a"`, `ip` and their like mean here. `around` takes what is around too. Undefined: there is none. */
export function textObject(text: string, at: number, key: string, around: boolean): Range | undefined {
  if (key === "w") return word(text, at, around)
  if (key === "p") return paragraph(text, at, around)
  if (['"', "'", "`"].includes(key)) return quoted(text, at, key, around)
  const pair = Object.hasOwn(pairs, key) ? pairs[key] : undefined
  return pair === undefined ? undefined : enclosed(text, at, pair, around)
}

function kind(text: string, at: number): "blank" | "word" | "sign" | "line" {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0x0a)
  if (character === "\n") return "line"
  if (/\s/.test(character)) return "blank"
  return /[\p{L}\p{N}\p{M}_]/u.test(character) ? "word" : "sign"
}

function word(text: string, at: number, around: boolean): Range | undefined {
  if (lineStart(text, at) === lineEnd(text, at)) return undefined
  const own = kind(text, at)
  const run = (from: number, of: string) => {
    let to = from
    while (to < text.length && kind(text, to) === of) to = after(text, to)
    return to
  }
  let from = at
  while (from > 0 && kind(text, before(text, from)) === own) from = before(text, from)
  let to = run(at, own)
  if (!around) return { from, to }
  if (own === "blank") return { from, to: run(to, kind(text, to)) }
  const behind = run(to, "blank")
  if (behind > to) return { from, to: behind }
  to = behind
  while (from > lineStart(text, from) && kind(text, before(text, from)) === "blank") from = before(text, from)
  return { from, to }
}

/** Quotes pair from the start of the line; the cursor stands between two, or before the first. */
function quoted(text: string, at: number, quote: string, around: boolean): Range | undefined {
  const start = lineStart(text, at)
  const end = lineEnd(text, at)
  const places: number[] = []
  for (let from = start; from < end; from++) {
    if (text[from] === "\\") from++
    else if (text[from] === quote) places.push(from)
  }
  for (let index = 0; index + 1 < places.length; index += 2) {
    const [open = 0, close = 0] = [places[index], places[index + 1]]
    if (at <= close) return around ? { from: open, to: close + 1 } : { from: open + 1, to: close }
  }
  return undefined
}

function enclosed(
  text: string,
  at: number,
  [open, close]: readonly [string, string],
  around: boolean,
): Range | undefined {
  let depth = 0
  let from = at
  while (from >= 0 && !(text[from] === open && depth === 0)) {
    if (text[from] === close && from !== at) depth++
    else if (text[from] === open) depth--
    from--
  }
  if (from < 0) return undefined
  depth = 0
  for (let to = from + 1; to < text.length; to++) {
    if (text[to] === open) depth++
    else if (text[to] === close && depth-- === 0) return around ? { from, to: to + 1 } : { from: from + 1, to }
  }
  return undefined
}

/** Lines between empty ones; an empty stretch is a paragraph too. */
function paragraph(text: string, at: number, around: boolean): Range {
  const isEmpty = (start: number) => /^[ \t]*$/.test(text.slice(start, lineEnd(text, start)))
  const own = isEmpty(lineStart(text, at))
  let from = lineStart(text, at)
  while (from > 0 && isEmpty(lineStart(text, from - 1)) === own) from = lineStart(text, from - 1)
  const grow = (start: number, of: boolean) => {
    let to = start
    while (to < text.length && isEmpty(to) === of) to = Math.min(text.length, lineEnd(text, to) + 1)
    return to
  }
  let to = grow(lineStart(text, at), own)
  if (around) to = grow(to, !own)
  return { from, to, linewise: true }
}

import type { Part, ToolPart } from "@cairn/schema/part"

/** What of a part can be found, under the column that holds it: what was said, thought, or done by a tool. */
export interface Searchable {
  readonly column: "said" | "thought" | "done"
  readonly text: string
}

/** Characters of one part that can be found; a prompt may be larger. */
const most = 1_000_000

/** Words longer than this are data, not names. */
const longestName = 100

/**
 * Texts, reasoning, and settled calls: their title, the values of their input, and what they gave. Undefined for other
 * parts and for those that are still open.
 */
export function searchableIn(part: Part): Searchable | undefined {
  if (part.type === "text" && isClosed(part.time)) return { column: "said", text: part.text.slice(0, most) }
  if (part.type === "reasoning" && isClosed(part.time)) return { column: "thought", text: part.text.slice(0, most) }
  if (part.type !== "tool") return undefined
  const text = textOfCall(part)
  return text === undefined ? undefined : { column: "done", text: text.slice(0, most) }
}

const isClosed = (time: { readonly end?: number | undefined } | undefined) =>
  time === undefined || time.end !== undefined

function textOfCall({ state }: ToolPart): string | undefined {
  if (state.status === "completed") return [state.title, ...valuesIn(state.input), state.output].join("\n")
  if (state.status === "error") return [...valuesIn(state.input), state.error].join("\n")
  return undefined
}

/** Every text and number in a value, in order. Without recursion: a model may nest as deep as it likes. */
function valuesIn(value: unknown): string[] {
  const found: string[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const top = open.pop()
    if (typeof top === "string") found.push(top)
    else if (typeof top === "number") found.push(String(top))
    else if (typeof top === "object" && top !== null)
      for (const child of Object.values(top).toReversed()) open.push(child)
  }
  return found
}

/** Scripts that put no space between words: each of their characters is a word, so that any part of a sentence is a phrase. */
const unspacedClass =
  "\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029\\u3031-\\u3035\\u3041-\\u318f\\u31a0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uffdc\\u{1b000}-\\u{1b16f}\\u{20000}-\\u{3ffff}"
const unspaced = new RegExp(`[${unspacedClass}]`, "gu")

/** Above ASCII, what folding leaves as it is: signs that models like, none of them part of a word. */
const isSign = (code: number) =>
  code === 0xa0 ||
  code === 0xa7 ||
  code === 0xb7 ||
  (code >= 0x2010 && code <= 0x2027) ||
  (code >= 0x2190 && code <= 0x21ff) ||
  (code >= 0x2500 && code <= 0x2775) ||
  (code >= 0x2794 && code <= 0x27bf)

/** A loop: an expression takes twice as long, and this runs over everything that is stored. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x7f && !isSign(code)) return false
  }
  return true
}

/** Text as the words in it are compared: compatible forms as one, accents gone, unspaced scripts spaced. Case stays. */
export function fold(text: string): string {
  if (isPlain(text)) return text
  const bare = text.normalize("NFKD").replaceAll(/[\u0300-\u036f]+/g, "")
  return bare.normalize("NFKC").replaceAll(unspaced, " $& ")
}

/** The words of a text, folded and in lower case. */
export function wordsOf(text: string): string[] {
  return (
    fold(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  )
}

export interface Token {
  readonly words: readonly string[]
  /** Offsets into the text as it was given. */
  readonly start: number
  readonly end: number
}

/** A character of an unspaced script with what joins it when it is composed, or a run of others. */
const token = new RegExp(
  `[${unspacedClass}][\\u1160-\\u11ff\\u3099\\u309a\\uff9e\\uff9f\\p{M}]*|(?:(?![${unspacedClass}])[\\p{L}\\p{N}\\p{Co}\\p{M}])+`,
  "gu",
)

/** The words of a text with their places, as `wordsOf` gives them. */
export function* tokensOf(text: string): Generator<Token> {
  for (const { 0: found, index } of text.matchAll(isPlain(text) ? /[A-Za-z0-9]+/g : token)) {
    const words = /^[A-Za-z0-9]+$/.test(found) ? [found.toLowerCase()] : wordsOf(found)
    yield { words, start: index, end: index + found.length }
  }
}

const joint = /([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g

/** The parts of a compound name (`parseHTTPHeader` → `parse HTTP Header`); undefined for any other word. */
export function piecesOf(name: string): string | undefined {
  if (name.length > longestName || !/.[A-Z]/.test(name)) return undefined
  const spaced = name.replaceAll(joint, "$& ")
  return spaced === name ? undefined : spaced
}

/** The pieces of every compound name in a folded text, each name once. */
export function piecesIn(text: string): string {
  const names = new Set<string>()
  const hump = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/g
  for (let found = hump.exec(text); found; found = hump.exec(text)) {
    let start = found.index
    let end = hump.lastIndex
    while (isOfName(text.charCodeAt(start - 1))) start--
    while (isOfName(text.charCodeAt(end))) end++
    names.add(text.slice(start, end))
    hump.lastIndex = end
  }
  return [...names].flatMap((name) => piecesOf(name) ?? []).join("\n")
}

const isOfName = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

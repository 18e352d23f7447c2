import type { Counter } from "./line-search.ts"
import type { Note } from "./types.ts"

/**
 * In this order: Rust's `r#"`, C++'s `R"x(`, Lua's `[==[`, Ruby's `%q(` and the like, Perl's `q{` behind a scalar or a
 * module, SQL's `$body$` behind the word that it follows.
 */
const opening =
  /(?<!\w)(?:br|cr|r)(#{1,16})"|(?<!\w)(?:u8|[uUL])?R"([^\s()\\"]{0,16})\(|\[(={0,16})\[|(?<![^\s([{=,;|&!:?>])%(?:[qQwWiIxrs][([{|!/]|\()|\bq[qw]?[({[](?<=\b(?:(?:my|our|local)\s[$@%]\w{1,40}\s?=|use\s[\w:]{1,40})\s?q[qw]?[({[])|(\$(?:[A-Za-z_]\w{0,40})?\$)(?<=\b(?:as|do|AS|DO)\s{1,2}\$\w{0,41}\$)/g
const partners: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }
/** So many different endings are looked for in one file; each costs a look through it. */
const mostEndings = 64

/** Notes what stands between an opening and its own ending, over any number of lines. */
export function readDelimited(texts: readonly string[], note: Note, counter: Counter): void {
  const text = texts.join("\n")
  const search = createSearch(text, counter)
  const found: { from: number; to: number }[] = []
  const token = new RegExp(opening)
  for (let match = token.exec(text); match; match = token.exec(text)) {
    counter.comparisons++
    const from = token.lastIndex
    const end = endingOf(match, from, text, search)
    if (end === undefined) continue
    found.push({ from, to: end })
    token.lastIndex = end
  }
  noteLines(texts, found, note)
}

function endingOf(match: RegExpExecArray, from: number, text: string, search: Search): number | undefined {
  const [whole, hashes, name, equals, dollars] = match
  if (dollars !== undefined) return search.next(dollars, from)
  if (hashes !== undefined) return search.next(`"${hashes}`, from)
  if (name !== undefined) return search.next(`)${name}"`, from)
  if (equals !== undefined) return longBracketEnd(text, match.index, equals, search)
  if (whole === "%(" && followsOperand(text.slice(Math.max(0, match.index - 40), match.index))) return undefined
  const bracket = whole.at(-1) ?? ""
  return partners[bracket] === undefined ? search.next(bracket, from) : search.partner(from - 1)
}

/** Then it is a remainder, or Python's formatting. Over a line's end only a text is surely formatted. */
function followsOperand(before: string): boolean {
  if (/["']\s*$/.test(before)) return true
  const [, last = ""] = /([\w)\]}]+)[ \t]+$/.exec(before) ?? []
  return last !== "" && !rubyBefore.test(last)
}

const rubyBefore =
  /^(?:return|puts|print|raise|yield|and|or|not|if|unless|when|then|else|elsif|do|in|case|while|until)$/

interface Search {
  /** Where the ending stands at or after `from`. Looks through the text once for each ending. */
  next(ending: string, from: number): number | undefined
  /** Where the bracket at this offset is closed, when it is one that may open a literal. */
  partner(at: number): number | undefined
}

function createSearch(text: string, counter: Counter): Search {
  const known = new Map<string, number>()
  let closed: ReadonlyMap<number, number> | undefined
  return {
    next(ending, from) {
      let at = known.get(ending)
      if (at === undefined && known.size >= mostEndings) return undefined
      if (at === undefined || (at !== -1 && at < from)) {
        counter.comparisons++
        at = text.indexOf(ending, from)
        known.set(ending, at)
      }
      return at === -1 ? undefined : at
    },
    partner: (at) => (closed ??= closedBrackets(text, counter)).get(at),
  }
}

function closedBrackets(text: string, counter: Counter): ReadonlyMap<number, number> {
  const closed = new Map<number, number>()
  const open: Readonly<Record<string, number[]>> = { ")": [], "]": [], "}": [] }
  for (const { 0: bracket, index } of text.matchAll(/[()[\]{}]/g)) {
    counter.comparisons++
    const partner = partners[bracket]
    if (partner !== undefined) open[partner]?.push(index)
    else {
      const begin = open[bracket]?.pop() ?? -1
      if (
        text[begin - 1] === "[" ||
        text[begin - 1] === "%" ||
        text[begin - 2] === "%" ||
        /[qw]/.test(text[begin - 1] ?? "")
      )
        closed.set(begin, index)
    }
  }
  return closed
}

/** A list of lists, and a test of the shell, look like a long bracket and are none. */
function longBracketEnd(text: string, at: number, equals: string, search: Search): number | undefined {
  const end = search.next(`]${equals}]`, at + equals.length + 2)
  if (equals !== "" || end === undefined) return end
  const inner = search.partner(at + 1)
  if (inner !== undefined && text[inner + 1] !== "]") return undefined
  const before = text.slice(Math.max(0, at - 40), at)
  const inside = text.slice(at + 2, Math.min(end, at + 202))
  if (isIndexOrList(before, inside)) return undefined
  return shellBefore.test(before) && shellTest.test(inside) ? undefined : end
}

/** Values between commas, one value behind an operand, a value that is no word, a table of TOML. Two words are a text. */
function isIndexOrList(before: string, inside: string): boolean {
  const values = inside.replace(/(?<!\w)(?:"[^"\n]*"|'[^'\n]*')(?!\w)/g, "0").trim()
  if (/\b([A-Za-z_]\w*)\s+for\s+\1\s+in\s/.test(values)) return true
  if (/\w\s+\w/.test(values)) return false
  return values.includes(",") || /[\w)\]]$/.test(before) || /^\d*$/.test(values) || /(?:^|\n)$/.test(before)
}

const shellBefore = /(?:^|[\n;&|!]|\b(?:if|elif|while|until|then|do|else))[ \t]*$/
const shellTest = /^\s.*(?:\$|\s-[a-zA-Z]\s|[=!]=|=~)/

/** What was found, in order, as ranges of lines. */
function noteLines(texts: readonly string[], found: readonly { from: number; to: number }[], note: Note): void {
  let line = 0
  let start = 0
  const endOf = (index: number) => start + (texts[index]?.length ?? 0)
  for (const { from, to } of found) {
    while (line < texts.length && endOf(line) < from) start += (texts[line++]?.length ?? 0) + 1
    let begin = from - start
    while (line < texts.length && endOf(line) < to) {
      note(line, begin, Infinity)
      begin = 0
      start += (texts[line++]?.length ?? 0) + 1
    }
    note(line, begin, to - start)
  }
}

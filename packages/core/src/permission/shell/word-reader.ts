import { digits, hasHole, hole, type SyntaxNode, type Word } from "./syntax.ts"

/** What a variable holds. */
export interface Value {
  readonly text: string
  /** Its text is a pattern that the shell has put names in for. */
  readonly glob?: boolean
}

/** What the reader of words asks for while it reads. Each may throw `Unreadable`. */
export interface Expansions {
  variable(name: string): Value
  /** The values of `$@`; undefined when they are not known. */
  readonly positional: readonly string[] | undefined
  /** Goes through the commands of a `$( )`, a pair of backticks or a `<( )`; the output, when that is known. */
  substitute(node: SyntaxNode): string
  /** Looks at `$(( ))` and at what `${ }` holds beside a name. */
  calculate(node: SyntaxNode): void
}

/** Why a text cannot be known before it runs, or is not understood. */
export class Unreadable extends Error {}
export const unreadable = (reason: string): never => {
  throw new Unreadable(reason)
}

/** A piece of a word. `free`: it is unquoted, so that it is split and its patterns count. */
interface Atom {
  readonly text: string
  readonly free: boolean
  /** The result of an expansion. */
  readonly expanded?: boolean
  readonly glob?: boolean
  /** The next piece is another word. */
  readonly ends?: boolean
  /** A variable without brackets: what came to stand behind it would be taken for more of its name. */
  readonly open?: boolean
}

/** Most of a line that `{1..9}` and its like may make of a word. */
const mostWords = 200
const mostBraces = 50

/**
 * The words that the text from `start` to `end` becomes. `nodes`: the substitutions in it, by their start. The text is
 * read character by character: a tree that takes two words for one, or one for two, is found out.
 */
export function readWords(
  source: string,
  start: number,
  end: number,
  nodes: ReadonlyMap<number, SyntaxNode>,
  expansions: Expansions,
): Word[] {
  const raw = source.slice(start, end)
  const atoms = new AtomReader(source, start, end, nodes, expansions).read()
  const plain = atoms.every((atom) => atom.free && !atom.expanded)
  const tilde = raw.startsWith("~")
  if (tilde && !/^~(?:\/|$)/.test(raw)) unreadable("another user's home directory")
  const made = braces(atoms).flatMap(fieldsOf)
  if (made.length > mostWords) unreadable("a word that becomes too many")
  return made.map((field) => ({ raw, from: start, tilde: tilde && field.value.startsWith("~"), plain, ...field }))
}

/** The same as one text, as an assignment or the target of a redirect takes it: nothing is split. */
export function readValue(
  source: string,
  start: number,
  end: number,
  nodes: ReadonlyMap<number, SyntaxNode>,
  expansions: Expansions,
): Value {
  const atoms = new AtomReader(source, start, end, nodes, expansions).read()
  return { text: atoms.map((atom) => atom.text).join(""), glob: atoms.some((atom) => atom.glob) }
}

class AtomReader {
  #at: number
  readonly #atoms: Atom[] = []

  constructor(
    private readonly source: string,
    start: number,
    private readonly end: number,
    private readonly nodes: ReadonlyMap<number, SyntaxNode>,
    private readonly expansions: Expansions,
  ) {
    this.#at = start
  }

  read(): Atom[] {
    while (this.#at < this.end) this.#free()
    if (this.#at !== this.end) unreadable("a word that is not understood")
    return this.#atoms
  }

  #add(text: string, free: boolean, more: Omit<Atom, "text" | "free"> = {}): void {
    this.#atoms.push({ text, free, ...more })
  }

  #free(): void {
    const { source } = this
    const char = source[this.#at]!
    const next = source[this.#at + 1]
    if (char === "'") return this.#single()
    if (char === '"') return this.#double()
    if (char === "\\") {
      if (next === undefined || this.#at + 1 >= this.end) unreadable("a backslash at the end")
      if (next !== "\n") this.#add(printable(next!), false)
      this.#at += 2
      return
    }
    if (char === "$" && next === "'") return this.#escaped()
    if (char === "$" && next === '"') {
      this.#at++
      return this.#double()
    }
    if (char === "$" || char === "`") return this.#expansion(true)
    if ((char === "<" || char === ">") && next === "(") return this.#substitution(true)
    if (" \t\n;&|<>()".includes(char)) unreadable("a word that is not understood")
    this.#add(printable(char), true)
    this.#at++
  }

  #single(): void {
    const end = this.source.indexOf("'", this.#at + 1)
    if (end < 0 || end >= this.end) unreadable("an open quote")
    this.#add(this.source.slice(this.#at + 1, end), false)
    this.#at = end + 1
  }

  #double(): void {
    const { source } = this
    if (source.startsWith('"$@"', this.#at) && this.expansions.positional?.length === 0) return void (this.#at += 4)
    this.#add("", false)
    for (this.#at++; ;) {
      const char = source[this.#at]
      if (char === undefined || this.#at >= this.end) unreadable("an open quote")
      if (char === '"') return void this.#at++
      if (char === "$" || char === "`") {
        this.#expansion(false)
        continue
      }
      if (char === "\\") {
        const next = source[this.#at + 1] ?? unreadable("an open quote")
        if (next !== "\n") this.#add('$`"\\'.includes(next) ? next : `\\${next}`, false)
        this.#at += 2
        continue
      }
      this.#add(char!, false)
      this.#at++
    }
  }

  #escaped(): void {
    let end = this.#at + 2
    while (end < this.end && this.source[end] !== "'") end += this.source[end] === "\\" ? 2 : 1
    if (end >= this.end) unreadable("an open quote")
    this.#add(unescape(this.source.slice(this.#at + 2, end)), false)
    this.#at = end + 1
  }

  /** At a `$` or a backtick. */
  #expansion(free: boolean): void {
    const { source } = this
    if (source[this.#at] === "`" || /^\$(?:\(\(|\(|\[)/.test(source.slice(this.#at, this.#at + 3)))
      return this.#substitution(free)
    if (source[this.#at + 1] === "{") return this.#braced(free)
    const name = /^\$([A-Za-z_]\w*|[0-9@*#?$!-])/.exec(source.slice(this.#at, Math.min(this.end, this.#at + 200)))?.[1]
    this.#at += 1 + (name?.length ?? 0)
    if (name === undefined) return this.#add("$", free)
    if (free) this.#add("", true, { expanded: true, open: true })
    this.#value(name, free)
  }

  #value(name: string, free: boolean): void {
    if (name !== "@" && name !== "*") {
      const value = this.expansions.variable(name)
      return this.#add(value.text, free, { expanded: true, ...(value.glob && { glob: true }) })
    }
    const { positional } = this.expansions
    if (positional === undefined) return this.#add(hole, free, { expanded: true, ends: name === "@" && !free })
    for (const [index, text] of positional.entries()) {
      const last = index === positional.length - 1
      if (name === "*" && !free) this.#add(last ? text : `${text} `, free, { expanded: true })
      else this.#add(text, free, { expanded: true, ends: !last })
    }
  }

  #node(): SyntaxNode {
    const node = this.nodes.get(this.#at)
    if (!node || node.end > this.end) return unreadable("a substitution that is not understood")
    this.#at = node.end
    return node
  }

  #substitution(free: boolean): void {
    const node = this.#node()
    if (node.type === "arithmetic_expansion") {
      this.expansions.calculate(node)
      return this.#add(digits, free, { expanded: true })
    }
    const output = this.expansions.substitute(node)
    this.#add(output, free && node.type !== "process_substitution", { expanded: true })
  }

  #braced(free: boolean): void {
    const node = this.#node()
    if (node.type !== "expansion") unreadable("a substitution that is not understood")
    const text = this.source.slice(node.start, node.end)
    const simple = /^\$\{(?:([A-Za-z_]\w*|[0-9]+|[@*#?$!-])|([A-Za-z_]\w*)\[[@*]\])\}$/.exec(text)
    if (simple?.[1] !== undefined) return this.#value(simple[1], free)
    if (simple?.[2] !== undefined) return this.#add(hole, free, { expanded: true, ends: !free })
    this.expansions.calculate(node)
    if (/^\$\{#[\w@*[\]]+\}$/.test(text)) return this.#add(digits, free, { expanded: true })
    const fallback = /^\$\{(\w+):?-([\w./@%+,=-]*)\}$/.exec(text)
    const known = fallback && this.expansions.variable(fallback[1]!)
    if (!known || hasHole(known.text)) return this.#add(hole, free, { expanded: true })
    this.#add(known.text === "" ? fallback[2]! : known.text, free, { expanded: true })
  }
}

/** A control character outside quotes is nothing that a person would write. */
function printable(char: string): string {
  return /[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(char) ? unreadable("a control character") : char
}

const letters: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" },
  ...{ "\\": "\\", "'": "'", '"': '"', "?": "?" },
}

/** The text of a `$'…'`. */
function unescape(body: string): string {
  return body.replaceAll(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (all: string, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      if (letter !== undefined) {
        if (letter === "c") unreadable("an escape in quotes")
        return letters[letter] ?? all
      }
      const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8)
      const byte = hex !== undefined || octal !== undefined
      if (!(code > 0 && code <= (byte ? 0x7f : 0x10_ffff)) || (code >= 0xd8_00 && code <= 0xdf_ff))
        unreadable("an escape in quotes")
      return String.fromCodePoint(code)
    },
  )
}

/** What `{a,b}` and `{1..3}` make of a word: words, of which there is one when there is nothing of the kind. */
function braces(atoms: readonly Atom[]): Atom[][] {
  if (atoms.reduce((sum, atom) => sum + (atom.text === "{" ? 1 : 0), 0) > mostBraces)
    unreadable("a word that becomes too many")
  const isFree = (index: number, char: string) => {
    const atom = atoms[index]
    return atom !== undefined && atom.free && !atom.expanded && atom.text === char
  }
  for (let open = 0; open < atoms.length; open++) {
    if (!isFree(open, "{")) continue
    const cuts: number[] = [open]
    let depth = 0
    let close = -1
    for (let index = open; index < atoms.length && close < 0; index++) {
      if (isFree(index, "{")) depth++
      else if (isFree(index, "}") && --depth === 0) close = index
      else if (depth === 1 && isFree(index, ",")) cuts.push(index)
    }
    if (close < 0) continue
    const inner = atoms.slice(open + 1, close)
    const parts =
      cuts.length > 1
        ? cuts.map((cut, index) => atoms.slice(cut + 1, cuts[index + 1] ?? close))
        : rangeOf(inner.every((atom) => atom.free && !atom.expanded) ? inner.map((atom) => atom.text).join("") : "")
    if (!parts) continue
    if (atoms.some((atom) => atom.open)) unreadable("a list in brackets beside a variable")
    const tails = braces(atoms.slice(close + 1))
    const middles = parts.flatMap((part) => braces(part))
    if (tails.length * middles.length > mostWords) unreadable("a word that becomes too many")
    const head = atoms.slice(0, open)
    return middles.flatMap((middle) => tails.map((tail) => [...head, ...middle, ...tail]))
  }
  return [[...atoms]]
}

/** The texts of `1..5`, `01..10..2` or `a..e`; undefined for what is none of these. */
function rangeOf(text: string): Atom[][] | undefined {
  const [, from, to, by = "1"] = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(text) ?? []
  if (from === undefined || to === undefined) return undefined
  const isNumber = /\d$/.test(from)
  if (isNumber !== /\d$/.test(to)) return undefined
  const [first, last] = isNumber ? [Number(from), Number(to)] : [from.codePointAt(0)!, to.codePointAt(0)!]
  const step = Math.max(1, Math.abs(Number(by)))
  if (Math.abs(last - first) / step > mostWords) unreadable("a word that becomes too many")
  const width = isNumber && /^-?0\d|^-?0$/.test(from) ? from.length : 0
  const texts: Atom[][] = []
  for (let at = first; first <= last ? at <= last : at >= last; at += first <= last ? step : -step)
    texts.push([{ text: isNumber ? String(at).padStart(width, "0") : String.fromCodePoint(at), free: false }])
  return texts
}

interface Field {
  readonly value: string
  readonly glob: boolean
  readonly many?: boolean
}

/** Splits what expansions brought, and drops what has become nothing. */
function fieldsOf(atoms: readonly Atom[]): Field[] {
  const fields: Field[] = []
  let value = ""
  let begun = false
  let [glob, many] = [false, false]
  const flush = () => {
    if (begun) fields.push({ value, glob: glob && isPattern(value), ...(many && { many }) })
    value = ""
    begun = false
    glob = many = false
  }
  for (const atom of atoms) {
    if (atom.free && atom.expanded) {
      for (const [index, piece] of atom.text.split(/[ \t\n]+/).entries()) {
        if (index > 0) flush()
        if (piece === "") continue
        value += piece
        begun = true
        many ||= piece.includes(hole)
        glob ||= (atom.glob ?? false) || /[*?[]/.test(piece)
      }
    } else {
      value += atom.text
      begun = true
      glob ||= (atom.glob ?? false) || (atom.free && /[*?[]/.test(atom.text))
    }
    if (atom.ends) {
      if (atom.text === hole) many = true
      flush()
    }
  }
  flush()
  return fields
}

const isPattern = (text: string): boolean => /[*?]|\[[^\]]*\]/.test(text)

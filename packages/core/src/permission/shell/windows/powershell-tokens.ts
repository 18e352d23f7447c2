import { hole, type Word } from "../syntax.ts"
import { unreadable } from "../word-reader.ts"

/** A word of a PowerShell line, with its place. */
export interface PlacedWord {
  readonly start: number
  readonly end: number
  readonly word: Word
}

export interface PowershellTokens {
  /** The line with a `w` for every character of a word and of what it holds: only its structure is left. As long as the line. */
  readonly skeleton: string
  /** By their start. */
  readonly words: ReadonlyMap<number, PlacedWord>
  /** Files that are written. */
  readonly targets: readonly Word[]
}

/** Words of the language where a command could stand: they are left for the tree to judge. */
const reserved: ReadonlySet<string> = new Set([
  ..."if elseif else while try catch finally for foreach do until switch function filter workflow configuration".split(
    " ",
  ),
  ..."param begin process end dynamicparam clean trap throw return exit break continue data class enum using in".split(
    " ",
  ),
  ..."inlinescript parallel sequence var define from hidden static type module namespace assembly command".split(" "),
])

/** What may stand in a word without quotes. */
const plain = /[\p{L}\p{N}_./\\:=+%~*?[\]!^,#@-]/u
const home = /^\$(?:HOME|env:HOME|env:USERPROFILE)(?![\w.:[(])/i
/** A variable, with the names of parts of it. */
const variable = /^\$(?:\{[^}`]+\}|[\w?^$][\w:]*)(?:\.\w+|\[-?\d+\])*/
const singleQuotes = /[\u2018-\u201b]/
const doubleQuotes = /[\u201c-\u201e]/

/**
 * Cuts a PowerShell line into words and structure. Throws `Unreadable` for whatever is not plain: expressions, escapes,
 * calculations, lists, types. `homeText`: what `$HOME` holds.
 */
export function powershellTokens(line: string, homeText: string): PowershellTokens {
  return new Cutter(line, homeText).cut()
}

class Cutter {
  #at = 0
  #skeleton = ""
  /** A command could begin here. */
  #fresh = true
  /** The call operator stands in front: a quoted text is the name of a command. */
  #called = false
  readonly #words = new Map<number, PlacedWord>()
  readonly #targets: Word[] = []

  constructor(
    private readonly line: string,
    private readonly home: string,
  ) {}

  cut(): PowershellTokens {
    while (this.#at < this.line.length) this.#token()
    return { skeleton: this.#skeleton, words: this.#words, targets: this.#targets }
  }

  #token(): void {
    const rest = this.line.slice(this.#at)
    const space = /^(?:[ \t]+|`\r?\n)/.exec(rest)?.[0]
    if (space !== undefined) return this.#blank(space.length)
    const end = /^\r?\n/.exec(rest)?.[0]
    if (end !== undefined) return this.#structure(end, end.replace("\r", " "))
    if (rest.startsWith("#")) return this.#blank(/^[^\n]*/.exec(rest)![0].length)
    const operator = /^(?:&&|\|\||\$\(|[;|&(){}])/.exec(rest)?.[0]
    if (operator !== undefined) return this.#structure(operator, operator)
    const redirect = /^(?:[1-6*])?>>?(?:&[12])?/.exec(rest)?.[0]
    if (redirect !== undefined) return this.#redirect(redirect)
    this.#word()
  }

  #blank(length: number): void {
    this.#at += length
    this.#skeleton += " ".repeat(length)
  }

  #structure(text: string, shown: string): void {
    const before = this.line[this.#at - 1] ?? " "
    if (/^[($&{]/.test(text) && !/[\s;|&(){}]/.test(before)) unreadable("a bracket that touches a word")
    this.#at += text.length
    this.#skeleton += shown
    this.#called = text === "&"
    this.#fresh = text !== ")" && text !== "&"
  }

  #redirect(operator: string): void {
    this.#blank(operator.length)
    if (operator.includes("&")) return
    this.#blank(/^[ \t]*/.exec(this.line.slice(this.#at))![0].length)
    const start = this.#at
    const word = this.#read()
    this.#skeleton += " ".repeat(this.#at - start)
    if (!/^(?:\$null|nul)$/i.test(word.raw)) this.#targets.push(word)
  }

  #word(): void {
    const start = this.#at
    const { line } = this
    if (start > 0 && !/[\s;|&({]/.test(line[start - 1]!)) unreadable("a word that touches a bracket")
    if (this.#fresh && !this.#called && !/[A-Za-z_./\\~?%]/.test(line[start]!)) unreadable("an expression")
    const word = this.#read()
    const { raw } = word
    const keyword = this.#fresh && reserved.has(raw.toLowerCase())
    this.#skeleton += keyword ? raw : "w".repeat(this.#at - start)
    if (!keyword) this.#words.set(start, { start, end: this.#at, word })
    this.#fresh = keyword
    this.#called = false
  }

  /** One word, from here to the next blank or bracket. */
  #read(): Word {
    const { line } = this
    const start = this.#at
    let value = ""
    let [whole, quoted, many] = [true, false, false]
    if (/^@['"]/.test(line.slice(start, start + 2))) {
      value = this.#hereString()
      quoted = true
    }
    while (this.#at < line.length && !/[\s;|&(){}<>]/.test(line[this.#at]!)) {
      const char = line[this.#at]!
      if (char === "'" || char === '"') {
        if (quoted || (start < this.#at && !line.startsWith("--", start))) unreadable("a quote within a word")
        whole &&= this.#at === start
        quoted = true
        value += char === "'" ? this.#single() : this.#double()
      } else if (quoted) unreadable("a word that touches a quote")
      else if (char === "$") {
        const [text, all] = this.#variable()
        many ||= this.#at - start === all.length
        value += text
      } else if (char === "@" && this.#at === start) unreadable("a list, or a variable that becomes many words")
      else if (!plain.test(char)) unreadable("a character that is not plain")
      else {
        value += char
        this.#at++
      }
    }
    const raw = line.slice(start, this.#at)
    if (raw === "") return unreadable("a syntax that is not understood")
    if (raw === "--%") unreadable("arguments that PowerShell does not read")
    // The names in a pattern are put in by the commands: quotes do not hold them back.
    const glob = /[*?[]/.test(value)
    const tilde = !(quoted && whole) && /^~(?:[/\\]|$)/.test(value)
    return { raw, value, glob, tilde, plain: !quoted && !raw.includes("$"), from: start, ...(many && { many }) }
  }

  #single(): string {
    const [text, body = ""] = /^'((?:[^']|'')*)'/.exec(this.line.slice(this.#at)) ?? unreadable("an open quote")
    if (singleQuotes.test(body)) unreadable("a quote of another kind")
    this.#at += text!.length
    return body.replaceAll("''", "'")
  }

  #double(): string {
    let value = ""
    for (this.#at++; ;) {
      const char = this.line[this.#at]
      if (char === undefined) return unreadable("an open quote")
      if (char === '"') {
        this.#at++
        if (this.line[this.#at] !== '"') return value
        value += '"'
        this.#at++
      } else if (char === "`") {
        const escaped = /^`[`"$]/.exec(this.line.slice(this.#at))?.[0] ?? unreadable("an escape in quotes")
        value += escaped[1]!
        this.#at += 2
      } else if (char === "$") value += this.#quotedVariable()
      else if (doubleQuotes.test(char)) return unreadable("a quote of another kind")
      else {
        value += char
        this.#at++
      }
    }
  }

  #quotedVariable(): string {
    const rest = this.line.slice(this.#at)
    if (rest.startsWith("$(")) return unreadable("a substitution in quotes")
    const own = home.exec(rest)?.[0]
    const name = own ?? /^\$(?:\{[^}`]+\}|[\w?^$][\w:]*)/.exec(rest)?.[0]
    this.#at += name?.length ?? 1
    return own === undefined ? (name === undefined ? "$" : hole) : this.home
  }

  /** What stands for a variable, and its text in the line. */
  #variable(): readonly [string, string] {
    const rest = this.line.slice(this.#at)
    const own = home.exec(rest)?.[0]
    const name = own ?? variable.exec(rest)?.[0] ?? unreadable("a variable that is not understood")
    this.#at += name.length
    if (/^[([.]/.test(this.line.slice(this.#at))) unreadable("a part of a variable that is calculated")
    if (own !== undefined) return [this.home, own]
    const constant = /^\$(true|false|null)$/i.exec(name)?.[1]
    return [constant ?? hole, name]
  }

  #hereString(): string {
    const rest = this.line.slice(this.#at)
    const [text, quote, body = ""] =
      /^@(['"])[ \t]*\r?\n([\s\S]*?)\r?\n\1@/.exec(rest) ?? unreadable("a here-string that is not understood")
    if (quote === '"' && /\$\(|`/.test(body)) unreadable("a substitution in quotes")
    this.#at += text!.length
    return quote === '"' && body.includes("$") ? hole : body
  }
}

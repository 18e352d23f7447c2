import { err, ok, type Result } from "@cairn/kernel/result"

/** A word as the shell will pass it on, and as it stood in the line. */
export interface Word {
  readonly raw: string
  readonly value: string
  /** Holds an unquoted `*`, `?` or `[`: it may become other words. */
  readonly glob: boolean
  /** Begins with an unquoted `~/`, or is `~`. */
  readonly tilde: boolean
  /** Nothing of it was quoted or replaced. */
  readonly plain: boolean
  /** Holds a number that only the running shell knows: `$?`. */
  readonly number?: boolean
}

export interface Redirect {
  readonly kind: "read" | "write"
  readonly target: Word
}

export type Separator = "&&" | "||" | ";" | "|" | "&"

export type Token =
  | { readonly type: "word"; readonly word: Word }
  | { readonly type: "separator"; readonly text: Separator }
  | { readonly type: "redirect"; readonly kind: Redirect["kind"] }
  | { readonly type: "newline" }
  | { readonly type: "open" }
  | { readonly type: "close" }

/** Variables whose values are known before the line runs. */
export type KnownVariables = Readonly<Partial<Record<"HOME" | "PWD", string>>>

/** The tokens of a line. What is neither plain nor quoted plainly is an error that names it, never a guess. */
export function tokensOf(line: string, variables: KnownVariables): Result<Token[], string> {
  return new Lexer(line, variables).tokens()
}

class Stop extends Error {}
const stop = (reason: string): never => {
  throw new Stop(reason)
}

class Lexer {
  #at = 0
  readonly #out: Token[] = []

  constructor(
    private readonly line: string,
    private readonly variables: KnownVariables,
  ) {}

  tokens(): Result<Token[], string> {
    try {
      while (this.#at < this.line.length) this.#next()
      return ok(this.#out)
    } catch (error) {
      if (error instanceof Stop) return err(error.message)
      throw error
    }
  }

  #next(): void {
    const { line } = this
    const char = line[this.#at]!
    if (char === " " || char === "\t") return void this.#at++
    if (char === "\n") return this.#push(1, { type: "newline" })
    if (char === "#") {
      const end = line.indexOf("\n", this.#at)
      this.#at = end < 0 ? line.length : end
      return
    }
    if (char === "\\" && line[this.#at + 1] === "\n") return void (this.#at += 2)
    if (line.startsWith("&&", this.#at)) return this.#push(2, { type: "separator", text: "&&" })
    if (line.startsWith("||", this.#at)) return this.#push(2, { type: "separator", text: "||" })
    if (line.startsWith(";;", this.#at)) return stop("a case statement")
    if (char === ";") return this.#push(1, { type: "separator", text: ";" })
    if (line.startsWith("|&", this.#at)) return this.#push(2, { type: "separator", text: "|" })
    if (char === "|") return this.#push(1, { type: "separator", text: "|" })
    if (/^(?:\d*[<>]|&>)/.test(line.slice(this.#at, this.#at + 12))) return this.#redirect()
    if (char === "&") return this.#push(1, { type: "separator", text: "&" })
    if (line.startsWith("((", this.#at)) return stop("arithmetic")
    if (char === "(") return this.#push(1, { type: "open" })
    if (char === ")") return this.#push(1, { type: "close" })
    this.#out.push({ type: "word", word: this.#word() })
  }

  #push(length: number, token: Token): void {
    this.#at += length
    this.#out.push(token)
  }

  #redirect(): void {
    const [operator = ""] = /^(?:&>>?|\d*(?:>>|>\||>&|<<<|<<-?|<>|<&|>|<))/.exec(this.line.slice(this.#at)) ?? []
    const kind = operator.replace(/^\d+/, "")
    this.#at += operator.length
    if (kind === ">&" || kind === "<&") {
      const [target] =
        /^(?:\d+|-)(?![^\s;&|<>])/.exec(this.line.slice(this.#at)) ?? stop("a redirect to a variable descriptor")
      this.#at += target!.length
      return
    }
    if (kind.startsWith("<<")) return stop("a here-document")
    if (kind === "<>") return stop("a redirect for reading and writing")
    if (this.line[this.#at] === "(") return stop("a process substitution")
    this.#out.push({ type: "redirect", kind: kind === "<" ? "read" : "write" })
  }

  #word(): Word {
    const { line } = this
    const start = this.#at
    let value = ""
    let [glob, brace, plain, number] = [false, false, true, false]
    for (; this.#at < line.length; this.#at++) {
      const char = line[this.#at]!
      if (" \t\n;&|<>()".includes(char)) break
      const known = char === "$" ? this.#known(false) : undefined
      if (char === "'") {
        value += this.#single()
        plain = false
      } else if (char === '"') {
        const quoted = this.#double()
        value += quoted.text
        number ||= quoted.number
        plain = false
      } else if (char === "$" && line[this.#at + 1] === "'") {
        value += this.#escaped()
        plain = false
      } else if (known !== undefined) {
        value += known
        number ||= known === "$?"
        plain = false
      } else if (char === "\\") {
        const next = line[this.#at + 1]
        if (next === undefined) stop("a backslash at the end")
        if (next !== "\n") value += printable(next!)
        this.#at++
        plain = false
      } else {
        this.#plainChar(char)
        glob ||= char === "*" || char === "?" || char === "["
        brace ||= char === "{" || char === "}"
        value += char
      }
    }
    const raw = line.slice(start, this.#at)
    if (line[this.#at] === "(") stop("a function or an extended pattern")
    if (brace && /,|\.\./.test(raw)) stop("a brace expansion")
    const tilde = raw.startsWith("~")
    if (tilde && !/^~(?:\/|$)/.test(raw)) stop("another user's home directory")
    return { raw, value, glob, tilde, plain, ...(number && { number }) }
  }

  /** The value of a known variable here, at whose last character it then stands. Undefined: none begins here. */
  #known(quoted: boolean): string | undefined {
    const match = /^\$(?:\?|\{(?:HOME|PWD)\}|(?:HOME|PWD)(?!\w))/.exec(this.line.slice(this.#at, this.#at + 8))
    if (!match) return undefined
    const [text] = match
    const value = text === "$?" ? text : this.variables[text.replaceAll(/[${}]/g, "") as keyof KnownVariables]
    // Outside quotes the shell splits a value at its spaces and expands its patterns.
    if (value === undefined || (!quoted && !/^[\w./@+,:$?-]+$/.test(value))) return stop("a variable or substitution")
    this.#at += text.length - 1
    return value
  }

  /** `$'…'` with the plain escapes only. */
  #escaped(): string {
    const [whole, body = ""] =
      /^\$'((?:[^'\\]|\\[nt\\'])*)'/.exec(this.line.slice(this.#at)) ?? stop("an escape in quotes")
    this.#at += whole!.length - 1
    return body.replaceAll(/\\([nt\\'])/g, (_, char: string) => (char === "n" ? "\n" : char === "t" ? "\t" : char))
  }

  #plainChar(char: string): void {
    if (char === "`") stop("a command substitution")
    if (char === "$" && this.#expands()) stop("a variable or substitution")
    printable(char)
  }

  /** Does the `$` here begin something that the shell replaces? */
  #expands(): boolean {
    return /^[\w({'"*@#?$!-]/.test(this.line.slice(this.#at + 1, this.#at + 2))
  }

  #single(): string {
    const end = this.line.indexOf("'", this.#at + 1)
    if (end < 0) stop("an open quote")
    const text = this.line.slice(this.#at + 1, end)
    this.#at = end
    return text
  }

  #double(): { text: string; number: boolean } {
    const { line } = this
    let text = ""
    let number = false
    for (this.#at++; this.#at < line.length; this.#at++) {
      const char = line[this.#at]!
      if (char === '"') return { text, number }
      if (char === "`") stop("a command substitution")
      const known = char === "$" ? this.#known(true) : undefined
      if (known !== undefined) {
        text += known
        number ||= known === "$?"
        continue
      }
      if (char === "$" && /^[\w({*@#?$!-]/.test(line.slice(this.#at + 1, this.#at + 2)))
        stop("a variable or substitution")
      if (char !== "\\") {
        text += char
        continue
      }
      const next = line[++this.#at]
      if (next === undefined) break
      if (next === "\n") continue
      text += '$`"\\'.includes(next) ? next : `\\${next}`
    }
    return stop("an open quote")
  }
}

/** A control character outside quotes is nothing that a person would write. */
function printable(char: string): string {
  return /[\0-\x08\x0b-\x1f\x7f]/.test(char) ? stop("a control character") : char
}

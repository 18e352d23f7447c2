import { err, ok, type Result } from "@cairn/kernel/result"

/** A word as the shell will pass it on, and as it stood in the line. */
export interface Word {
  readonly raw: string
  readonly value: string
  /** Holds an unquoted `*`, `?` or `[`: it may become other words. */
  readonly glob: boolean
  /** Begins with an unquoted `~/`, or is `~`. */
  readonly tilde: boolean
  /** Nothing of it was quoted. */
  readonly plain: boolean
}

export interface Redirect {
  readonly kind: "read" | "write"
  readonly target: Word
}

export type Separator = "&&" | "||" | ";" | "|"

/** One command between separators. `before` joins it to the one in front. */
export interface SimpleCommand {
  readonly before: Separator | undefined
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
}

type Token =
  | { readonly type: "word"; readonly word: Word }
  | { readonly type: "separator"; readonly text: Separator }
  | { readonly type: "redirect"; readonly kind: Redirect["kind"] }
  | { readonly type: "newline" }

/**
 * Splits a line of plain commands: words, quotes, `&&`, `||`, `;`, `|`, line ends, simple redirects, comments. Anything
 * else is an error that names what was not understood, never a guess.
 */
export function splitCommands(line: string): Result<SimpleCommand[], string> {
  const tokens = new Lexer(line).tokens()
  return tokens.ok ? group(tokens.value) : tokens
}

function group(tokens: readonly Token[]): Result<SimpleCommand[], string> {
  const commands: SimpleCommand[] = []
  let before: Separator | undefined
  let words: Word[] = []
  let redirects: Redirect[] = []
  const close = () => {
    if (words.length > 0) commands.push({ before, words, redirects })
    const empty = words.length === 0
    const loose = empty && redirects.length > 0
    words = []
    redirects = []
    return loose ? "a redirect without a command" : empty ? "an empty command" : undefined
  }
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    if (token.type === "word") words.push(token.word)
    if (token.type === "redirect") {
      const target = tokens[++index]
      if (target?.type !== "word") return err("a redirect without a target")
      redirects.push({ kind: token.kind, target: target.word })
    }
    if (token.type === "newline") {
      // After an operator a line end is only space; otherwise it ends the command.
      if (words.length === 0 && redirects.length === 0) continue
      const problem = close()
      if (problem) return err(problem)
      before = ";"
    }
    if (token.type === "separator") {
      const problem = close()
      if (problem) return err(problem)
      before = token.text
    }
  }
  if (words.length === 0 && redirects.length === 0)
    return before === undefined || before === ";" ? ok(commands) : err("an unfinished list")
  const problem = close()
  return problem ? err(problem) : ok(commands)
}

class Stop extends Error {}
const stop = (reason: string): never => {
  throw new Stop(reason)
}

class Lexer {
  #at = 0
  readonly #out: Token[] = []

  constructor(private readonly line: string) {}

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
    if (char === "&") return stop("a background job")
    if (char === "(" || char === ")") return stop("a subshell or function")
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
    let [glob, brace, plain] = [false, false, true]
    for (; this.#at < line.length; this.#at++) {
      const char = line[this.#at]!
      if (" \t\n;&|<>()".includes(char)) break
      if (char === "'") {
        value += this.#single()
        plain = false
      } else if (char === '"') {
        value += this.#double()
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
    return { raw, value, glob, tilde, plain }
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

  #double(): string {
    const { line } = this
    let text = ""
    for (this.#at++; this.#at < line.length; this.#at++) {
      const char = line[this.#at]!
      if (char === '"') return text
      if (char === "`") stop("a command substitution")
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

import { err, ok, type Result } from "@cairn/kernel/result"
import { type KnownVariables, type Redirect, type Separator, type Token, tokensOf, type Word } from "./shell-lexer.ts"

/** One command between separators. `before` joins it to the one in front. */
export interface SimpleCommand {
  readonly before: Separator | undefined
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  /** Subshells that begin in front of it, and that end behind it. */
  readonly opens: number
  readonly closes: number
}

interface Draft extends SimpleCommand {
  redirects: Redirect[]
  closes: number
}

/**
 * Splits a line of plain commands: words, quotes, `&&`, `||`, `;`, `|`, `&`, line ends, simple redirects, comments,
 * `( … )`, `{ …; }`, `!`, `if`, `while` and `until` around plain commands. Anything else is an error that names what was
 * not understood, never a guess.
 */
export function splitCommands(line: string, variables: KnownVariables = {}): Result<SimpleCommand[], string> {
  const tokens = tokensOf(line, variables)
  if (!tokens.ok) return tokens
  const grouping = new Grouping()
  for (const token of tokens.value) {
    const problem = grouping.take(token)
    if (problem !== undefined) return err(problem)
  }
  const problem = grouping.end()
  return problem === undefined ? ok(grouping.commands) : err(problem)
}

/** Words in front of a command that leave it what it is. */
const leading: ReadonlySet<string> = new Set(["if", "elif", "while", "until", "then", "else", "do", "{", "!"])
/** What ends a construct, and what may have begun it. */
const ends: Readonly<Record<string, readonly string[]>> = { fi: ["if"], done: ["while", "until"], "}": ["{"] }
const middles: ReadonlySet<string> = new Set(["elif", "then", "else", "do"])
const deepest = 100

class Grouping {
  readonly commands: Draft[] = []
  #before: Separator | undefined
  #words: Word[] = []
  #redirects: Redirect[] = []
  #opens = 0
  /** What is open: `(`, or the word that began a construct. */
  readonly #open: string[] = []
  /** A group has just ended: only a redirect or a separator may follow. */
  #ended = false
  #awaits: Redirect["kind"] | undefined
  #redirectedGroup = false

  /** Returns what is wrong with the line. */
  take(token: Token): string | undefined {
    if (this.#awaits !== undefined && token.type !== "word") return "a redirect without a target"
    if (token.type === "word") return this.#word(token.word)
    if (token.type === "redirect") {
      this.#awaits = token.kind
      return undefined
    }
    if (token.type === "open") return this.#begin()
    if (token.type === "close") return this.#close()
    // After an operator a line end is only space; otherwise it ends the command.
    const newline = token.type === "newline"
    if (newline && this.#words.length === 0 && this.#redirects.length === 0 && !this.#ended) return undefined
    const problem = this.#finish(newline)
    if (problem !== undefined) return problem
    this.#before = newline ? ";" : token.text
    return undefined
  }

  end(): string | undefined {
    if (this.#awaits !== undefined) return "a redirect without a target"
    const empty = this.#words.length === 0 && this.#redirects.length === 0 && !this.#ended
    const done = this.#before === undefined || this.#before === ";" || this.#before === "&"
    const problem = empty ? (done ? undefined : "an unfinished list") : this.#finish(true)
    if (problem !== undefined) return problem
    if (this.#open.length > 0) return `an open ${this.#open.at(-1)}`
    const changes = this.commands.some((command) => command.words[0]!.value === "cd")
    return this.#redirectedGroup && changes ? "a redirect of a group that changes the directory" : undefined
  }

  #word(word: Word): string | undefined {
    if (this.#awaits !== undefined) {
      const redirect = { kind: this.#awaits, target: word }
      this.#awaits = undefined
      if (this.#ended) return this.#redirectGroup([redirect])
      this.#redirects.push(redirect)
      return undefined
    }
    if (this.#ended) return "a word behind a group"
    this.#words.push(word)
    return undefined
  }

  #redirectGroup(redirects: readonly Redirect[]): string | undefined {
    this.#redirectedGroup ||= redirects.length > 0
    this.commands.at(-1)?.redirects.push(...redirects)
    return undefined
  }

  #begin(): string | undefined {
    const problem = this.#strip()
    if (problem !== undefined) return problem
    if (this.#words.length > 0 || this.#redirects.length > 0 || this.#ended) return "a function or a bracket"
    if (this.#open.push("(") > deepest) return "too deep a nesting"
    this.#opens++
    return undefined
  }

  #close(): string | undefined {
    const pending = this.#words.length > 0 || this.#redirects.length > 0 || this.#ended
    const problem = pending ? this.#finish(true) : undefined
    if (problem !== undefined) return problem
    if (this.#open.pop() !== "(" || this.#opens > 0) return "a bracket that does not fit"
    if (!pending && this.#before !== ";" && this.#before !== "&") return "an unfinished list"
    this.commands.at(-1)!.closes++
    this.#ended = true
    this.#before = undefined
    return undefined
  }

  /** Takes the words of constructs away from the front of a command. */
  #strip(): string | undefined {
    for (;;) {
      const [first] = this.#words
      if (!first?.plain || !leading.has(first.value)) return undefined
      const word = first.value
      if (word === "!" && this.#before === "|") return "the shell word !"
      if (middles.has(word) && (this.#open.at(-1) ?? "(") === "(") return `the shell word ${word}`
      if (word in starts && this.#open.push(word) > deepest) return "too deep a nesting"
      this.#words.shift()
    }
  }

  #finish(mayBeEmpty: boolean): string | undefined {
    if (this.#ended) {
      this.#ended = false
      return undefined
    }
    const had = this.#words.length
    const problem = this.#strip()
    if (problem !== undefined) return problem
    const [first] = this.#words
    if (!first) {
      if (this.#redirects.length > 0) return "a redirect without a command"
      // `then` and its like may stand alone on their line.
      return had > 0 && mayBeEmpty ? undefined : "an empty command"
    }
    const began = first.plain && Object.hasOwn(ends, first.value) ? ends[first.value]! : undefined
    if (began) {
      const fits = this.#words.length === 1 && began.includes(this.#open.pop() ?? "") && this.#opens === 0
      if (!fits) return `the shell word ${first.value}`
      this.#redirectGroup(this.#redirects)
    } else {
      const loops = this.#open.includes("while") || this.#open.includes("until")
      if (loops && first.value === "cd") return "a cd in a loop"
      const command = { words: this.#words, redirects: this.#redirects, opens: this.#opens, closes: 0 }
      this.commands.push({ before: this.#before, ...command })
      this.#opens = 0
    }
    this.#words = []
    this.#redirects = []
    return undefined
  }
}

const starts: Readonly<Record<string, true>> = { if: true, while: true, until: true, "{": true }

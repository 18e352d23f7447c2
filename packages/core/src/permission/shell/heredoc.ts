import { err, ok, type Result } from "@cairn/kernel/result"

export interface Heredoc {
  readonly body: string
  /** The delimiter was quoted: nothing in the body is replaced. */
  readonly quoted: boolean
}

export interface Cut {
  /** The line with `<_` for every here-document, without its body, and without backslashes at line ends. */
  readonly text: string
  /** By the place of the `<` in `text`. */
  readonly heredocs: ReadonlyMap<number, Heredoc>
  /** What stands in the line where `text` has the characters from `start` to `end`. */
  original(start: number, end: number): string
}

const mostHeredocs = 100
const deepest = 100

/**
 * Takes the here-documents out of a line, as bash reads them. Whoever parses the rest has to find a redirect at every
 * place in `heredocs`; where there is none, the two disagree about the quoting and the line is not understood.
 */
export function cutHeredocs(line: string): Result<Cut, string> {
  try {
    return ok(new Scanner(line).scan())
  } catch (error) {
    if (error instanceof Stop) return err(error.message)
    throw error
  }
}

/** Where in `text` the substitution ends that begins at `from` (behind its `$(`): the place of its `)`. Undefined: nowhere. */
export function substitutionEnd(text: string, from: number): number | undefined {
  try {
    return new Scanner(text).end(from)
  } catch (error) {
    if (error instanceof Stop) return undefined
    throw error
  }
}

class Stop extends Error {}
const stop = (reason: string): never => {
  throw new Stop(reason)
}

/** `command`: words and operators. `quoted`: between `"`. `brace`: in `${`. `sum`: in `$((`. */
type Kind = "command" | "quoted" | "brace" | "sum"

interface Pending {
  readonly at: number
  readonly delimiter: string
  readonly quoted: boolean
  readonly tabs: boolean
}

interface Frame {
  readonly kind: Kind
  parens: number
  pending: Pending[]
}

class Scanner {
  #at = 0
  #out = ""
  /** Nothing of a word stands before this place. */
  #fresh = true
  readonly #heredocs = new Map<number, Heredoc>()
  readonly #shifts: { out: number; line: number }[] = []
  readonly #frames: Frame[] = [{ kind: "command", parens: 0, pending: [] }]

  constructor(private readonly line: string) {}

  scan(): Cut {
    while (this.#at < this.line.length) this.#step()
    if (this.#frames.length > 1) stop("an open quote or bracket")
    if (this.#frame.pending.length > 0) stop("an unfinished here-document")
    return {
      text: this.#out,
      heredocs: this.#heredocs,
      original: (start, end) =>
        this.line.slice(this.#origin(start), end > start ? this.#origin(end - 1) + 1 : undefined),
    }
  }

  /** Where a character of `#out` stands in the line. */
  #origin(at: number): number {
    let [low, high] = [0, this.#shifts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#shifts[middle]!.out <= at) low = middle + 1
      else high = middle
    }
    const shift = this.#shifts[low - 1]
    return shift ? shift.line + at - shift.out : at
  }

  /** From here on the two texts lie differently. */
  #shift(): void {
    this.#shifts.push({ out: this.#out.length, line: this.#at })
  }

  end(from: number): number | undefined {
    this.#at = from
    this.#push("command")
    while (this.#at < this.line.length) {
      this.#step()
      if (this.#frames.length === 1) return this.#at - 1
    }
    return undefined
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!
  }

  #step(): void {
    if (this.#frame.kind === "command") this.#command()
    else this.#inside(this.#frame)
  }

  #copy(length: number, fresh = false): void {
    this.#out += this.line.slice(this.#at, this.#at + length)
    this.#at += length
    this.#fresh = fresh
  }

  #push(kind: Kind): void {
    if (this.#frames.push({ kind, parens: 0, pending: [] }) > deepest) stop("too deep a nesting")
  }

  #pop(): void {
    if (this.#frames.pop()!.pending.length > 0) stop("an unfinished here-document")
  }

  #command(): void {
    const { line } = this
    const char = line[this.#at]!
    if (this.#shared(char)) return
    if (char === "'") return this.#copyTo("'", this.#at + 1)
    if (line.startsWith("$'", this.#at)) return this.#escaped()
    if (char === "#" && this.#fresh) {
      const end = line.indexOf("\n", this.#at)
      return this.#copy((end < 0 ? line.length : end) - this.#at, true)
    }
    if (char === "\n") return this.#newline()
    if (char === "(") {
      this.#frame.parens++
      return this.#copy(1, true)
    }
    if (char === ")") {
      const nested = this.#frames.length > 1
      if (nested && this.#frame.parens === 0) {
        this.#pop()
        return this.#copy(1)
      }
      this.#frame.parens = Math.max(0, this.#frame.parens - 1)
      return this.#copy(1, true)
    }
    if (line.startsWith("<<<", this.#at)) return this.#copy(3, true)
    if (line.startsWith("<<", this.#at)) return this.#operator()
    if (/^[<>]\(/.test(line.slice(this.#at, this.#at + 2))) {
      this.#copy(2, true)
      return this.#push("command")
    }
    // A bracket in a pattern of `case` would end the substitution too early.
    if (this.#frames.length > 1 && this.#fresh && /^case\s/.test(line.slice(this.#at, this.#at + 5)))
      stop("a case statement in a substitution")
    this.#copy(1, /[\s;&|<>]/.test(char))
  }

  /** Within quotes, `${` and `$((`. */
  #inside(frame: Frame): void {
    const { line } = this
    const char = line[this.#at]!
    if (frame.kind === "quoted" && char === '"') {
      this.#pop()
      return this.#copy(1)
    }
    if (this.#shared(char)) return
    const quoted = this.#frames.some((one) => one.kind === "quoted")
    if (char === "\n" && this.#frames.some((one) => one.pending.length > 0)) stop("a here-document around a quote")
    if (frame.kind === "brace" && char === "}") {
      this.#pop()
      return this.#copy(1)
    }
    if (frame.kind === "brace" && !quoted && line.startsWith("$'", this.#at)) return this.#escaped()
    if (frame.kind === "brace" && char === "'") {
      // Whether it quotes here depends on the shell.
      if (quoted) stop("a quote in an expansion")
      return this.#copyTo("'", this.#at + 1)
    }
    if (frame.kind === "sum" && char === "(") frame.parens++
    if (frame.kind === "sum" && char === ")") {
      if (frame.parens-- === 0) this.#pop()
    }
    this.#copy(1)
  }

  /** What means the same in a command and within double quotes. */
  #shared(char: string): boolean {
    const { line } = this
    if (char === "\\") {
      if (line[this.#at + 1] !== "\n") this.#copy(2)
      else {
        this.#at += 2
        this.#shift()
      }
      return true
    }
    if (char === "`") {
      let end = this.#at + 1
      while (end < line.length && line[end] !== "`") end += line[end] === "\\" ? 2 : 1
      if (end >= line.length) stop("an open quote")
      this.#copy(end + 1 - this.#at)
      return true
    }
    if (char === '"') {
      this.#copy(1)
      this.#push("quoted")
      return true
    }
    if (char !== "$") return false
    for (const [text, kind] of openings) {
      if (!line.startsWith(text, this.#at)) continue
      this.#copy(text.length, true)
      this.#push(kind)
      if (kind === "sum") this.#frame.parens = 1
      return true
    }
    if (line[this.#at + 1] !== "#" && line[this.#at + 1] !== "$") return false
    this.#copy(2)
    return true
  }

  #copyTo(char: string, from: number): void {
    const end = this.line.indexOf(char, from)
    if (end < 0) stop("an open quote")
    this.#copy(end + 1 - this.#at)
  }

  #escaped(): void {
    let end = this.#at + 2
    while (end < this.line.length && this.line[end] !== "'") end += this.line[end] === "\\" ? 2 : 1
    if (end >= this.line.length) stop("an open quote")
    this.#copy(end + 1 - this.#at)
  }

  #operator(): void {
    const [text, tabs, raw] =
      /^<<(-?)[ \t]*((?:'[^'\n]*'|"[^"\n\\$`]*"|\\[^\n]|[^\s;&|<>()'"\\$`])+)/.exec(this.line.slice(this.#at)) ??
      stop("a here-document without a plain delimiter")
    if (this.#heredocs.size + this.#frame.pending.length >= mostHeredocs) stop("too many here-documents")
    this.#frame.pending.push({
      at: this.#out.length,
      delimiter: raw!.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, "$1$2$3"),
      quoted: /['"\\]/.test(raw!),
      tabs: tabs === "-",
    })
    this.#out += "<_"
    this.#at += text.length
    this.#shift()
    this.#fresh = false
  }

  #newline(): void {
    const own = this.#frame.pending
    if (this.#frames.some((frame) => frame !== this.#frame && frame.pending.length > 0))
      stop("a here-document around a substitution")
    this.#copy(1, true)
    this.#frame.pending = []
    for (const [index, one] of own.entries()) {
      if (index > 0) this.#at++
      this.#heredocs.set(one.at, this.#body(one))
    }
    if (own.length > 0) this.#shift()
  }

  #body({ delimiter, quoted, tabs }: Pending): Heredoc {
    const lines: string[] = []
    let joined = false
    while (this.#at < this.line.length) {
      const end = this.line.indexOf("\n", this.#at)
      const whole = this.line.slice(this.#at, end < 0 ? undefined : end)
      const text = tabs ? whole.replace(/^\t+/, "") : whole
      this.#at = end < 0 ? this.line.length : end
      if (text === delimiter) {
        // Whether it ends here depends on the shell when a backslash joins it to the line above.
        return joined ? stop("a here-document with a joined end") : { body: lines.join(""), quoted }
      }
      if (this.#frames.length > 1 && text.startsWith(delimiter) && text.slice(delimiter.length).trim().startsWith(")"))
        stop("a here-document that ends in a bracket")
      lines.push(`${text}\n`)
      joined = !quoted && (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1
      if (end >= 0) this.#at++
    }
    return stop("an unfinished here-document")
  }
}

const openings: readonly (readonly [string, Kind])[] = [
  ["$((", "sum"],
  ["$(", "command"],
  ["${", "brace"],
]

/**
 * A source file seen in three ways, all of the source's length with its line ends in place, so that an
 * offset means the same in each: `code` has comments and the insides of strings, templates and regular
 * expressions blanked, `strings` only comments, `comments` everything but comments.
 */
export interface Scan {
  readonly code: string
  readonly strings: string
  readonly comments: string
  /** String literals without substitution, in order: offset of the opening quote and the raw text inside. */
  readonly literals: readonly { readonly at: number; readonly value: string }[]
}

type Kind = "code" | "quote" | "string" | "comment"

/** Splits TypeScript into code, strings and comments. Never throws: an unterminated string ends with its line. */
export function scan(source: string): Scan {
  const scanner = new Scanner(source)
  scanner.run()
  return {
    code: scanner.keep("code", "quote"),
    strings: scanner.keep("code", "quote", "string"),
    comments: scanner.keep("comment"),
    literals: scanner.literals,
  }
}

const codes: Record<Kind, number> = { code: 0, quote: 1, string: 2, comment: 3 }
const wordBeforeRegex = new Set(
  "return typeof case in of delete void throw new else do await yield instanceof".split(" "),
)

class Scanner {
  readonly literals: { at: number; value: string }[] = []
  readonly #source: string
  readonly #kinds: Uint8Array
  #at = 0

  constructor(source: string) {
    this.#source = source
    this.#kinds = new Uint8Array(source.length)
  }

  run(): void {
    if (this.#source.startsWith("#!")) this.#mark("comment", this.#lineEnd(0))
    while (this.#at < this.#source.length) this.#code(false)
  }

  /** The source with every other kind blanked. */
  keep(...kinds: Kind[]): string {
    const wanted = new Set(kinds.map((kind) => codes[kind]))
    let text = ""
    for (let at = 0; at < this.#source.length; at++) {
      const char = this.#source.charAt(at)
      text += wanted.has(this.#kinds[at] ?? 0) || char === "\n" || char === "\r" ? char : " "
    }
    return text
  }

  /** Reads code to the end, or inside a template to the brace that ends the substitution. */
  #code(inTemplate: boolean): void {
    let depth = 0
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at)
      const next = this.#source.charAt(this.#at + 1)
      if (char === "/" && next === "/") this.#mark("comment", this.#lineEnd(this.#at))
      else if (char === "/" && next === "*") this.#mark("comment", this.#after("*/", this.#at + 2))
      else if (char === '"' || char === "'") this.#string(char)
      else if (char === "`") this.#template()
      else if (char === "/" && this.#regexMayStart()) this.#regex()
      else {
        if (char === "{") depth++
        if (char === "}" && inTemplate && depth-- === 0) return
        this.#at++
      }
    }
  }

  #string(quote: string): void {
    const start = this.#at
    let end = start + 1
    while (end < this.#source.length) {
      const char = this.#source.charAt(end)
      if (char === quote || char === "\n") break
      end += char === "\\" ? 2 : 1
    }
    end = Math.min(end, this.#source.length)
    this.#literal(start, end)
    this.#mark("quote", start + 1)
    this.#mark("string", end)
    if (this.#source.charAt(end) === quote) this.#mark("quote", end + 1)
  }

  #template(): void {
    const start = this.#at
    let plain = true
    this.#mark("quote", start + 1)
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at)
      if (char === "`") {
        if (plain) this.#literal(start, this.#at)
        return this.#mark("quote", this.#at + 1)
      }
      if (char === "$" && this.#source.charAt(this.#at + 1) === "{") {
        plain = false
        this.#mark("quote", this.#at + 2)
        this.#code(true)
        this.#mark("quote", Math.min(this.#at + 1, this.#source.length))
      } else this.#mark("string", Math.min(this.#at + (char === "\\" ? 2 : 1), this.#source.length))
    }
  }

  #regex(): void {
    const line = this.#lineEnd(this.#at)
    let end = this.#at + 1
    let inClass = false
    while (end < line) {
      const char = this.#source.charAt(end)
      if (char === "[") inClass = true
      else if (char === "]") inClass = false
      else if (char === "/" && !inClass) break
      end += char === "\\" ? 2 : 1
    }
    // No closing slash on the line: it was a division after all.
    if (end >= line) return void this.#at++
    this.#mark("quote", this.#at + 1)
    this.#mark("string", end)
    this.#mark("quote", end + 1)
  }

  /** A slash starts a regular expression where an operand is expected: after an operator or certain words. */
  #regexMayStart(): boolean {
    let before = this.#at - 1
    while (before >= 0 && (this.#kinds[before] === codes.comment || /\s/.test(this.#source.charAt(before)))) before--
    if (before < 0) return true
    if (this.#kinds[before] !== codes.code) return false
    const char = this.#source.charAt(before)
    if (/[\w$]/.test(char)) {
      const word = /[\w$.]+$/.exec(this.#source.slice(Math.max(0, before - 20), before + 1))?.[0] ?? ""
      return wordBeforeRegex.has(word)
    }
    const doubled = (char === "+" || char === "-") && this.#source.charAt(before - 1) === char
    return !doubled && char !== "<" && "(,=:[!&|?{};+-*%~^>".includes(char)
  }

  #literal(start: number, end: number): void {
    this.literals.push({ at: start, value: this.#source.slice(start + 1, end) })
  }

  #mark(kind: Kind, end: number): void {
    this.#kinds.fill(codes[kind], this.#at, end)
    this.#at = end
  }

  #lineEnd(from: number): number {
    const end = this.#source.indexOf("\n", from)
    return end === -1 ? this.#source.length : end
  }

  #after(mark: string, from: number): number {
    const at = this.#source.indexOf(mark, from)
    return at === -1 ? this.#source.length : at + mark.length
  }
}

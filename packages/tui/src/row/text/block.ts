import type { Token, Tokens } from "marked"
import { expandTabs, type Safe, type Source, ui } from "../../terminal/sanitize.ts"
import { codeLines } from "./code.ts"
import type { Drawing, Margin } from "./drawing.ts"
import type { Flow } from "./flow.ts"
import type { Inside } from "./highlight.ts"
import { inlineLines } from "./inline.ts"
import { Locator } from "./locator.ts"
import type { Span, Style, Tone } from "./span.ts"

/** How a heading looks by its depth; deeper ones as the last. */
const headings: readonly Style[] = [
  { tone: "heading", bold: true, underline: true },
  { tone: "heading", bold: true },
  { tone: "heading", italic: true },
]
const muted = (text: Safe): Span => ({ text, style: { tone: "muted" } })

/** What a block of Markdown is drawn from, by the token that the lexer made of `source`. */
export function blockFlows(token: Token, source: Source, glyphs: Drawing["glyphs"]): Flow[] {
  const builder = new Builder(source, glyphs)
  builder.block(token as Tokens.Generic)
  return builder.flows
}

/** One item of a list, with the number that it has; undefined for a bullet. */
export function itemFlows(
  item: Tokens.ListItem,
  number: number | undefined,
  source: Source,
  glyphs: Drawing["glyphs"],
): Flow[] {
  const builder = new Builder(source, glyphs)
  builder.item(item, number)
  return builder.flows
}

/** Lines of a fence, and what they end in the middle of. `at` is where they stand in the block's source. */
export function fenceFlows(code: Source, language: string, at: number, inside: Inside | undefined) {
  const found = codeLines(code, language, at, inside)
  const margin: Margin = { first: [{ text: ui`  ` }], rest: [{ text: ui`  ` }] }
  const flows = found.lines.map((spans): Flow => ({ kind: "text", spans, margin, mode: "character" }))
  return { flows, inside: found.inside }
}

class Builder {
  readonly flows: Flow[] = []
  readonly #locator: Locator
  readonly #glyphs: Drawing["glyphs"]
  /** Before every line, and before the next one if that differs. */
  #rest: readonly Span[] = []
  #first: readonly Span[] | undefined

  constructor(source: Source, glyphs: Drawing["glyphs"]) {
    this.#locator = new Locator(source)
    this.#glyphs = glyphs
  }

  block(token: Tokens.Generic): void {
    switch (token.type) {
      case "heading":
        return this.#inline(token.tokens ?? [], headings[Math.min(Number(token["depth"]), headings.length) - 1])
      case "code":
        return this.#code(String(token["text"]) as Source, String(token["lang"] ?? ""))
      case "blockquote":
        return this.#within([muted(ui`${this.#glyphs.bar} `)], () => this.#blocks(token.tokens ?? []))
      case "list":
        return this.#list(token as Tokens.List)
      case "table":
        return this.#table(token as Tokens.Table)
      case "hr":
        return void this.flows.push({ kind: "rule", margin: this.#margin() })
      case "html":
      case "def":
        return this.#verbatim(token.raw.replace(/\n+$/, ""), "muted")
      case "space":
      case "checkbox":
        return undefined
      default:
        return token.tokens === undefined ? this.#verbatim(token.raw, "text") : this.#inline(token.tokens)
    }
  }

  item(item: Tokens.ListItem, number: number | undefined): void {
    const mark = number === undefined ? ui`${this.#glyphs.bullet} ` : ui`${number}. `
    const box = item.task ? (item.checked ? ui`[x] ` : ui`[ ] `) : ui``
    const room = " ".repeat([...mark, ...box].length) as Safe
    const outer = this.#rest
    this.#first = [...(this.#first ?? outer), muted(mark), ...(item.task ? [{ text: box }] : [])]
    this.#rest = [...outer, { text: room }]
    const before = this.flows.length
    this.#blocks(item.tokens)
    if (this.flows.length === before) this.#push([], "word")
    this.#rest = outer
  }

  /** Blocks inside of another: an empty line where there was one. */
  #blocks(tokens: readonly Token[]): void {
    for (const [at, token] of tokens.entries()) {
      if (token.type === "space" && at > 0 && at < tokens.length - 1) this.#push([], "word")
      else this.block(token as Tokens.Generic)
    }
  }

  #list({ items, ordered, start }: Tokens.List): void {
    for (const [at, item] of items.entries()) this.item(item, ordered ? Number(start) + at : undefined)
  }

  #inline(tokens: readonly Token[], style?: Style): void {
    for (const spans of inlineLines(tokens, this.#locator, style)) this.#push(spans, "word")
  }

  #code(code: Source, language: string): void {
    this.#within([{ text: ui`  ` }], () => {
      // Inside of a list or a quote its lines stand apart in the source.
      const whole = this.#locator.find(code)
      const { lines } = codeLines(code, language, whole)
      for (const spans of lines) this.#push(spans, "character")
    })
  }

  #verbatim(text: string, tone: Tone): void {
    for (const line of text.split("\n")) {
      const at = this.#locator.find(line)
      const drawn = expandTabs(line as Source)
      const length = drawn === line ? {} : { length: line.length }
      this.#push([{ text: drawn, style: { tone }, ...(at === undefined ? {} : { at, ...length }) }], "word")
    }
  }

  #table({ header, rows, align }: Tokens.Table): void {
    const cell = ({ tokens }: Tokens.TableCell) => inlineLines(tokens, this.#locator)
    const table = { header: header.map(cell), rows: rows.map((row) => row.map(cell)), align }
    this.flows.push({ kind: "table", table, margin: this.#margin() })
  }

  #within(margin: readonly Span[], work: () => void): void {
    const outer = this.#rest
    if (this.#first !== undefined) this.#first = [...this.#first, ...margin]
    this.#rest = [...outer, ...margin]
    work()
    this.#rest = outer
  }

  #push(spans: readonly Span[], mode: "word" | "character"): void {
    this.flows.push({ kind: "text", spans, margin: this.#margin(), mode })
  }

  #margin(): Margin {
    const margin = { first: this.#first ?? this.#rest, rest: this.#rest }
    this.#first = undefined
    return margin
  }
}

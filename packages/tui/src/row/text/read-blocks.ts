import { Lexer, type Token, type Tokens } from "marked"
import type { Source } from "../../terminal/sanitize.ts"
import { blockFlows, fenceFlows, itemFlows } from "./block.ts"
import type { Drawing } from "./drawing.ts"
import type { Flow } from "./flow.ts"
import type { Inside } from "./highlight.ts"

/** A block of Markdown: one row of the transcript. */
export interface Block {
  /** Its lines of the text; `to` is not one of them. Count from 0. */
  readonly from: number
  readonly to: number
  /** What is copied of it; places in spans count from its start. */
  readonly source: Source
  /** Empty rows above it. */
  readonly gap: 0 | 1
  readonly flows: readonly Flow[]
}

/** What a block has to know of those before it. Reading may begin at any block with this. */
export interface Before {
  readonly gap: 0 | 1
  /** It is in the middle of a fence. */
  readonly fence?: { readonly mark: string; readonly language: string; readonly inside: Inside | undefined }
  /** It goes on with a list; the number of its first item. */
  readonly list?: { readonly number: number | undefined }
}

/** Before the first block of a text. */
export const atStart: Before = { gap: 0 }

export interface ReadBlock extends Block {
  readonly before: Before
  /** Whether reading may begin here: whatever follows, nothing of it joins the blocks above. */
  readonly fresh: boolean
}

/** Rows of a fence in one block: one of thousands of lines is many, drawn without a seam. */
const chunk = 40
const opening = /^ {0,3}(?<mark>`{3,}(?=[^`]*$)|~{3,})(?<info>.*)$/
const blankLine = /^[ \t]*$/

/** The blocks of a text that begins at line `first`, where `before` says what came before it. */
export function readBlocks(text: Source, first: number, before: Before, glyphs: Drawing["glyphs"]): ReadBlock[] {
  const reader = new Reader(text, first, glyphs)
  reader.read(before)
  return reader.blocks
}

class Reader {
  readonly blocks: ReadBlock[] = []
  readonly #lines: readonly string[]
  readonly #first: number
  readonly #glyphs: Drawing["glyphs"]
  #at = 0
  #tokens: ReadonlyMap<number, Token> = new Map()

  constructor(text: Source, first: number, glyphs: Drawing["glyphs"]) {
    this.#lines = text.split("\n")
    this.#first = first
    this.#glyphs = glyphs
  }

  read(before: Before): void {
    if (before.fence !== undefined) this.#fence(before.fence, before.gap)
    let next: Before | undefined = before.fence === undefined ? before : undefined
    while (this.#skipBlank()) {
      const line = this.#lines[this.#at] ?? ""
      const open = opening.exec(line)?.groups
      const gap = next?.gap ?? (this.blocks.length === 0 ? before.gap : 1)
      if (open !== undefined)
        this.#fence({ mark: open["mark"] ?? "", language: open["info"] ?? "", inside: undefined }, gap, true)
      else this.#token(this.#nextToken(), { ...next, gap })
      next = undefined
    }
  }

  /** Whether there is anything left. */
  #skipBlank(): boolean {
    while (this.#at < this.#lines.length && blankLine.test(this.#lines[this.#at] ?? "")) this.#at++
    return this.#at < this.#lines.length
  }

  /** The lexer's token that starts here. What is behind a fence it has read already, unless its fence ended elsewhere. */
  #nextToken(): Token {
    const known = this.#tokens.get(this.#at)
    if (known !== undefined) return known
    this.#tokens = tokensByLine(this.#lines.slice(this.#at).join("\n"), this.#at)
    return this.#tokens.get(this.#at) ?? { type: "text", raw: this.#lines[this.#at] ?? "", text: "" }
  }

  #token(token: Token, before: Before): void {
    if (token.type === "list") return this.#list(token as Tokens.List, before)
    const to = this.#at + linesOf(token.raw)
    const source = this.#source(this.#at, to)
    // Without an empty line between, a line of "===" further down may make a heading of both.
    const fresh = this.#isBehindBlank() || token.type === "heading" || token.type === "blockquote"
    this.#add(to, { gap: before.gap }, blockFlows(token, source, this.#glyphs), fresh)
  }

  /** A block for each item: nothing that is written later changes an item that another one follows. */
  #list(list: Tokens.List, before: Before): void {
    const start = this.#at
    let number = list.ordered ? Number(list.start) : undefined
    if (before.list !== undefined && list.ordered) number = before.list.number ?? number
    let offset = 0
    for (const [at, item] of list.items.entries()) {
      const found = list.raw.indexOf(item.raw, offset)
      offset = found < 0 ? offset : found
      this.#at = start + newLines(list.raw.slice(0, offset))
      offset += item.raw.length
      const to = this.#at + linesOf(item.raw)
      const own: Before = at === 0 ? before : { gap: this.#isBehindBlank() ? 1 : 0, list: { number } }
      // What follows an empty item is read in another way when the list begins with it.
      const fresh = item.text.trim() !== ""
      this.#add(to, own, itemFlows(item, number, this.#source(this.#at, to), this.#glyphs), fresh)
      if (number !== undefined) number++
    }
    this.#at = start + linesOf(list.raw)
  }

  /** From here to the fence's end, or to the end of the text. `opens`: this line opens it. */
  #fence(fence: NonNullable<Before["fence"]>, gap: 0 | 1, opens = false): void {
    const close = new RegExp(`^ {0,3}${fence.mark}[~\`]* *$`)
    let state: Before = opens ? { gap } : { gap, fence }
    let inside = fence.inside
    let from = this.#at + (opens ? 1 : 0)
    while (true) {
      let to = from
      while (to < this.#lines.length && to - from < chunk && !close.test(this.#lines[to] ?? "")) to++
      // The last line of a text that ends with its line is none.
      const ends = to === this.#lines.length
      const last = ends && this.#lines[to - 1] === "" && to > from ? to - 1 : to
      const closed = !ends && close.test(this.#lines[to] ?? "")
      const code = this.#lines.slice(from, last).join("\n") as Source
      const offset = from - this.#at > 0 ? (this.#lines[this.#at] ?? "").length + 1 : 0
      const made = fenceFlows(code, fence.language, offset, inside)
      inside = made.inside
      this.#add(closed ? to + 1 : last, state, made.flows, true)
      if (closed || ends) return
      from = to
      state = { gap: 0, fence: { ...fence, inside } }
    }
  }

  #isBehindBlank(): boolean {
    return blankLine.test(this.#lines[this.#at - 1] ?? "")
  }

  #add(to: number, before: Before, flows: readonly Flow[], fresh: boolean): void {
    const from = this.#at
    this.blocks.push({
      from: this.#first + from,
      to: this.#first + to,
      source: this.#source(from, to),
      gap: before.gap,
      flows,
      before,
      fresh,
    })
    this.#at = Math.max(to, from + 1)
  }

  #source(from: number, to: number): Source {
    return this.#lines.slice(from, to).join("\n") as Source
  }
}

/** The tokens of a text with the lines where they start. Links by reference are left as they are written: what they mean may stand anywhere. */
function tokensByLine(text: string, first: number): Map<number, Token> {
  const lexer = new Lexer({ gfm: true })
  lexer.tokens.links = new Proxy({}, { set: () => true })
  const found = new Map<number, Token>()
  let line = first
  for (const token of lexer.lex(text)) {
    if (token.type !== "space" && !found.has(line)) found.set(line, token)
    line += newLines(token.raw)
  }
  return found
}

/** Lines that a block takes, empty ones at its end not counted. */
function linesOf(raw: string): number {
  return newLines(raw.replace(/\s+$/, "")) + 1
}

function newLines(text: string): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

import { sanitizeSource } from "../../terminal/sanitize.ts"
import type { Drawing } from "./drawing.ts"
import { atStart, type Before, type Block, type ReadBlock, readBlocks } from "./read-blocks.ts"

/**
 * A text of Markdown that grows. A block that nothing can change any more is the same object from update to update and
 * never read again; only what is behind it is. Whatever the pieces in which a text came, its blocks are those of the whole.
 */
export class MarkdownText {
  readonly #glyphs: Drawing["glyphs"]
  #text = ""
  #finished: Block[] = []
  /** Where reading starts again: in the text, its line, and what came before. */
  #start = 0
  #line = 0
  #before: Before = atStart
  #blocks: readonly Block[] = []

  constructor(glyphs: Drawing["glyphs"]) {
    this.#glyphs = glyphs
  }

  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** Characters that the next update reads again. */
  get unfinished(): number {
    return this.#text.length - this.#start
  }

  /** Takes the whole text as it is now; another text than the one that grew starts anew. */
  update(text: string): readonly Block[] {
    if (text === this.#text) return this.#blocks
    if (!text.startsWith(this.#text)) this.#reset()
    const added = text.slice(this.#text.length)
    this.#text = text
    if (added.includes("\n")) this.#finish()
    this.#blocks = [...this.#finished, ...this.#read(text.slice(this.#start))]
    return this.#blocks
  }

  /** The last block may grow, so it stays. Half of a line decides nothing: it may still become anything. */
  #finish(): void {
    const blocks = this.#read(this.#text.slice(this.#start, this.#text.lastIndexOf("\n") + 1))
    const resume = blocks.findLastIndex(({ fresh }) => fresh)
    const next = blocks[resume]
    if (next === undefined || resume === 0) return
    this.#finished.push(...blocks.slice(0, resume))
    this.#start = lineStart(this.#text, this.#start, next.from - this.#line)
    this.#line = next.from
    this.#before = next.before
  }

  #read(text: string): ReadBlock[] {
    return readBlocks(sanitizeSource(text), this.#line, this.#before, this.#glyphs)
  }

  #reset(): void {
    this.#finished = []
    this.#start = 0
    this.#line = 0
    this.#before = atStart
  }
}

/** Where the line that is `lines` further starts. */
function lineStart(text: string, from: number, lines: number): number {
  let at = from
  for (let line = 0; line < lines; line++) at = text.indexOf("\n", at) + 1
  return at
}

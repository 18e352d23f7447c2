import type { AnsiStyle } from "./ansi-style.ts"

/** Text of one look. */
export interface Run {
  readonly text: string
  readonly style: AnsiStyle | undefined
}

const characters = new Intl.Segmenter()

/**
 * One line of a terminal while it is written. Most lines are only appended to and stay runs; the first order that goes
 * back makes characters of them, each of which can be written over.
 */
export class CellLine {
  #runs: Run[] = []
  #cells: Run[] | undefined
  #at = 0
  #length = 0

  /** Columns from the start to where is written next; one a character once something went back. */
  get column(): number {
    return this.#at
  }

  /** Whether it might be wider than what is shown of a line. */
  get isLong(): boolean {
    return this.#length > 2_000
  }

  write(text: string, style: AnsiStyle | undefined): void {
    this.#length += text.length
    if (this.#cells === undefined) {
      this.#runs.push({ text, style })
      this.#at += Bun.stringWidth(text)
      return
    }
    for (const { segment } of characters.segment(text)) this.#cells[this.#at++] = { text: segment, style }
  }

  home(): void {
    this.#explode()
    this.#at = 0
  }

  back(count: number): void {
    this.#explode()
    this.#at = Math.max(0, this.#at - count)
  }

  /** "Erase in line": to the end by default, to the start (1), all of it (2). */
  erase(mode: string): void {
    const cells = this.#explode()
    if (mode === "" || mode === "0") cells.length = Math.min(cells.length, this.#at)
    else if (mode === "2") cells.fill(blank)
    else if (mode === "1") cells.fill(blank, 0, this.#at + 1)
    while (cells.at(-1) === blank) cells.pop()
  }

  /** The line as it stands, neighbours of one look together. */
  runs(): readonly Run[] {
    if (this.#cells === undefined) return this.#runs
    const runs: { text: string; style: AnsiStyle | undefined }[] = []
    for (let at = 0; at < this.#cells.length; at++) {
      const cell = this.#cells[at] ?? blank
      const last = runs.at(-1)
      if (last !== undefined && last.style === cell.style) last.text += cell.text
      else runs.push({ text: cell.text, style: cell.style })
    }
    return runs
  }

  #explode(): Run[] {
    if (this.#cells === undefined) {
      this.#cells = []
      for (const { text, style } of this.#runs) {
        for (const { segment } of characters.segment(text)) this.#cells.push({ text: segment, style })
      }
      this.#at = this.#cells.length
    }
    return this.#cells
  }
}

const blank: Run = { text: " ", style: undefined }

/**
 * Finds where in a block's source its pieces of text stand, asked for in order. A piece that cannot be found is nowhere:
 * it is drawn all the same.
 */
export class Locator {
  readonly #source: string
  #from = 0

  constructor(source: string) {
    this.#source = source
  }

  find(text: string): number | undefined {
    const at = this.#source.indexOf(text, this.#from)
    if (at < 0) return undefined
    this.#from = at + text.length
    return at
  }
}

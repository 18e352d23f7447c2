import { startOfCharacter, wholeLength } from "../process/capture.ts"

/** The first or the last bytes of a stream, at most `limit` of them when asked for, and how much came in all. */
export class Window {
  #parts: Uint8Array[] = []
  #held = 0
  #bytes = 0
  #ends = 0
  #last = 0x0a

  constructor(
    private readonly limit: number,
    private readonly direction: "head" | "tail",
  ) {}

  get bytes(): number {
    return this.#bytes
  }

  /** Lines so far, the last one counted whether or not it has ended. */
  get lines(): number {
    return this.#ends + (this.#last === 0x0a ? 0 : 1)
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#bytes += chunk.length
    this.#last = chunk[chunk.length - 1]!
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) this.#ends++
    const kept = this.direction === "head" ? chunk.subarray(0, Math.max(0, this.limit - this.#held)) : chunk
    if (kept.length === 0) return
    this.#parts.push(kept)
    this.#held += kept.length
    // Joined now and then, so that many small chunks do not cost a list of their own.
    if (this.#parts.length > 256 || this.#held > this.limit * 4) this.#join()
  }

  /** What is kept, as UTF-8, cut between characters. */
  text(): string {
    const bytes = this.#join()
    if (this.#bytes === bytes.length) return new TextDecoder().decode(bytes)
    const whole =
      this.direction === "head" ? bytes.subarray(0, wholeLength(bytes)) : bytes.subarray(startOfCharacter(bytes))
    return new TextDecoder().decode(whole)
  }

  #join(): Uint8Array {
    const joined = Buffer.concat(this.#parts)
    const bytes =
      this.direction === "tail" ? Buffer.from(joined.subarray(Math.max(0, joined.length - this.limit))) : joined
    this.#parts = [bytes]
    this.#held = bytes.length
    return bytes
  }
}

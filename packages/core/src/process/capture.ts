const utf8 = new TextDecoder()

/**
 * Keeps the head and the tail of a byte stream in at most `limit` bytes of memory, whatever its length.
 * The limit is split in halves; the tail's half is a ring that grows only when it is needed.
 */
export class Capture {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = new Uint8Array(0)
  #headLength = 0
  #ring = new Uint8Array(0)
  #written = 0
  #total = 0

  constructor(limit: number) {
    this.#headLimit = Math.floor(limit / 2)
    this.#tailLimit = limit - this.#headLimit
  }

  /** Bytes that came in. */
  get total(): number {
    return this.#total
  }

  /** Bytes that were let go, between head and tail. */
  get omitted(): number {
    return Math.max(0, this.#written - this.#tailLimit)
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length
    const fits = Math.min(chunk.length, this.#headLimit - this.#headLength)
    if (fits > 0) {
      this.#head = grown(this.#head, this.#headLength + fits, this.#headLimit)
      this.#head.set(chunk.subarray(0, fits), this.#headLength)
      this.#headLength += fits
    }
    if (fits < chunk.length) this.#pushTail(chunk.subarray(fits))
  }

  /** What was kept, as UTF-8 with U+FFFD for what is not; where bytes are missing, a line says how many. */
  text(): string {
    const head = this.#head.subarray(0, this.#headLength)
    const tail = this.#tail()
    if (this.omitted === 0) return utf8.decode(joined(head, tail))
    const cutHead = head.subarray(0, wholeLength(head))
    const cutTail = tail.subarray(startOfCharacter(tail))
    const missing = this.#total - cutHead.length - cutTail.length
    return `${utf8.decode(cutHead)}\n[${missing} bytes left out]\n${utf8.decode(cutTail)}`
  }

  #pushTail(bytes: Uint8Array): void {
    const last = bytes.subarray(Math.max(0, bytes.length - this.#tailLimit))
    this.#written += bytes.length - last.length
    // The ring wraps only at full size, so that growing it is a plain copy.
    this.#ring = grown(this.#ring, this.#written + last.length, this.#tailLimit)
    let from = 0
    while (from < last.length) {
      const at = this.#written % this.#tailLimit
      const part = last.subarray(from, from + this.#tailLimit - at)
      this.#ring.set(part, at)
      this.#written += part.length
      from += part.length
    }
  }

  #tail(): Uint8Array {
    if (this.#written <= this.#tailLimit) return this.#ring.subarray(0, this.#written)
    const at = this.#written % this.#tailLimit
    return joined(this.#ring.subarray(at), this.#ring.subarray(0, at))
  }
}

/** Length of `bytes` without a UTF-8 sequence that is cut at the end. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needs > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Index of the first byte that begins a character: at most three continuation bytes are skipped. */
export function startOfCharacter(bytes: Uint8Array): number {
  let start = 0
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++
  return start
}

function grown(buffer: Uint8Array<ArrayBuffer>, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  const wanted = Math.min(needed, limit)
  if (wanted <= buffer.length) return buffer
  const larger = new Uint8Array(Math.min(limit, Math.max(wanted, buffer.length * 2, 4_096)))
  larger.set(buffer)
  return larger
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (second.length === 0) return first
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

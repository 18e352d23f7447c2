import type { Clock } from "./clock.ts"

/** What an id names; its first four characters on the wire. */
export const idPrefix = {
  session: "ses",
  message: "msg",
  part: "prt",
  event: "evt",
  permission: "per",
  question: "que",
  inbox: "inb",
  run: "run",
  call: "call",
} as const
export type IdKind = keyof typeof idPrefix

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const timeMask = (1n << 48n) - 1n

/**
 * Makes ids: prefix, 12 hex digits (the low 48 bits of milliseconds × 4096 + counter), 14 random
 * base62 characters. Clients binary-search by id, so ids ascend (`session` ids descend) even
 * when the clock stands or is set back. The 48 bits wrap every 795 days (next 2028-10-17); past a
 * wrap only `after` keeps a new id greater than the last of its session, and it does so by counting on from it.
 */
export class Ids {
  #last = 0n

  constructor(
    private readonly clock: Pick<Clock, "now">,
    private readonly random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
  ) {}

  /** A new id, greater than `after` (an id of the same kind) when that is given. */
  next(kind: IdKind, after?: string): string {
    const tick = this.#tick()
    const stamp = kind === "session" ? timeMask - (tick & timeMask) : tick & timeMask
    const floor = after === undefined || kind === "session" ? undefined : timeOf(after)
    const time = floor !== undefined && stamp <= floor ? floor + 1n : stamp
    if (floor !== undefined && time > floor && stamp <= floor) this.#reserve(time)
    return `${idPrefix[kind]}_${(time & timeMask).toString(16).padStart(12, "0")}${this.#suffix()}`
  }

  #tick(): bigint {
    const now = BigInt(Math.trunc(this.clock.now())) * 4096n
    this.#last = now > this.#last ? now : this.#last + 1n
    return this.#last
  }

  /** Keeps later ids above one that had to run ahead of the clock, within this wrap of the counter. */
  #reserve(time: bigint): void {
    const ahead = (this.#last & ~timeMask) | time
    if (ahead > this.#last) this.#last = ahead
  }

  #suffix(): string {
    let text = ""
    for (const byte of this.random(new Uint8Array(14))) text += base62[byte % 62]
    return text
  }
}

/** The 48-bit time in an id, or undefined when the text is not an id. */
export function timeOf(id: string): bigint | undefined {
  const hex = /^[a-z]+_([0-9a-f]{12})/.exec(id)?.[1]
  return hex === undefined ? undefined : BigInt(`0x${hex}`)
}

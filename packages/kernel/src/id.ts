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
  change: "chg",
  revert: "rev",
  call: "call",
} as const
export type IdKind = keyof typeof idPrefix

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const timeMask = (1n << 48n) - 1n

/**
 * Makes ids: prefix, 12 hex digits (the low 48 bits of milliseconds × 4096 + counter), 14 random
 * base62 characters. Clients binary-search by id, so the ids of one maker ascend (`session` ids descend)
 * even when the clock stands or is set back. The 48 bits wrap every 795 days (next 2028-10-17): past a
 * wrap, and for a new maker whose clock is behind, only `after` keeps a new id greater than the last of
 * its session, so callers hand on each id to the next call.
 */
export class Ids {
  #last = 0n

  constructor(
    private readonly clock: Pick<Clock, "now">,
    private readonly random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
  ) {}

  /** A new id, greater than `after` (an id of the same kind) when that is given; `session` ids ignore it. */
  next(kind: IdKind, after?: string): string {
    const stamp = this.#tick() & timeMask
    if (kind === "session") return this.#id(kind, timeMask - stamp)
    const id = this.#id(kind, stamp)
    if (after === undefined || id > after) return id
    const floor = timeOf(after)
    const next = floor !== undefined && floor < timeMask ? this.#id(kind, floor + 1n) : undefined
    return next !== undefined && next > after ? next : successor(after)
  }

  #id(kind: IdKind, time: bigint): string {
    return `${idPrefix[kind]}_${time.toString(16).padStart(12, "0")}${this.#suffix()}`
  }

  #tick(): bigint {
    const now = BigInt(Math.trunc(this.clock.now())) * 4096n
    this.#last = now > this.#last ? now : this.#last + 1n
    return this.#last
  }

  #suffix(): string {
    let text = ""
    for (const byte of this.random(new Uint8Array(14))) text += base62[byte % 62]
    return text
  }
}

/** A text just above an id that has no time after it: the last of the 48 bits, or one that a client made up. */
function successor(id: string): string {
  const place = base62.indexOf(id.slice(-1))
  const following = place < 0 ? undefined : base62[place + 1]
  return following === undefined ? `${id}0` : id.slice(0, -1) + following
}

/** The 48-bit time in an id, or undefined when the text is not an id. */
export function timeOf(id: string): bigint | undefined {
  const hex = /^[a-z]+_([0-9a-f]{12})/.exec(id)?.[1]
  return hex === undefined ? undefined : BigInt(`0x${hex}`)
}

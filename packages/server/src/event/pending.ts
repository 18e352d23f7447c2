import type { WireEvent } from "@cairn/schema/wire-event"
import { type Form, Told } from "./told.ts"

type Delta = Extract<WireEvent, { type: "message.part.delta" }>

/** What a client cannot take yet, in order. Pieces of the same text become one, as long as nothing else comes between them. */
export interface Pending {
  /** About as many bytes as `take` would give. */
  readonly bytes: number
  push(told: Told): void
  /** Gives all of it as text and number of the log, and is empty then. */
  take(): { readonly text: string; readonly seq: number | undefined }
  clear(): void
}

interface Growing {
  readonly first: Told
  readonly pieces: string[]
  last: Delta
  length: number
}

export function createPending(form: Form): Pending {
  let waiting: (Told | Growing)[] = []
  let bytes = 0
  const growing = new Map<string, Growing>()
  const clear = () => {
    waiting = []
    growing.clear()
    bytes = 0
  }
  const grow = (told: Told, event: Delta) => {
    const { partID, field, offset, delta } = event.properties
    const key = `${partID} ${field}`
    const open = growing.get(key)
    if (open && continues(open, offset)) {
      open.pieces.push(delta)
      open.length += delta.length
      open.last = event
      bytes += delta.length
      return
    }
    const begun = { first: told, pieces: [delta], last: event, length: delta.length }
    growing.set(key, begun)
    waiting.push(begun)
    bytes += told.frame(form).length
  }
  return {
    get bytes() {
      return bytes
    },
    push(told) {
      if (told.event.type === "message.part.delta") return grow(told, told.event as Delta)
      growing.clear()
      waiting.push(told)
      bytes += told.frame(form).length
    },
    take() {
      const text = waiting.map((one) => (one instanceof Told ? one : merged(one)).frame(form)).join("")
      const seq = waiting.reduce<number | undefined>(
        (last, one) => (one instanceof Told ? one.seq : undefined) ?? last,
        undefined,
      )
      clear()
      return { text, seq }
    },
    clear,
  }
}

/** An offset that is not said leaves only the order. */
const continues = ({ first, length }: Growing, offset: number | undefined): boolean => {
  const begin = (first.event as Delta).properties.offset
  return begin === undefined || offset === undefined || offset === begin + length
}

function merged({ first, pieces, last }: Growing): Told {
  if (pieces.length === 1) return first
  const { properties } = first.event as Delta
  const event: WireEvent = { id: last.id, type: last.type, properties: { ...properties, delta: pieces.join("") } }
  return new Told(event, { to: first.to })
}

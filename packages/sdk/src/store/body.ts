import type { Message, MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import { grown, isClosed, isText, newerPart, type Piece } from "./part-order.ts"

/** A message as a view takes it. The object is another one when its fields change, or when parts come or go. */
export interface MessageView {
  readonly info: Message
  /** In the order of the log. */
  readonly parts: readonly string[]
}

/** Characters of pieces that wait for what is missing before them, in one message. */
const mostHeld = 1_000_000

/** What is held of one message: its fields, its parts, and pieces of text that came too early. */
export class Body {
  #view: MessageView
  readonly #parts = new Map<string, Part>()
  readonly #early = new Map<string, Piece[]>()

  constructor(message: MessageWithParts, before?: Body) {
    for (const part of message.parts) {
      const held = before?.part(part.id)
      this.#parts.set(part.id, held ? newerPart(held, part) : part)
    }
    this.#view = { info: message.info, parts: [...this.#parts.keys()] }
    if (!before) return
    for (const [partID, pieces] of before.#early) {
      // A part is stored before its text: one that is not there is not there any more.
      if (!this.#parts.has(partID)) continue
      this.#early.set(partID, pieces)
      this.#catchUp(partID)
    }
  }

  get view(): MessageView {
    return this.#view
  }

  /** Parts that are held. */
  get size(): number {
    return this.#parts.size
  }

  /** Characters that wait for what is missing before them. */
  get waiting(): number {
    let waiting = 0
    for (const pieces of this.#early.values()) for (const { delta } of pieces) waiting += delta.length
    return waiting
  }

  part(partID: string): Part | undefined {
    return this.#parts.get(partID)
  }

  setInfo(info: Message): void {
    this.#view = { ...this.#view, info }
  }

  /** What changed: the part, with it the list of parts, or nothing. */
  put(part: Part): "part" | "parts" | undefined {
    const held = this.#parts.get(part.id)
    const now = held ? newerPart(held, part) : part
    if (now === held) return undefined
    this.#parts.set(part.id, now)
    this.#catchUp(part.id)
    if (held) return "part"
    this.#view = { ...this.#view, parts: [...this.#parts.keys()] }
    return "parts"
  }

  /** `missing`: there is text between what is held and this piece; it waits. */
  grow(partID: string, piece: Piece): "part" | "missing" | undefined {
    const part = this.#parts.get(partID)
    if (part && (!isText(part) || isClosed(part))) return undefined
    const text = part && isText(part) ? grown(part.text, piece) : undefined
    if (!part || text === undefined) return this.#wait(partID, piece)
    if (text === part.text) return undefined
    this.#parts.set(partID, { ...part, text } as Part)
    return "part"
  }

  remove(partID: string): boolean {
    this.#early.delete(partID)
    if (!this.#parts.delete(partID)) return false
    this.#view = { ...this.#view, parts: [...this.#parts.keys()] }
    return true
  }

  #wait(partID: string, piece: Piece): "missing" {
    if (this.waiting + piece.delta.length > mostHeld) this.#early.clear()
    const pieces = this.#early.get(partID) ?? []
    this.#early.set(partID, pieces)
    pieces.push(piece)
    return "missing"
  }

  /** Adds the pieces that fit by now, and forgets them. */
  #catchUp(partID: string): void {
    const pieces = this.#early.get(partID)
    const part = this.#parts.get(partID)
    if (!pieces || !part) return
    if (!isText(part) || isClosed(part)) return void this.#early.delete(partID)
    let { text } = part
    const left = pieces.filter((piece) => {
      const longer = grown(text, piece)
      text = longer ?? text
      return longer === undefined
    })
    this.#parts.set(partID, { ...part, text } as Part)
    if (left.length > 0) this.#early.set(partID, left)
    else this.#early.delete(partID)
  }
}

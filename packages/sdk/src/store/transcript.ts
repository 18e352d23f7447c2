import type { MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import { Body, type MessageView } from "./body.ts"
import type { Topic } from "./notifier.ts"
import type { MessagePage } from "./source.ts"
import type { StreamEvent } from "./stream-event.ts"

export interface TranscriptLimits {
  /** Messages of one page. */
  readonly page: number
  /** Pages whose messages are held at the same time; the newest is always one of them. At least 3: two may be looked at. */
  readonly pages: number
}

/** A stretch of the transcript. Without bodies only the ids are known. */
interface Page {
  ids: string[]
  bodies: Map<string, Body> | undefined
  /** Parts that it had when its bodies were dropped. */
  parts: number
  used: number
}

/** A page whose messages are to be read: the newest `limit` of those before a message, or of all. */
export interface Wanted {
  readonly page: object
  readonly limit: number
  readonly before?: string
}

/**
 * The messages of one session in the order of the log: the newest ones, and older ones as far as somebody went back.
 * Ids are kept; bodies only of a few pages, those that were wanted last. Says by `touch` what changed.
 */
export class Transcript {
  #pages: Page[] = [{ ids: [], bodies: new Map(), parts: 0, used: 0 }]
  readonly #places = new Map<string, Page>()
  #ids: readonly string[] | undefined
  #more = false
  #clock = 0

  constructor(
    readonly sessionID: string,
    private readonly limits: TranscriptLimits,
    private readonly touch: (topic: Topic) => void,
  ) {}

  /** Every message that is known, oldest first. The array is another one when they change. */
  get ids(): readonly string[] {
    this.#ids ??= this.#pages.flatMap(({ ids }) => ids)
    return this.#ids
  }

  /** There are older messages than the first of `ids`. */
  get more(): boolean {
    return this.#more
  }

  /** How much is known and held. `parts` counts those of dropped messages too. */
  get counts() {
    const bodies = this.#pages.flatMap((page) => [...(page.bodies?.values() ?? [])])
    const held = bodies.reduce((sum, body) => sum + body.size, 0)
    const dropped = this.#pages.reduce((sum, page) => sum + (page.bodies ? 0 : page.parts), 0)
    return { messages: this.#places.size, held: bodies.length, parts: held + dropped, heldParts: held }
  }

  message(id: string): MessageView | undefined {
    return this.#body(id)?.view
  }

  part(messageID: string, partID: string): Part | undefined {
    return this.#body(messageID)?.part(partID)
  }

  /** Messages that are held with a gap in a text. */
  get gaps(): string[] {
    const bodies = this.#pages.flatMap((page) => [...(page.bodies ?? [])])
    return bodies.flatMap(([id, body]) => (body.waiting > 0 ? [id] : []))
  }

  /** Begins anew with the newest messages. What was held of them is kept where it is newer. */
  begin({ messages, more }: MessagePage): void {
    const before = this.#pages
    const held = (id: string) => before.find(({ bodies }) => bodies?.has(id))?.bodies?.get(id)
    for (const { bodies } of before) for (const [id, body] of bodies ?? []) this.#touchBody(id, body)
    this.#pages = [{ ids: [], bodies: new Map(), parts: 0, used: 0 }]
    this.#places.clear()
    this.#more = more
    for (const message of messages) this.#append(message, held(message.info.id))
    this.#changed()
  }

  /** Puts what stands before the first message in front of it. */
  putOlder({ messages, more }: MessagePage): void {
    const unknown = messages.filter(({ info }) => !this.#places.has(info.id))
    this.#more = more
    if (unknown.length > 0) {
      const page: Page = { ids: [], bodies: new Map(), parts: 0, used: ++this.#clock }
      this.#pages.unshift(page)
      this.#fill(page, unknown)
      this.#trim()
    }
    this.#changed()
  }

  /** Which pages of this stretch have to be read. They count as used now. */
  want(first: number, last: number): Wanted[] {
    const wanted: Wanted[] = []
    let start = 0
    for (const [place, page] of this.#pages.entries()) {
      const end = start + page.ids.length
      if (start <= last && end > first) {
        page.used = ++this.#clock
        const before = this.#pages.slice(place + 1).find(({ ids }) => ids.length > 0)?.ids[0]
        if (!page.bodies) wanted.push({ page, limit: page.ids.length, ...(before !== undefined && { before }) })
      }
      start = end
    }
    return wanted
  }

  /** Puts the messages of a page that was read again; of no effect when the page is not there any more, or was filled. */
  refill({ page: wanted }: Wanted, messages: readonly MessageWithParts[]): void {
    const page = this.#pages.find((each) => each === wanted)
    if (!page || page.bodies) return
    for (const id of page.ids) this.#places.delete(id)
    page.ids = []
    page.bodies = new Map()
    this.#fill(
      page,
      messages.filter(({ info }) => !this.#places.has(info.id)),
    )
    this.#trim()
    this.#changed()
  }

  /** Puts one message that was read again, when it is held. */
  renew(message: MessageWithParts): void {
    const { id } = message.info
    const bodies = this.#places.get(id)?.bodies
    const held = bodies?.get(id)
    if (!bodies || !held) return
    const body = new Body(message, held)
    bodies.set(id, body)
    this.#touchBody(id, held)
    this.#touchBody(id, body)
  }

  /** Follows an event of this session. Gives the id of a message of which text is missing. */
  follow(event: StreamEvent): string | undefined {
    switch (event.type) {
      case "message.updated":
        this.#update(event.properties.info)
        return undefined
      case "message.removed":
        this.#remove(event.properties.messageID)
        return undefined
      case "message.part.updated": {
        const { part } = event.properties
        const changed = this.#body(part.messageID)?.put(part)
        if (changed) this.touch(`part:${part.id}`)
        if (changed === "parts") this.#touchMessage(part.messageID)
        return undefined
      }
      case "message.part.delta": {
        const { messageID, partID, field, offset, delta } = event.properties
        if (field !== "text") return undefined
        const changed = this.#body(messageID)?.grow(partID, { offset, delta })
        if (changed === "part") this.touch(`part:${partID}`)
        return changed === "missing" ? messageID : undefined
      }
      case "message.part.removed": {
        const { messageID, partID } = event.properties
        if (!this.#body(messageID)?.remove(partID)) return undefined
        this.touch(`part:${partID}`)
        this.#touchMessage(messageID)
        return undefined
      }
      default:
        return undefined
    }
  }

  #update(info: MessageWithParts["info"]): void {
    if (this.#places.has(info.id)) {
      const body = this.#body(info.id)
      body?.setInfo(info)
      if (body) this.#touchMessage(info.id)
      return
    }
    // Ids grow within a session: an older one stands in a page that nobody has read yet.
    const [first] = this.ids
    if (this.#more && first !== undefined && info.id < first) return
    this.#append({ info, parts: [] })
    this.#trim()
    this.#changed()
  }

  #remove(id: string): void {
    const page = this.#places.get(id)
    if (!page) return
    const body = page.bodies?.get(id)
    this.#places.delete(id)
    page.ids = page.ids.filter((each) => each !== id)
    page.bodies?.delete(id)
    if (page.ids.length === 0 && page !== this.#pages.at(-1)) this.#pages = this.#pages.filter((each) => each !== page)
    if (body) this.#touchBody(id, body)
    this.#changed()
  }

  #append(message: MessageWithParts, before?: Body): void {
    if (this.#tail().ids.length >= this.limits.page) this.#pages.push({ ids: [], bodies: new Map(), parts: 0, used: 0 })
    this.#hold(this.#tail(), message, before)
  }

  #fill(page: Page, messages: readonly MessageWithParts[]): void {
    for (const message of messages) this.#hold(page, message)
  }

  #hold(page: Page, message: MessageWithParts, before?: Body): void {
    const { id } = message.info
    const body = new Body(message, before)
    page.ids.push(id)
    page.bodies?.set(id, body)
    this.#places.set(id, page)
    this.#touchBody(id, body)
  }

  /** Drops the bodies of the pages that were wanted longest ago, of those never wanted the older ones. */
  #trim(): void {
    const held = this.#pages.slice(0, -1).filter(({ bodies }) => bodies)
    const byUse = held.toReversed().toSorted((a, b) => b.used - a.used)
    for (const page of byUse.slice(this.limits.pages - 1)) {
      const bodies = page.bodies ?? new Map<string, Body>()
      page.bodies = undefined
      page.parts = [...bodies.values()].reduce((sum, body) => sum + body.size, 0)
      for (const [id, body] of bodies) this.#touchBody(id, body)
      this.#changed()
    }
  }

  #tail(): Page {
    const tail = this.#pages.at(-1)
    if (!tail) throw new Error("a transcript has at least one page")
    return tail
  }

  #body(id: string): Body | undefined {
    return this.#places.get(id)?.bodies?.get(id)
  }

  #touchMessage(id: string): void {
    this.touch(`message:${id}`)
  }

  #touchBody(id: string, body: Body): void {
    this.#touchMessage(id)
    for (const partID of body.view.parts) this.touch(`part:${partID}`)
  }

  #changed(): void {
    this.#ids = undefined
    this.touch(`transcript:${this.sessionID}`)
  }
}

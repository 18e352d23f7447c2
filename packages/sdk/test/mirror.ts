import type { Topic } from "../src/store/notifier.ts"
import type { ViewStore } from "../src/store/view-store.ts"

/** A view that reads again only what it was told of, as a user interface does: what it shows must be what is there. */
export class Mirror {
  readonly shown = new Map<Topic, unknown>()
  readonly #stops = new Map<Topic, () => void>()

  constructor(private readonly store: ViewStore) {
    this.#watch("sessions", () => store.sessions().ids)
    this.#watch("asks", () => store.asks())
    this.#watch("connection", () => store.connection())
  }

  session(id: string): void {
    const { store } = this
    this.#watch(`session:${id}`, () => store.session(id))
    this.#watch(`status:${id}`, () => store.status(id))
    this.#watch(`todos:${id}`, () => store.todos(id))
    this.#watch(`inbox:${id}`, () => store.inbox(id))
    this.#watch(`transcript:${id}`, () => {
      const { ids } = store.transcript(id)
      for (const messageID of ids) this.#message(id, messageID)
      return { ...store.transcript(id) }
    })
  }

  #message(id: string, messageID: string): void {
    this.#watch(`message:${messageID}`, () => {
      const message = this.store.message(id, messageID)
      for (const partID of message?.parts ?? [])
        this.#watch(`part:${partID}`, () => this.store.part(id, messageID, partID))
      return message
    })
  }

  /** What it shows, and what is there: to be equal. */
  compare(): { shown: Map<Topic, unknown>; there: Map<Topic, unknown> } {
    const shown = new Map(this.shown)
    const there = new Map<Topic, unknown>()
    for (const [topic, read] of this.#reads) there.set(topic, read())
    return { shown, there }
  }

  readonly #reads = new Map<Topic, () => unknown>()

  #watch(topic: Topic, read: () => unknown): void {
    if (this.#stops.has(topic)) return
    const show = () => void this.shown.set(topic, read())
    this.#stops.set(topic, this.store.subscribe(topic, show))
    this.#reads.set(topic, read)
    show()
  }
}

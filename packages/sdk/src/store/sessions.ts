import type { Session } from "@cairn/schema/session"
import type { Topic } from "./notifier.ts"
import type { StreamEvent } from "./stream-event.ts"

/**
 * Sessions, the one used last first: as many as were asked for, and some that came since. Besides, those that somebody
 * holds on to, wherever they stand.
 */
export class Sessions {
  readonly #all = new Map<string, Session>()
  #listed = new Set<string>()
  #ids: readonly string[] | undefined
  #more = false

  constructor(
    /** How many the list may have. */
    public limit: number,
    private readonly touch: (topic: Topic) => void,
    private readonly isHeld: (id: string) => boolean,
    private readonly isMeant: (session: Session) => boolean,
  ) {}

  /** The array is another one when they change. */
  get ids(): readonly string[] {
    this.#ids ??= [...this.#listed].toSorted((a, b) => compare(this.#all.get(a), this.#all.get(b)))
    return this.#ids
  }

  get more(): boolean {
    return this.#more
  }

  get size(): number {
    return this.#all.size
  }

  get(id: string): Session | undefined {
    return this.#all.get(id)
  }

  /** Puts the list anew. */
  put(sessions: readonly Session[], more: boolean): void {
    const before = [...this.#all.keys()]
    this.#listed = new Set(sessions.map(({ id }) => id))
    for (const session of sessions) this.#all.set(session.id, session)
    for (const id of before) this.#letGo(id)
    this.#more = more
    for (const id of this.#listed) this.touch(`session:${id}`)
    this.#changed()
  }

  /** Puts one that was read by itself. */
  renew(session: Session): void {
    if (!this.#all.has(session.id) && !this.isHeld(session.id)) return
    this.#all.set(session.id, session)
    this.touch(`session:${session.id}`)
    if (this.#listed.has(session.id)) this.#changed()
  }

  follow(event: StreamEvent): void {
    if (event.type === "session.created" || event.type === "session.updated") this.#update(event.properties.info)
    if (event.type === "session.deleted") this.remove(event.properties.sessionID)
  }

  /** It does not exist any more. */
  remove(id: string): void {
    if (!this.#all.delete(id)) return
    this.#listed.delete(id)
    this.touch(`session:${id}`)
    this.#changed()
  }

  /** Nobody holds on to it any more. */
  release(id: string): void {
    this.#letGo(id)
  }

  #update(session: Session): void {
    if (!this.isMeant(session)) return this.renew(session)
    const last = this.#all.get(this.ids.at(-1) ?? "")
    const isBelow = this.#more && last !== undefined && compare(session, last) > 0
    if (isBelow && !this.#listed.has(session.id)) return this.renew(session)
    this.#all.set(session.id, session)
    this.#listed.add(session.id)
    this.#ids = undefined
    for (const id of this.ids.slice(this.limit)) {
      this.#listed.delete(id)
      this.#more = true
      this.#letGo(id)
    }
    this.touch(`session:${session.id}`)
    this.#changed()
  }

  #letGo(id: string): void {
    if (this.#listed.has(id) || this.isHeld(id)) return
    if (this.#all.delete(id)) this.touch(`session:${id}`)
  }

  #changed(): void {
    this.#ids = undefined
    this.touch("sessions")
  }
}

function compare(a: Session | undefined, b: Session | undefined): number {
  if (!a || !b) return 0
  if (a.time.updated !== b.time.updated) return b.time.updated - a.time.updated
  return a.id < b.id ? -1 : 1
}

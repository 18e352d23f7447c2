import type { Doings } from "./doings.ts"
import type { Load, Loads } from "./loads.ts"
import type { Topic } from "./notifier.ts"
import type { Sessions } from "./sessions.ts"
import type { Source } from "./source.ts"
import { type StreamEvent, sessionOf } from "./stream-event.ts"
import { Transcript, type TranscriptLimits } from "./transcript.ts"

/** The messages of a session, as far as they are known. The object is another one when anything in it changes. */
export interface TranscriptView {
  /** `closed`: nobody has opened it. `missing`: there is no such session. */
  readonly state: "closed" | "loading" | "ready" | "missing"
  /** Oldest first. Contents of some may be dropped: `look` brings them back. */
  readonly ids: readonly string[]
  /** There are older ones. */
  readonly more: boolean
}

interface Deps {
  readonly source: Source
  readonly limits: TranscriptLimits & { readonly closed: number }
  readonly touch: (topic: Topic) => void
  readonly loads: Loads
  readonly sessions: Sessions
  readonly doings: Doings
}

interface Open {
  readonly transcript: Transcript
  holders: number
  state: TranscriptView["state"]
  view: TranscriptView
}

/** How long a message with a gap in its text waits before it is read again: by then the log has more of it. */
const untilLogged = 250
const longestWait = 30_000
const closed: TranscriptView = { state: "closed", ids: [], more: false }

/** The sessions that somebody holds open, and a few that were open last. */
export class OpenSessions {
  readonly #open = new Map<string, Open>()
  #live = false

  constructor(private readonly deps: Deps) {}

  has(sessionID: string): boolean {
    return this.#open.has(sessionID)
  }

  get(sessionID: string): Transcript | undefined {
    return this.#open.get(sessionID)?.transcript
  }

  get counts() {
    const sum = { transcripts: this.#open.size, messages: 0, held: 0, heldParts: 0 }
    for (const { transcript } of this.#open.values()) {
      const { messages, held, heldParts } = transcript.counts
      sum.messages += messages
      sum.held += held
      sum.heldParts += heldParts
    }
    return sum
  }

  view(sessionID: string): TranscriptView {
    const open = this.#open.get(sessionID)
    if (!open) return closed
    const { state, view } = open
    const { ids, more } = open.transcript
    if (view.state !== state || view.ids !== ids || view.more !== more) open.view = { state, ids, more }
    return open.view
  }

  open(sessionID: string): Disposable {
    const { limits, touch } = this.deps
    const known = this.#open.get(sessionID)
    const open: Open = known ?? {
      transcript: new Transcript(sessionID, limits, touch),
      holders: 0,
      state: "loading",
      view: closed,
    }
    open.holders++
    // At the end of the map: it was used last.
    this.#open.delete(sessionID)
    this.#open.set(sessionID, open)
    if (!known || open.state === "missing") {
      this.#state(open, "loading")
      if (this.#live) this.#readAll(open)
    }
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        open.holders--
        this.#dropClosed()
      },
    }
  }

  /** The stream has begun, or has a gap: everything is read, and what nobody holds is forgotten. */
  begin(): void {
    this.#live = true
    this.#dropClosed(0)
    for (const open of this.#open.values()) this.#readAll(open)
  }

  /** Follows an event of a session. */
  follow(sessionID: string, event: StreamEvent): void {
    const open = this.#open.get(sessionID)
    if (!open) return
    if (event.type === "session.deleted") return this.#gone(open)
    if (event.type === "session.created" && open.state === "missing") {
      this.#state(open, "loading")
      return this.#readAll(open)
    }
    if (open.state !== "ready") return
    const incomplete = open.transcript.follow(event)
    if (incomplete !== undefined) this.#renew(open, incomplete, untilLogged)
  }

  older(sessionID: string): void {
    const open = this.#open.get(sessionID)
    if (open?.state !== "ready" || !open.transcript.more) return
    const { transcript } = open
    const [before] = transcript.ids
    const limit = this.deps.limits.page
    this.#begin(open, "older", {
      read: (signal) =>
        this.deps.source.messages(sessionID, { limit, ...(before !== undefined && { before }) }, signal),
      take: (page) => transcript.putOlder(page),
    })
  }

  look(sessionID: string, first: number, last: number): void {
    const open = this.#open.get(sessionID)
    if (open?.state !== "ready") return
    const { transcript } = open
    for (const wanted of transcript.want(first, last)) {
      const { limit, before } = wanted
      this.#begin(open, `page:${before ?? ""}`, {
        read: (signal) =>
          this.deps.source.messages(sessionID, { limit, ...(before !== undefined && { before }) }, signal),
        take: ({ messages }) => transcript.refill(wanted, messages),
      })
    }
  }

  #readAll(open: Open): void {
    const { source, limits, sessions, doings } = this.deps
    const { transcript } = open
    const { sessionID } = transcript
    this.#begin(open, "session", {
      read: (signal) => source.session(sessionID, signal),
      take: (session) => sessions.renew(session),
      again: (event) => sessions.follow(event),
    })
    this.#begin(open, "newest", {
      read: (signal) => source.messages(sessionID, { limit: limits.page }, signal),
      take: (page) => {
        transcript.begin(page)
        this.#state(open, "ready")
        for (const messageID of transcript.gaps) this.#renew(open, messageID, untilLogged)
      },
      missing: () => this.#gone(open),
    })
    this.#begin(open, "todos", {
      read: (signal) => source.todos(sessionID, signal),
      take: (todos) => doings.putTodos(sessionID, todos),
      again: (event) => doings.follow(event),
    })
    this.#begin(open, "inbox", {
      read: (signal) => source.inbox(sessionID, signal),
      take: (items) => doings.putInbox(sessionID, items),
      again: (event) => doings.follow(event),
    })
  }

  /** Reads a message again after `wait` ms, and later and later while there is a gap in its text. */
  #renew(open: Open, messageID: string, wait: number): void {
    const { transcript } = open
    const { sessionID } = transcript
    this.#begin(
      open,
      `message:${messageID}`,
      {
        read: (signal) => this.deps.source.message(sessionID, messageID, signal),
        take: (message) => {
          transcript.renew(message)
          if (transcript.gaps.includes(messageID)) this.#renew(open, messageID, Math.min(2 * wait, longestWait))
        },
      },
      wait,
    )
  }

  /** A load about an open session; unless it says otherwise, what comes meanwhile concerns the transcript. */
  #begin<T>(
    { transcript: { sessionID } }: Open,
    name: string,
    load: Pick<Load<T>, "read" | "take" | "missing"> & Partial<Load<T>>,
    wait = 0,
  ): void {
    this.deps.loads.begin(
      {
        key: `${sessionID}/${name}`,
        concerns: (event) => sessionOf(event) === sessionID,
        again: (event) => this.follow(sessionID, event),
        ...load,
      },
      wait,
    )
  }

  #state(open: Open, state: TranscriptView["state"]): void {
    if (open.state === state) return
    open.state = state
    this.deps.touch(`transcript:${open.transcript.sessionID}`)
  }

  #gone(open: Open): void {
    this.#forgetLoads(open)
    open.transcript.begin({ messages: [], more: false })
    this.deps.doings.close(open.transcript.sessionID)
    this.deps.sessions.remove(open.transcript.sessionID)
    this.#state(open, "missing")
  }

  #dropClosed(most = this.deps.limits.closed): void {
    const unheld = [...this.#open.values()].filter(({ holders }) => holders === 0)
    for (const open of unheld.slice(0, Math.max(0, unheld.length - most))) {
      const { sessionID } = open.transcript
      this.#forgetLoads(open)
      this.#open.delete(sessionID)
      open.transcript.begin({ messages: [], more: false })
      this.deps.doings.close(sessionID)
      this.deps.sessions.release(sessionID)
    }
  }

  #forgetLoads({ transcript: { sessionID } }: Open): void {
    this.deps.loads.forget((key) => key.startsWith(`${sessionID}/`))
  }
}

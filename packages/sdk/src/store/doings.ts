import type { InboxItem } from "@cairn/schema/prompt"
import type { SessionStatus } from "@cairn/schema/session"
import type { Todo } from "@cairn/schema/todo"
import type { Topic } from "./notifier.ts"
import type { StreamEvent } from "./stream-event.ts"

const idle: SessionStatus = { type: "idle" }
const none: readonly never[] = []

/** What sessions do, what they mean to do (todos) and what waits in them (inbox): the last two only of open sessions. */
export class Doings {
  #statuses = new Map<string, SessionStatus>()
  readonly #todos = new Map<string, readonly Todo[]>()
  readonly #inboxes = new Map<string, readonly InboxItem[]>()

  constructor(
    private readonly touch: (topic: Topic) => void,
    private readonly isOpen: (sessionID: string) => boolean,
  ) {}

  /** Sessions that are not idle. */
  get busy(): number {
    return this.#statuses.size
  }

  status(sessionID: string): SessionStatus {
    return this.#statuses.get(sessionID) ?? idle
  }

  todos(sessionID: string): readonly Todo[] {
    return this.#todos.get(sessionID) ?? none
  }

  /** In the order in which they will be taken. */
  inbox(sessionID: string): readonly InboxItem[] {
    return this.#inboxes.get(sessionID) ?? none
  }

  putStatuses(statuses: Readonly<Record<string, SessionStatus>>): void {
    const before = this.#statuses
    this.#statuses = new Map(Object.entries(statuses).filter(([, { type }]) => type !== "idle"))
    for (const id of new Set([...before.keys(), ...this.#statuses.keys()])) this.touch(`status:${id}`)
  }

  putTodos(sessionID: string, todos: readonly Todo[]): void {
    if (!this.isOpen(sessionID)) return
    this.#todos.set(sessionID, todos)
    this.touch(`todos:${sessionID}`)
  }

  putInbox(sessionID: string, items: readonly InboxItem[]): void {
    if (!this.isOpen(sessionID)) return
    this.#inboxes.set(sessionID, inOrder(items))
    this.touch(`inbox:${sessionID}`)
  }

  follow(event: StreamEvent): void {
    switch (event.type) {
      case "session.status":
        return this.#setStatus(event.properties.sessionID, event.properties.status)
      case "session.turn.started":
        return this.#setStatus(event.properties.sessionID, { type: "busy" })
      case "session.turn.ended":
      case "session.idle":
        return this.#setStatus(event.properties.sessionID, idle)
      case "todo.updated":
        return this.putTodos(event.properties.sessionID, event.properties.todos)
      case "session.inbox.added":
      case "session.inbox.updated": {
        const { sessionID, item } = event.properties
        const items = this.inbox(sessionID)
        const known = items.some(({ id }) => id === item.id)
        if (!known && event.type === "session.inbox.updated") return
        return this.putInbox(
          sessionID,
          known ? items.map((each) => (each.id === item.id ? item : each)) : [...items, item],
        )
      }
      case "session.inbox.removed": {
        const { sessionID, inboxID } = event.properties
        return this.putInbox(
          sessionID,
          this.inbox(sessionID).filter(({ id }) => id !== inboxID),
        )
      }
      case "session.deleted":
        this.#setStatus(event.properties.sessionID, idle)
        return this.close(event.properties.sessionID)
      default:
        return
    }
  }

  /** Forgets what only an open session has. */
  close(sessionID: string): void {
    if (this.#todos.delete(sessionID)) this.touch(`todos:${sessionID}`)
    if (this.#inboxes.delete(sessionID)) this.touch(`inbox:${sessionID}`)
  }

  #setStatus(sessionID: string, status: SessionStatus): void {
    if (status.type === "idle") this.#statuses.delete(sessionID)
    else this.#statuses.set(sessionID, status)
    this.touch(`status:${sessionID}`)
  }
}

/** Those that somebody moved come first, by their rank; the others as they came. */
function inOrder(items: readonly InboxItem[]): readonly InboxItem[] {
  const rank = (item: InboxItem) => item.rank ?? Number.POSITIVE_INFINITY
  return items.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}

import type { PermissionRequest } from "@cairn/schema/permission"
import type { QuestionRequest } from "@cairn/schema/question"
import type { StreamEvent } from "./stream-event.ts"

/** Something that waits for the user. */
export type Ask =
  | { readonly kind: "permission"; readonly request: PermissionRequest }
  | { readonly kind: "question"; readonly request: QuestionRequest }

/** Ids of answered asks that are remembered, so that a late copy of one does not open it again. */
const mostAnswered = 1_000

/** What waits for an answer in any session, in the order in which it was asked. */
export class Asks {
  readonly #waiting = new Map<string, Ask>()
  readonly #answered = new Set<string>()
  #list: readonly Ask[] = []

  constructor(private readonly changed: () => void) {}

  /** The array is another one when they change. */
  get list(): readonly Ask[] {
    return this.#list
  }

  /** Puts all of a kind anew. */
  put<K extends Ask["kind"]>(kind: K, requests: readonly Extract<Ask, { kind: K }>["request"][]): void {
    for (const [id, ask] of this.#waiting) if (ask.kind === kind) this.#waiting.delete(id)
    for (const request of requests)
      if (!this.#answered.has(request.id)) this.#waiting.set(request.id, { kind, request } as Ask)
    this.#update()
  }

  follow(event: StreamEvent): void {
    switch (event.type) {
      case "permission.asked":
        return this.#ask({ kind: "permission", request: event.properties })
      case "question.asked":
        return this.#ask({ kind: "question", request: event.properties })
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return this.#answer(event.properties.requestID)
      case "session.deleted":
        for (const [id, { request }] of this.#waiting)
          if (request.sessionID === event.properties.sessionID) this.#answer(id)
        return
      default:
        return
    }
  }

  #ask(ask: Ask): void {
    const { id } = ask.request
    if (this.#answered.has(id) || this.#waiting.has(id)) return
    this.#waiting.set(id, ask)
    this.#update()
  }

  #answer(id: string): void {
    this.#answered.add(id)
    for (const oldest of this.#answered) {
      if (this.#answered.size <= mostAnswered) break
      this.#answered.delete(oldest)
    }
    if (this.#waiting.delete(id)) this.#update()
  }

  #update(): void {
    // A copy may come before what was asked earlier; ids grow.
    this.#list = [...this.#waiting.values()].toSorted((a, b) => compare(a.request.id.slice(4), b.request.id.slice(4)))
    this.changed()
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

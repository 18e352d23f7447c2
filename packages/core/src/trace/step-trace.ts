import type { AssistantMessage } from "@cairn/schema/message"
import { addTokens } from "@cairn/schema/model"
import type { RetryPart, StepFinishPart, ToolPart } from "@cairn/schema/part"
import { close, type Draft, draft, failed, failedBy } from "./draft.ts"

/**
 * One step: its model calls, the waits between them, and the tools that they called. A call begins with its message, or
 * when the wait before it is over. Where its answer ended is not in the log when tools ran, since the step is closed
 * after them: then it is the last moment at which the call gave something.
 */
export class StepTrace {
  readonly span: Draft
  readonly #calls = new Map<string, Draft>()
  #message: AssistantMessage
  #model: Draft | undefined
  #retry: { span: Draft; next: number | undefined } | undefined
  /** When the call under way last gave something, and whether it called a tool. */
  #given = 0
  #called = false

  constructor(message: AssistantMessage) {
    this.#message = message
    this.span = draft("step", message.agent, message.time.created)
    this.span.id = message.id
    this.#begin(message.time.created)
  }

  /** Waits for another try, which may be a message of its own. */
  get retrying(): boolean {
    return this.#retry !== undefined && this.#message.error === undefined
  }

  get summary(): boolean {
    return this.#message.summary === true
  }

  /** The next try, where the one before it had given something that stays. */
  continued(message: AssistantMessage): void {
    this.#message = message
    this.#begin(message.time.created)
    delete this.span.end
  }

  updated(info: AssistantMessage): void {
    this.#message = info
    const { completed } = info.time
    if (completed === undefined) return
    if (info.error) failedBy(this.span, info.error)
    else delete this.span.error
    if (this.#retry && completed > (this.#retry.next ?? completed)) this.#begin(this.#retry.next ?? completed)
    else if (this.#retry && info.error) close(this.#retry.span, completed)
    if (this.#model) this.#endCall(completed, (call) => info.error && failedBy(call, info.error))
    // What a retry says of a failed call may be a moment younger than the end of its message.
    close(
      this.span,
      this.span.children.reduce((latest, { end = 0 }) => Math.max(latest, end), completed),
    )
  }

  /** A text, reasoning or call of the model was there at this time. */
  given(at: number): void {
    if (!this.#model && !this.#retry) return
    const call = this.#model ?? this.#begin(this.#retry?.next ?? this.#retry?.span.start ?? at)
    call.firstToken ??= Math.max(call.start, at)
    this.#given = Math.max(this.#given, at)
  }

  /** The call of a tool, in whatever state it is. `time` is that of the change. */
  tool(part: ToolPart, time: number): void {
    const { state } = part
    const known = this.#calls.get(part.id)
    if (known?.end !== undefined) return
    // What never ran is closed with the step: the model gave it before.
    const cut = state.status === "error" && state.kind === "interrupted"
    if (!known && !cut) this.given(state.status === "pending" ? time : state.time.start)
    this.#called = true
    if (state.status === "pending") return
    const span = known ?? this.#call(part, state.time.start)
    if (state.status === "running") return
    close(span, state.time.end)
    if (state.status === "completed") span.outcome = "completed"
    else failed(span, state.kind ?? "error", state.error)
  }

  /** The span of a call by the id that the model gave it. */
  call(callID: string): Draft | undefined {
    return this.#calls.values().find((span) => span.id === callID)
  }

  retry({ attempt, error, time }: RetryPart): void {
    this.#endCall(time.created, (call) => failedBy(call, error))
    const span = draft("retry", `attempt ${attempt + 1}`, time.created)
    this.span.children.push(span)
    this.#retry = { span, next: time.next }
  }

  finished({ reason, tokens, cost }: StepFinishPart, time: number): void {
    if (!this.#model) this.#begin(this.#retry?.next ?? time)
    this.#endCall(time, (call) => Object.assign(call, { outcome: reason, tokens, cost }))
    this.span.outcome = reason
    this.span.tokens = this.span.tokens ? addTokens(this.span.tokens, tokens) : tokens
    this.span.cost = (this.span.cost ?? 0) + cost
  }

  /** Nothing more comes. A wait that still stands was none when the turn went on in another way. */
  settle(at: number, turn: "goes on" | "ended"): void {
    if (!this.#retry) return
    if (turn === "ended") close(this.#retry.span, at)
    else this.span.children.splice(this.span.children.indexOf(this.#retry.span), 1)
    this.#retry = undefined
  }

  #begin(at: number): Draft {
    if (this.#retry) close(this.#retry.span, at)
    this.#retry = undefined
    const { providerID, modelID } = this.#message
    const call = draft("model", `${providerID}/${modelID}`, at)
    this.#model = call
    this.#given = at
    this.#called = false
    this.span.children.push(call)
    return call
  }

  #endCall(at: number, note: (call: Draft) => unknown): void {
    if (!this.#model) return
    close(this.#model, this.#called ? Math.min(this.#given, at) : at)
    note(this.#model)
    this.#model = undefined
  }

  #call(part: ToolPart, start: number): Draft {
    const span = draft("tool", part.tool, start)
    span.id = part.callID
    this.#calls.set(part.id, span)
    this.span.children.push(span)
    return span
  }
}

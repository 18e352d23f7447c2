import type { Tokens } from "./model.ts"

/** `ask` is a question of ours to the user, `retry` the wait before the next try; `prune` and `title` are moments. */
export type TraceKind = "turn" | "step" | "model" | "tool" | "ask" | "retry" | "compaction" | "prune" | "title"

/** A piece of a session's work, as far as the log tells. Times are ms since the epoch, ordered within their parent. */
export interface TraceSpan {
  readonly kind: TraceKind
  /** Agent of a turn or step, `provider/model` of a call, tool, permission that is asked for, new title. */
  readonly name: string
  readonly start: number
  /** Absent exactly when `open` is there. */
  readonly end?: number
  /** The log does not say when it ended: it goes on, or its process died in it. */
  readonly open?: "running" | "cut_off"
  /** Of an open one: the last that the log knows of its turn. */
  readonly last?: number
  /** Of a model call: when its first text, reasoning or call came. */
  readonly firstToken?: number
  readonly tokens?: Tokens
  readonly cost?: number
  /** How it ended, in a word: `done`, `tool-calls`, `once`. */
  readonly outcome?: string
  readonly error?: { readonly kind: string; readonly message: string }
  /** Of a call (`tool`), a message (`step`) or an ask. */
  readonly id?: string
  readonly children: readonly TraceSpan[]
}

/** The turns of a session, oldest first. */
export interface SessionTrace {
  readonly sessionID: string
  readonly turns: readonly TraceSpan[]
}

/**
 * One line or block of a transcript, as any surface shows it: which parts of which message, and nothing of how. What is
 * folded, focused or how high it is belongs to the surface, by `id`. The object is the same as long as nothing of it
 * changes; text that streams into a part changes none but the last row of it, and that only when a block is added.
 */
export interface Row {
  /** The same for as long as it is shown, also while it grows. */
  readonly id: string
  readonly kind: RowKind
  readonly messageID: string
  /** Ids of what it shows, in order. Empty for `error`, `dropped` and `reverted`. */
  readonly parts: readonly string[]
  /** Of `text`: which block of it, from 0. */
  readonly block?: number
  /** It may still change by itself: text that streams, a call that runs. */
  readonly live: boolean
  /** Of `tool` and `tools`. */
  readonly tool?: string
  /** Of `tool`: it failed. */
  readonly failed?: boolean
  /** Of `reverted`: how many messages are hidden. */
  readonly hidden?: number
}

/**
 * `user`: a prompt with its files. `tools`: calls of the same kind in succession, as one. `error`: why a message ended.
 * `dropped`: a message whose contents are not held. `reverted`: what comes is hidden until the next prompt. `other`: a part
 * that this version does not know.
 */
export type RowKind =
  | "user"
  | "text"
  | "reasoning"
  | "tool"
  | "tools"
  | "retry"
  | "subtask"
  | "compaction"
  | "error"
  | "dropped"
  | "reverted"
  | "other"

import type { Clock } from "@cairn/kernel/clock"

export interface EngineOptions {
  /** Where the session works. Must exist. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly version: string
  /** Config given on the command line; the highest layer. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Only prompts of this engine are answered: what others queued waits on. For a process that ends after one. */
  readonly leavesQueued?: boolean
  /** Trust this workspace for this run. */
  readonly trust?: boolean
  /** Time, where it is not the system's. */
  readonly clock?: Clock
  /** What sends requests, where it is not the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

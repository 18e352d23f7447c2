import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { noSpan, type Tracer } from "@cairn/kernel/span"
import type { Net } from "../net/net.ts"
import type { Env } from "./wanted.ts"

export interface Tracing {
  readonly tracer: Tracer
  /** What the user should mend so that traces are sent; without values, which may be secret. */
  readonly warnings: readonly string[]
  /** Ends what is open and sends what is left, in about a second at most. Never throws. */
  close(): Promise<void>
}

export interface TracingOptions {
  /** The environment of the process, which no project's file has a say in. */
  readonly env: Env
  readonly net: Pick<Net, "client">
  readonly clock: Clock
  readonly log: Log
  readonly version: string
}

/** Nobody wants traces. */
export const noTracing: Tracing = { tracer: noSpan, warnings: [], close: () => Promise.resolve() }

import type { Clock } from "@cairn/kernel/clock"
import type { Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { DoctorReport } from "@cairn/core/doctor/check"
import type { DoctorOptions } from "@cairn/core/doctor/doctor"
import type { Engine } from "@cairn/schema/engine"
import type { EngineOptions } from "@cairn/core/engine-options"

/** Why the process has to end before its work: a signal, or a reader of stdout that went away. */
export type Interruption = "SIGINT" | "SIGTERM" | "SIGPIPE"

/** A stream to the outside. Writing never throws and never waits; `flush` resolves when all is written or the reader is gone. */
export interface Out {
  readonly isTerminal: boolean
  /** Width in columns; 80 where unknown. */
  readonly columns: number
  /** Why nothing can be written any more, unless it is that the reader went away. */
  readonly failure: string | undefined
  write(text: string): void
  flush(): Promise<void>
}

/** What stdin is; "none" is the null device too. `chunks` may be read once; ending the iteration lets the stream go. */
export interface Stdin {
  readonly kind: "terminal" | "file" | "pipe" | "directory" | "none"
  chunks(): AsyncIterable<Uint8Array>
}

/** Everything a command touches outside of its arguments. */
export interface Io {
  readonly stdout: Out
  readonly stderr: Out
  readonly stdin: Stdin
  readonly env: Readonly<Record<string, string | undefined>>
  /** Undefined when it was removed: what needs it says so (`needCwd`). */
  readonly cwd: string | undefined
  /** Undefined for a user without one: what needs it says so (`needHome`). */
  readonly home: string | undefined
  readonly version: string
  readonly clock: Clock
  /** Calls `listener` on every interruption. Returns how to stop. */
  interruptions(listener: (interruption: Interruption) => void): () => void
  /** Ends the process now, without any farewell. For the second signal. */
  exitNow(code: number): void
  openEngine(options: EngineOptions): Promise<Result<Engine, SetupError>>
  /** Looks at what an engine needs, without opening one. */
  examine(options: DoctorOptions): Promise<DoctorReport>
}

import type { DoctorReport } from "@cairn/core/doctor/check"
import type { Engine } from "@cairn/schema/engine"
import type { Clock } from "@cairn/kernel/clock"
import { err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { TestClock } from "@cairn/testkit/clock"
import type { Interruption, Io, Out, Stdin } from "../src/io.ts"

/** A stream that keeps what was written. */
export interface Captured extends Out {
  text: string
}

export function captured(options: { terminal?: boolean; columns?: number } = {}): Captured {
  return {
    text: "",
    isTerminal: options.terminal ?? false,
    columns: options.columns ?? 80,
    failure: undefined,
    write(piece) {
      this.text += piece
    },
    flush: async () => {},
  }
}

/** Stands for silence without an end. */
export const open = Symbol("open")

/** Stdin that gives these pieces and ends, or never ends when the last one is `open`. */
export function stdinOf(kind: Stdin["kind"], pieces: readonly (string | Uint8Array | typeof open)[] = []): Stdin {
  return {
    kind,
    async *chunks() {
      for (const piece of pieces) {
        if (typeof piece === "symbol") await new Promise(() => {})
        else yield typeof piece === "string" ? new TextEncoder().encode(piece) : piece
      }
    },
  }
}

export interface FakeIo extends Io {
  readonly stdout: Captured
  readonly stderr: Captured
  readonly clock: TestClock
  readonly exits: number[]
  interrupt(interruption: Interruption): void
}

export interface FakeIoOptions {
  readonly stdout?: Captured
  readonly stderr?: Captured
  readonly stdin?: Stdin
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly home?: string | undefined
  readonly clock?: Clock
  readonly engine?: Engine | SetupError
  readonly report?: DoctorReport
}

/** The edge of the program, held in memory. Without an engine, opening one fails the test. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const listeners = new Set<(interruption: Interruption) => void>()
  const exits: number[] = []
  const { engine } = options
  return {
    stdout: options.stdout ?? captured(),
    stderr: options.stderr ?? captured(),
    stdin: options.stdin ?? stdinOf("none"),
    env: options.env ?? {},
    cwd: options.cwd ?? "/",
    home: "home" in options ? options.home : "/home/test",
    version: "9.9.9",
    clock: new TestClock(),
    exits,
    interrupt(interruption) {
      for (const listener of listeners) listener(interruption)
    },
    interruptions(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    exitNow: (code) => void exits.push(code),
    async openEngine() {
      if (!engine) throw new Error("this test opens no engine")
      return "kind" in engine ? err(engine) : ok(engine)
    },
    async examine() {
      if (!options.report) throw new Error("this test examines nothing")
      return options.report
    },
  }
}

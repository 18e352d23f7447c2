import type { Result } from "@cairn/kernel/result"
import type { Io } from "../io.ts"

/** What a shell may offer for a value: a kind of thing, or the words themselves. */
export type Completion = "file" | "directory" | "session" | "model" | "agent" | readonly string[]

/** One flag: help, documentation, completion and parsing come from this object. */
export interface Flag<T = unknown> {
  readonly name: string
  readonly short?: string
  /** One line without a full stop at the end. */
  readonly doc: string
  /** Name of the value in help (`<path>`). Absent: a switch. */
  readonly value?: string
  readonly repeatable?: boolean
  readonly completion?: Completion
  /** A refusal says what was expected. A switch is parsed from "true". */
  parse(text: string): Result<T, string>
}

/** The words of a command that are no flags. */
export interface Arguments {
  /** As shown in usage: `<id>`, `[message…]`. */
  readonly usage: string
  readonly doc: string
  readonly min: number
  readonly max: number
  readonly completion?: Completion
}

/** What was given: words in order, and the values of flags. */
export interface Input {
  readonly words: readonly string[]
  get<T>(flag: Flag<T>): T | undefined
  /** Every value of a repeatable flag, in order. */
  all<T>(flag: Flag<T>): readonly T[]
}

/** One command. `name` is its full path (`session list`). `run` returns the exit code. */
export interface Command {
  readonly name: string
  /** One line, for lists. */
  readonly summary: string
  /** Paragraphs, for the command's own help. */
  readonly doc: string
  /** Lines that can be pasted into a shell. */
  readonly examples: readonly string[]
  readonly flags: readonly Flag[]
  readonly args?: Arguments
  run(io: Io, input: Input): Promise<number>
}

/** Something wrong with the command line: one sentence, and what to do. */
export interface UsageError {
  readonly message: string
  /** The command that was meant, if it was found: its help is pointed at. */
  readonly command?: string
}

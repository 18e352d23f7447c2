import type { Out } from "../io.ts"

/** What a stream may be given. */
export interface Look {
  readonly color: boolean
  /** Lines may be rewritten in place. */
  readonly live: boolean
  /** Columns to keep short lines within; Infinity where nobody looks at columns. */
  readonly width: number
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Decides from the stream and the environment. CAIRN_PLAIN and TERM=dumb win over everything, then FORCE_COLOR
 * (0 means none), then NO_COLOR, then whether the stream is a terminal.
 */
export function lookOf(stream: Pick<Out, "isTerminal" | "columns">, env: Env): Look {
  const width = stream.isTerminal ? Math.max(20, stream.columns) : Infinity
  if (set(env["CAIRN_PLAIN"]) || env["TERM"] === "dumb") return { color: false, live: false, width }
  const forced = env["FORCE_COLOR"]
  const color = forced !== undefined && forced !== "" ? set(forced) : !env["NO_COLOR"] && stream.isTerminal
  return { color, live: stream.isTerminal, width }
}

function set(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value !== "false"
}

type Paint = (text: string) => string

/** Colours by meaning. Without colour every function returns its text as it is. */
export interface Style {
  readonly strong: Paint
  readonly dim: Paint
  readonly bad: Paint
  readonly good: Paint
  readonly warn: Paint
  readonly mark: Paint
}

export function styleOf(color: boolean): Style {
  const paint = (open: number, close: number): Paint =>
    color ? (text) => (text === "" ? "" : `\x1b[${open}m${text}\x1b[${close}m`) : (text) => text
  return {
    strong: paint(1, 22),
    dim: paint(2, 22),
    bad: paint(31, 39),
    good: paint(32, 39),
    warn: paint(33, 39),
    mark: paint(36, 39),
  }
}

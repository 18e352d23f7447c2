import { resolveRenderLib } from "@opentui/core"
import { type Caps, capsOf } from "./caps.ts"

/** What the terminal interface finds here, as name and value, in the order to show. */
export interface TerminalReport {
  readonly rows: readonly (readonly [name: string, value: string])[]
  /** Why the interface cannot be drawn; undefined when it can. */
  readonly problem: string | undefined
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Both ends are a terminal. */
  readonly terminal: boolean
  readonly columns: number
}

/** Loads the native renderer, which is the only thing here that can fail, and reads the environment. Writes nothing. */
export function terminalReport({ env, terminal, columns }: Surroundings): TerminalReport {
  const caps = capsOf(env)
  const problem = rendererProblem()
  const rows = [
    ["terminal", terminal ? `${caps.name}, ${columns} columns` : "none: input or output is no terminal"],
    ["colours", colours(caps)],
    ["glyphs", caps.unicode ? "Unicode" : "ASCII"],
    ["multiplexer", caps.multiplexer ?? "none"],
    ["remote", caps.remote ? "yes, over SSH: the clipboard here is not the user's" : "no"],
    ["renderer", problem ?? "loaded"],
  ] as const
  return { rows, problem }
}

function colours({ depth }: Caps): string {
  if (depth === "none") return "none: bold, underline and reverse alone"
  return depth === "truecolor" ? "16 million" : depth
}

function rendererProblem(): string | undefined {
  try {
    resolveRenderLib()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

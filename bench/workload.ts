import type { CapturedRequest } from "../packages/testkit/src/request.ts"
import { text, toolCall, type Reply } from "../packages/testkit/src/scenario.ts"

/** What the scripted model does in one measured run. */
export interface Workload {
  readonly prompt: string
  /** Model requests that a run makes. */
  readonly requests: number
  reply(request: Pick<CapturedRequest, "index">): Reply
}

/** The file that the tool loop reads and edits, and how often it was edited once `steps` are done. */
export const workFile = "work.txt"
export const countAfter = (steps: number): string => `count: ${Math.floor((steps + 1) / 3)}`

/** Forty lines, the last with the counter that each edit raises. */
export function workText(): string {
  const lines = Array.from({ length: 39 }, (_, index) => `line ${index + 1} of a file as it is read and edited`)
  return `${[...lines, "count: 0"].join("\n")}\n`
}

/** Nothing but a short answer. */
const sayHi: Workload = { prompt: "say hi", requests: 1, reply: () => text("Hi there.") }

/** One answer in this many pieces. */
function deltas(count: number): Workload {
  return { prompt: "write a long answer", requests: 1, reply: () => text("words ".repeat(count), { chunks: count }) }
}

/** `steps` calls, one a request: read, edit, bash in turn, the same file all along; then an answer. */
export function toolLoop(steps: number): Workload {
  return {
    prompt: "raise the counter and look at it",
    requests: steps + 1,
    reply: ({ index }) => (index < steps ? call(index) : text("Done.")),
  }
}

function call(index: number): Reply {
  const round = Math.floor(index / 3)
  if (index % 3 === 0) return toolCall("read", { filePath: workFile })
  if (index % 3 === 1)
    return toolCall("edit", { filePath: workFile, oldString: `count: ${round}\n`, newString: `count: ${round + 1}\n` })
  return toolCall("bash", { command: `echo round ${round}` })
}

/** `steps` commands, each of which says in which namespace of processes it runs; then an answer. */
export function commandLoop(steps: number): Workload {
  return {
    prompt: "say where you run",
    requests: steps + 1,
    reply: ({ index }) =>
      index < steps ? toolCall("bash", { command: `echo ${index} $(readlink /proc/self/ns/pid)` }) : text("Done."),
  }
}

/** By its name on a command line: `hi`, `loop-50`, `commands-40`, `deltas-20000`. Throws for any other. */
export function workloadNamed(name: string): Workload {
  const [kind, count = "0"] = name.split("-")
  if (kind === "hi") return sayHi
  if (kind === "loop") return toolLoop(Number(count))
  if (kind === "commands") return commandLoop(Number(count))
  if (kind === "deltas") return deltas(Number(count))
  throw new Error(`there is no workload ${name}`)
}

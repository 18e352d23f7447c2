// The scripted model in a process of its own, so that its CPU and memory are not the client's: `server.ts <workload>`.
// Prints its base URL, serves until stdin ends, then prints a Served as JSON.
import type { CapturedRequest } from "../packages/testkit/src/request.ts"
import { startModelServer } from "../packages/testkit/src/server.ts"
import { keptShare, promptSize, type PromptSize } from "./prompt-bytes.ts"
import { workloadNamed } from "./workload.ts"

/** What the server saw of one run. */
export interface Served {
  /** When each request was there with its whole body, ms. */
  readonly arrivals: readonly number[]
  readonly first: PromptSize | undefined
  /** The least share of a request's prompt that the next one began with, 0 to 1. */
  readonly kept: number
  /** Requests that the script did not provide for. */
  readonly unexpected: readonly string[]
}

const workload = workloadNamed(process.argv[2] ?? "")
const arrivals: number[] = []
const script = (request: CapturedRequest) => {
  arrivals.push(performance.now())
  return workload.reply(request)
}
// Lenient: whether a history is legal is for the tests to say; here the check would cost time in every request.
await using server = await startModelServer(script, { lenient: true })
process.stdout.write(`${server.baseURL("chat")}\n`)
await Bun.stdin.text()

const bodies = server.requests.map((request) => request.body)
const served: Served = {
  arrivals,
  first: bodies.length === 0 ? undefined : promptSize(bodies[0]),
  kept: keptShare(bodies),
  unexpected: server.unexpected.map(({ reason }) => reason),
}
process.stdout.write(JSON.stringify(served))

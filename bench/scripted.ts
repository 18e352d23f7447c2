import { join } from "node:path"
import type { Served } from "./server.ts"

/** The scripted model's process. */
export interface Scripted extends AsyncDisposable {
  readonly baseURL: string
  /** Ends it and gives what it saw. */
  served(): Promise<Served>
}

/** Starts the scripted model of a workload, by its name. Disposing kills it. */
export async function startScripted(workload: string): Promise<Scripted> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "server.ts"), workload], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const lines = linesOf(child.stdout)
  const { value: baseURL } = await lines.next()
  if (!baseURL) throw new Error(`the scripted model did not start (exit ${await child.exited})`)
  return {
    baseURL,
    async served() {
      await child.stdin.end()
      const { value } = await lines.next()
      if (!value) throw new Error("the scripted model said nothing of what it saw")
      return JSON.parse(value) as Served
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await child.exited
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") yield rest
  return undefined
}

import { processesWith } from "@cairn/testkit/process-tree"
import type { InterruptDriver, InterruptInput } from "@cairn/testkit/interrupt-run"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { createEngine } from "../../src/app.ts"
import type { Engine } from "@cairn/schema/engine"
import { readLog } from "./harness.ts"

/** An argument that no other process on this machine has: what the interrupted command waits for. */
export const longSleep = `97.${process.pid}`

export interface Driven extends InterruptDriver, AsyncDisposable {
  readonly engine: Engine
}

interface DriverOptions {
  readonly limit?: { readonly context: number; readonly output: number }
  readonly config?: Readonly<Record<string, unknown>>
  /** What is interrupted: a turn, or a compaction that the user asked for after one. */
  readonly what?: "turn" | "compaction"
}

/** One engine for many interrupted prompts, each in a session of its own and with a model server of its own. */
export async function interruptDriver(options: DriverOptions = {}): Promise<Driven> {
  const { limit = { context: 200_000, output: 8_000 }, what = "turn" } = options
  const workspace = await tempWorkspace({ files: { "a.txt": "one\n" } })
  let current: InterruptInput | undefined
  const provider = (npm: string) => ({
    npm,
    // Never reached: the transport below sends to the server of the run.
    options: { baseURL: "http://127.0.0.1:9/v1", apiKey: "k" },
    models: { scripted: { tool_call: true, limit } },
  })
  const config = {
    permission: { read: "ask", edit: "ask" },
    provider: { chat: provider("@ai-sdk/openai-compatible"), anthropic: provider("@ai-sdk/anthropic") },
    ...options.config,
  }
  const transport = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!current) throw new Error("no run is under way")
    const url = new URL(input instanceof Request ? input.url : input)
    return current.fetch(`${current.server.url}${url.pathname}`, init)
  }
  const made = await createEngine({
    directory: workspace.dir,
    env: { ...workspace.env, CAIRN_CONFIG_CONTENT: JSON.stringify(config) },
    home: workspace.home,
    version: "test",
    fetch: Object.assign(transport, { preconnect: () => undefined }),
  })
  if (!made.ok) throw new Error(made.error.message)
  const engine = made.value
  return {
    engine,
    async start(input) {
      current = input
      const { id: sessionID } = await engine.createSession({})
      const model = { providerID: input.protocol, modelID: "scripted" }
      const prompt = (text: string) =>
        engine.prompt({ sessionID, parts: [{ type: "text", text }], model, asks: "wait" })
      if (what === "compaction") await prompt("something to sum up")
      const done = what === "compaction" ? engine.compact(sessionID) : prompt("go")
      return {
        sessionID,
        async goOn() {
          const ended = await prompt("go on")
          return ended.ok ? ended.value.reason : ended.error.message
        },
        abort: () => engine.abort(sessionID),
        done,
        log: () => readLog(engine.paths.database, sessionID),
        subscribe: (listener) =>
          engine.subscribe((event) => {
            if ("sessionID" in event.properties && event.properties.sessionID === sessionID) listener()
          }),
        childPids: () => processesWith(longSleep),
        async [Symbol.asyncDispose]() {
          await engine.abort(sessionID)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await workspace[Symbol.asyncDispose]()
    },
  }
}

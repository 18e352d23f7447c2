import { createEngine } from "@cairn/core/app"
import { type Clock, systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import type { Scenario } from "@cairn/testkit/scenario"
import { type ModelServer, startModelServer } from "@cairn/testkit/server"
import { type TempWorkspace, tempWorkspace } from "@cairn/testkit/workspace"
import type { OpenEngine } from "../src/instances.ts"
import { misfits, originalOf } from "./original-api.ts"
import { type RunningServer, type ServerOptions, startServer } from "../src/serve.ts"

const token = "test-token-of-the-bench"

export interface Bench extends AsyncDisposable {
  readonly model: ModelServer
  readonly workspace: TempWorkspace
  readonly server: RunningServer
  readonly openEngine: OpenEngine
  /** The header of who may call. */
  readonly authorization: string
  /** Opens a stream with the token. */
  open(path: string, headers?: Record<string, string>): Promise<Response>
  /** Sends a request with the token. A body that is no text is sent as JSON. */
  call(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Answered>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Throws when the body is no JSON. */
  readonly json: any
}

export interface BenchOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly server?: Partial<ServerOptions>
  readonly clock?: Clock
}

/** A running server on a temporary workspace, with a scripted model behind real HTTP. */
export async function bench(scenario: Scenario = [], options: BenchOptions = {}): Promise<Bench> {
  const model = await startModelServer(scenario)
  const workspace = await tempWorkspace({ files: options.files ?? {}, git: true })
  const config = {
    model: "test/scripted",
    provider: {
      test: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: model.baseURL("chat"), apiKey: "test-key" },
        models: { scripted: { name: "Scripted", tool_call: true, limit: { context: 200_000, output: 8_000 } } },
      },
    },
    ...options.config,
  }
  const openEngine: OpenEngine = (directory) =>
    createEngine({
      directory,
      env: { ...workspace.env, CAIRN_CONFIG_CONTENT: JSON.stringify(config) },
      home: workspace.home,
      version: "test",
    })
  const started = startServer({
    ...{ hostname: "127.0.0.1", port: 0, directory: workspace.dir, version: "test", origins: [] },
    ...{ credentials: { token }, clock: options.clock ?? systemClock, log: silentLog, openEngine },
    ...options.server,
  })
  if (!started.ok) throw new Error(started.error.message)
  const server = started.value
  return {
    ...{ model, workspace, server, openEngine, authorization: `Bearer ${token}` },
    async open(path, headers = {}) {
      return await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}`, ...headers } })
    },
    async call(method, path, body, init = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`)
      if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json")
      const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
      const response = await fetch(new URL(path, server.url), {
        ...init,
        method,
        headers,
        ...(sent !== undefined && { body: sent }),
      })
      const answer = await answered(response)
      checkShape(method, path, answer)
      return answer
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await model[Symbol.asyncDispose]()
      await workspace[Symbol.asyncDispose]()
    },
  }
}

/** Every success has to be one for the original's clients too. */
function checkShape(method: string, path: string, answer: Answered): void {
  const original = originalOf(method, path.replace(/\?.*$/, ""))
  if (!original || answer.status >= 400) return
  if (answer.status !== original.status) throw new Error(`${method} ${path}: ${answer.status}, not ${original.status}`)
  const wrong = original.response ? misfits(original.response, answer.json) : []
  if (wrong.length > 0)
    throw new Error(`${method} ${path} does not fit the original: ${wrong.join("; ")}\n${answer.text}`)
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

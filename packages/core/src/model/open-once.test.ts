import { expect, test } from "bun:test"
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { TaskGroup } from "@cairn/kernel/task"
import { text } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import type { Fetch } from "../net/net.ts"
import { openOnce } from "./open-once.ts"
import { protocols } from "./protocol.ts"

const wires = {
  "@ai-sdk/openai-compatible": "chat",
  "@ai-sdk/anthropic": "anthropic",
  "@ai-sdk/openai": "responses",
  "@ai-sdk/google": "google",
} as const
type Npm = keyof typeof wires

/** A `fetch` that counts what goes through it. */
function counting() {
  const seen = { requests: 0 }
  const call = (input: string | URL | Request, init?: RequestInit) => {
    seen.requests++
    return fetch(input, init)
  }
  return { seen, fetch: Object.assign(call, { preconnect: () => {} }) as Fetch }
}

const options = (abortSignal?: AbortSignal): LanguageModelV4CallOptions => ({
  prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  ...(abortSignal ? { abortSignal } : {}),
})

async function drain({ stream }: { stream: ReadableStream<{ type: string }> }): Promise<string | undefined> {
  let last: string | undefined
  for await (const part of stream) last = part.type
  return last
}

for (const npm of Object.keys(wires) as Npm[]) {
  test(`${npm}: opened once, each call goes through its own fetch, also side by side`, async () => {
    await using server = await startModelServer(() => text("hello"))
    let opened = 0
    const pinned = counting()
    const open = openOnce(pinned.fetch, (fetch) => {
      opened++
      const settings = { baseURL: server.baseURL(wires[npm]), apiKey: "k", headers: {}, extra: {} }
      return protocols[npm]!.open("model", { ...settings, fetch, reasoningField: undefined })
    })
    await using one = new TaskGroup()
    await using other = new TaskGroup()
    const first = counting()
    const second = counting()
    const [a, b] = await Promise.all([open(first.fetch), open(second.fetch)])
    const ends = await Promise.all([a.doStream(options(one.signal)), b.doStream(options(other.signal))])
    expect(await Promise.all(ends.map(drain))).toEqual(["finish", "finish"])
    // The first one again, after the second was the newest.
    await drain(await a.doStream(options(one.signal)))
    const plain = await open()
    await drain(await plain.doStream(options()))
    expect([opened, first.seen.requests, second.seen.requests, pinned.seen.requests]).toEqual([1, 2, 1, 1])
    expect(server.unexpected).toEqual([])
  })
}

test("a package that could not be opened is tried again", async () => {
  let tries = 0
  const open = openOnce(counting().fetch, () => Promise.reject(new Error(`try ${++tries}`)))
  await expect(open()).rejects.toThrow("try 1")
  await expect(open()).rejects.toThrow("try 2")
})

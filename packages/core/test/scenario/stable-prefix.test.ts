import { expect, test } from "bun:test"
import { type Clock, systemClock } from "@cairn/kernel/clock"
import type { CapturedRequest, WireProtocol } from "@cairn/testkit/request"
import { userTexts } from "@cairn/testkit/request"
import { cutStream, noUsage, reasoning, type Reply, status, text, toolCall, usage } from "@cairn/testkit/scenario"
import fc from "fast-check"
import { type Bench, bench, problemsOf } from "./harness.ts"
import { expectPrefix, promptOf } from "./prefix.ts"

const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** What the model may do in a step. */
const replies: Readonly<Record<string, (n: number) => Reply>> = {
  text: (n) => [text(`Some words, ${n}.`)],
  thought: (n) => [reasoning(`Thinking ${n}.`, { signature: "c2ln" }), text("Thought.")],
  read: () => [text("Let me see."), toolCall("read", { filePath: "a.txt" })],
  nested: () => [toolCall("read", { filePath: "deep/b.txt" })],
  picture: () => [toolCall("read", { filePath: "dot.png" })],
  edit: (n) => [toolCall("write", { filePath: `new-${n}.txt`, content: `${n}\n` }), toolCall("glob", { pattern: "*" })],
  twice: () => [reasoning("Both."), toolCall("bash", { command: "echo 1" }), toolCall("bash", { command: "echo 2" })],
  unknown: (n) => [toolCall("browse", { n })],
  malformed: () => [toolCall("read", '{"filePath": ')],
  bare: () => [toolCall("list", ""), toolCall("todowrite", { todos: [] })],
  sameID: () => [
    toolCall("read", { filePath: "a.txt" }, { id: "call_1" }),
    toolCall("read", { filePath: "deep/b.txt" }, { id: "call_1" }),
  ],
  denied: () => [toolCall("bash", { command: "curl example.invalid" })],
  much: () => [toolCall("bash", { command: "seq 1 1500" }), usage({ input: 21_000, output: 1_000 })],
  empty: () => [],
  uncounted: () => [text("No numbers."), noUsage()],
  cut: () => [text("Half a sen"), cutStream()],
  cutAfterCall: () => [toolCall("bash", { command: "echo once" }), text("and"), cutStream()],
  busy: () => status(503, { headers: { "retry-after-ms": "1" } }),
  tooLong: () => status(400, { body: '{"error":{"message":"prompt is too long","code":"context_length_exceeded"}}' }),
}

type Act =
  | { readonly do: "prompt"; readonly files: boolean; readonly steer: boolean }
  | { readonly do: "restart" | "touch" | "compact" }
  | { readonly do: "agent" | "model"; readonly to: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("prompt" as const), files: fc.boolean(), steer: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "touch" as const, "compact" as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("agent" as const, "model" as const), to: fc.nat(3) }) },
)

/** The real one, but nobody waits for the next try. */
const hurried: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  timer: (ms, fire) => systemClock.timer(ms > 1_000 && ms < 5_000 ? 1 : ms, fire),
}

interface Seen {
  readonly request: CapturedRequest
  readonly epoch: number
  readonly summary: boolean
  /** It asks for a summary of what the provider has just refused as too long: shortened, so no prefix. */
  readonly shortened: boolean
}

const providers = ["chat", "claude", "gpt", "gemini"] as const
const asksForSummary = (request: CapturedRequest) => userTexts(request).at(-1)?.includes("## Relevant files") === true

/** Plays the acts over a model that does as `script` says, and gives every request with the epoch that it belongs to. */
async function play(script: readonly string[], acts: readonly Act[]): Promise<{ seen: Seen[]; problems: string[] }> {
  const seen: Seen[] = []
  let epoch = 0
  let step = 0
  const pending: Promise<unknown>[] = []
  let steer: (() => Promise<unknown>) | undefined
  const answer = (request: CapturedRequest): Reply => {
    const summary = asksForSummary(request)
    seen.push({ request, epoch, summary, shortened: summary && script[step - 1] === "tooLong" })
    if (summary) return [text(`## Goal\nSummary ${seen.length}.`)]
    if (steer) pending.push(steer())
    steer = undefined
    const name = script[step++] ?? "text"
    return replies[name]!(step)
  }
  await using made = await bench(answer, {
    clock: hurried,
    model: { limit: { context: 24_000, output: 4_000 }, attachment: true, modalities: { input: ["text", "image"] } },
    files: {
      "a.txt": "one\n",
      "AGENTS.md": "Be brief.\n",
      "deep/b.txt": "two\n",
      "deep/AGENTS.md": "Deep rules.\n",
      "dot.png": Buffer.from(png.slice(png.indexOf(",") + 1), "base64").toString("latin1"),
    },
  })
  const watch = () =>
    made.engine.subscribe((event) => {
      if (event.type === "session.compacted") epoch++
      if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
      const { state } = event.properties.part
      if (state.status === "completed" && state.time.compacted !== undefined) epoch++
    })
  watch()
  const { id: sessionID } = await made.engine.createSession({})
  let [agent, provider] = [0, 0]
  const say = (words: string, files: boolean) =>
    made.engine.prompt({
      ...{ sessionID, asks: "deny", agent: ["build", "plan"][agent % 2]! },
      model: { providerID: providers[provider]!, modelID: "scripted" },
      parts: [
        { type: "text", text: words },
        ...(files ? [{ type: "file" as const, mime: "image/png", filename: "dot.png", url: png }] : []),
      ],
    })
  for (const each of acts) {
    if (each.do === "restart") {
      await made.restart()
      watch()
    } else if (each.do === "touch") await made.workspace.write("a.txt", `${Math.imul(step, 7)}\n`)
    else if (each.do === "compact") await made.engine.compact(sessionID)
    else if (each.do === "prompt") {
      steer = each.steer ? () => say("And another thing.", false) : undefined
      await say("Go on.", each.files)
      await Promise.all(pending.splice(0))
    } else if (each.do === "agent" || each.do === "model") {
      if (each.do === "agent") agent = each.to
      else provider = each.to
      epoch++
    }
  }
  return { seen, problems: problemsOf(made as Bench, sessionID) }
}

test("within an epoch each prompt is a prefix of the next, whatever the model and the user do", async () => {
  let [compared, summaries] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...Object.keys(replies)), { minLength: 4, maxLength: 24 }),
      fc.array(act, { minLength: 2, maxLength: 8 }),
      async (script, acts) => {
        const { seen, problems } = await play(script, [...acts, { do: "prompt", files: false, steer: false }])
        expect(problems).toEqual([])
        for (const [n, { request, epoch, summary, shortened }] of seen.entries()) {
          const before = seen.slice(0, n).findLast((other) => !other.summary)
          if (!before || before.epoch !== epoch || shortened) continue
          expectPrefix(before.request.body, request.body)
          if (summary) summaries++
          else compared++
        }
      },
    ),
    { seed: 20_261_122, numRuns: process.env["CAIRN_TEST_LONG"] ? 300 : 25 },
  )
  // The property says nothing unless there was something to compare.
  expect(compared).toBeGreaterThan(100)
  expect(summaries).toBeGreaterThan(0)
}, 300_000)

test("the canonical form tells what differs: another block, another order, another tool", () => {
  const body = (blocks: unknown[], more: object = {}) => ({ messages: [{ role: "user", content: blocks }], ...more })
  const [one, two] = [
    { type: "text", text: "1" },
    { type: "text", text: "2", cache_control: { type: "ephemeral" } },
  ]
  expectPrefix(body([one]), body([one, two]))
  expectPrefix({ messages: [{ role: "user", content: "1" }] }, body([one, two]))
  expect(() => expectPrefix(body([one, two]), body([two, one]))).toThrow()
  expect(() => expectPrefix(body([one, two]), body([one]))).toThrow()
  expect(() => expectPrefix(body([one]), body([one], { tools: [{ name: "x" }] }))).toThrow()
  expect(() => expectPrefix(body([one]), body([one], { systemInstruction: { parts: [] } }))).toThrow()
  expect(promptOf(body([two])).blocks.join("")).not.toContain("ephemeral")
})

test("what carries the cache over steps is on the wire: Anthropic's marks, a key for OpenAI", async () => {
  const steps = [[toolCall("bash", { command: "echo 1" })], [toolCall("bash", { command: "echo 2" })], [text("Done.")]]
  const bodies = async (protocol: WireProtocol, provider: Readonly<Record<string, unknown>> = {}) => {
    await using made = await bench(steps, { protocol, provider })
    const { sessionID } = await made.prompt("go")
    return { sessionID, sent: made.server.requests.map(({ body }) => body as Record<string, unknown>) }
  }
  const anthropic = await bodies("anthropic")
  const marks = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1
  for (const { tools, system, messages } of anthropic.sent) {
    expect(marks((tools as unknown[]).at(-1))).toBe(1)
    expect(marks(tools)).toBe(1)
    expect(marks((system as unknown[])[0])).toBe(1)
    expect(marks(system)).toBe(1)
    expect(marks((messages as unknown[]).at(-1))).toBe(1)
    expect(marks(messages)).toBe(Math.min(2, (messages as { role: string }[]).filter((m) => m.role === "user").length))
  }
  const responses = await bodies("responses")
  expect(responses.sent.map((body) => body["prompt_cache_key"])).toEqual(Array(3).fill(responses.sessionID))
  for (const other of ["chat", "google"] as const)
    for (const body of (await bodies(other)).sent) expect(JSON.stringify(body)).not.toContain("cache_key")
  const asked = await bodies("chat", { setCacheKey: true })
  expect(asked.sent.map((body) => body["prompt_cache_key"])).toEqual(Array(3).fill(asked.sessionID))
  const refused = await bodies("responses", { setCacheKey: false })
  expect(refused.sent.map((body) => body["prompt_cache_key"])).toEqual(Array(3).fill(undefined))
})

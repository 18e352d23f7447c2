import { describe, expect, test } from "bun:test"
import type { BusEvent } from "@cairn/schema/event"
import { gate } from "@cairn/testkit/gate"
import { seeded } from "@cairn/testkit/random"
import { offeredTools, userTexts } from "@cairn/testkit/request"
import { hang, reasoning, status, text, toolCall, usage, type Reply, type Scenario } from "@cairn/testkit/scenario"
import { type Collector, type ReceivedSpan, startCollector } from "../support/collector.ts"
import { type Bench, bench, type BenchOptions, problemsOf } from "./harness.ts"

const secrets = ["PROMPT-WORD", "ANSWER-WORD", "THOUGHT-WORD", "ARGUMENT-WORD", "OUTPUT-WORD", "test-key", "HEADER-KEY"]

/** A bench whose traces go to the collector. */
const tracedBench = (to: Pick<Collector, "url">, scenario: Scenario, options: BenchOptions = {}): Promise<Bench> =>
  bench(scenario, {
    ...options,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=HEADER-KEY",
      OTEL_SERVICE_NAME: "my-agent",
      ...options.env,
    },
  })

/** Closes the engine, which sends what is left. */
const closed = async (made: Bench): Promise<void> => made.engine[Symbol.asyncDispose]()

/** The spans as a tree, children by their start, with how each failed. Fails when one has a parent that was never sent. */
function tree(spans: readonly ReceivedSpan[]): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const parents = spans.flatMap(({ parentSpanId }) => (parentSpanId === undefined ? [] : [parentSpanId]))
  expect(parents.filter((id) => !known.has(id))).toEqual([])
  expect(known.size).toBe(spans.length)
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .toSorted((a, b) => Number(a.start - b.start))
      .flatMap((span) => {
        const failure = span.failed ? ` ! ${String(span.attributes["error.type"])}` : ""
        return [`${"  ".repeat(depth)}${span.name}${failure}`, ...below(span.spanId, depth + 1)]
      })
  return below(undefined, 0)
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan =>
  spans.find((span) => span.name === name) ?? spans[-1]!

/** Times of every span lie within those of its parent. */
function expectNested(spans: readonly ReceivedSpan[]): void {
  for (const span of spans) {
    expect(span.end >= span.start).toBe(true)
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    if (parent) expect([span.name, span.start >= parent.start, span.end <= parent.end]).toEqual([span.name, true, true])
  }
}

describe("the spans of a turn", () => {
  test("are a tree of steps, model calls, retries, tools, asks and processes", async () => {
    await using collector = startCollector()
    await using made = await tracedBench(
      collector,
      [
        [
          reasoning("THOUGHT-WORD"),
          text("ANSWER-WORD"),
          toolCall("bash", { command: "echo OUTPUT-WORD; # ARGUMENT-WORD" }),
          toolCall("grep", { pattern: "ARGUMENT-WORD" }),
          usage({ input: 100, output: 20, cacheRead: 50 }),
        ],
        status(529, { headers: { "retry-after-ms": "1" } }),
        [toolCall("edit", { filePath: "a.txt", oldString: "one", newString: "ARGUMENT-WORD" })],
        [toolCall("read", { filePath: "none.txt" }), toolCall("no_such_tool", {})],
        [text("ANSWER-WORD")],
      ],
      { files: { "a.txt": "one\n" }, config: { permission: { edit: "ask" } } },
    )
    made.engine.subscribe((event) => {
      if (event.type === "permission.asked") made.engine.replyPermission(event.properties.id, { reply: "once" })
    })
    const { sessionID } = await made.prompt("PROMPT-WORD", { asks: "wait" })
    expect(problemsOf(made, sessionID)).toEqual([])
    await closed(made)
    const { spans } = collector
    expect(tree(spans)).toEqual([
      "turn",
      "  step",
      "    chat scripted",
      "    execute_tool bash",
      expect.stringMatching(/^ {6}spawn \w+$/),
      "    execute_tool grep",
      "      spawn rg",
      "  step",
      "    chat scripted ! 529",
      "    retry",
      "    chat scripted",
      "    execute_tool edit",
      "      ask edit",
      "  step",
      "    chat scripted",
      "    execute_tool read ! missing",
      "  step",
      "    chat scripted",
    ])
    expectNested(spans)
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(named(spans, "turn").attributes).toMatchObject({
      "cairn.kind": "turn",
      "session.id": sessionID,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "build",
      "gen_ai.conversation.id": sessionID,
      "cairn.turn.end": "done",
      "gen_ai.usage.output_tokens": 80,
    })
    expect(named(spans, "chat scripted")).toMatchObject({
      kind: 3,
      attributes: {
        "cairn.kind": "model_call",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "test",
        "gen_ai.request.model": "scripted",
        "gen_ai.request.max_tokens": 8_000,
        "gen_ai.response.finish_reasons": ["tool-calls"],
        "gen_ai.response.time_to_first_chunk": expect.any(Number),
        "gen_ai.usage.input_tokens": 150,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 50,
      },
    })
    expect(named(spans, "execute_tool edit").attributes).toMatchObject({ "gen_ai.tool.name": "edit" })
    expect(named(spans, "ask edit").attributes).toMatchObject({ "cairn.ask.answer": "allowed" })
    expect(named(spans, "spawn rg").attributes).toMatchObject({
      "process.executable.name": "rg",
      "process.exit.code": 1,
    })
  })

  test("say nothing of what was said, given or found, and whose key it was", async () => {
    await using collector = startCollector()
    await using made = await tracedBench(
      collector,
      [
        [
          reasoning("THOUGHT-WORD"),
          toolCall("bash", { command: "echo OUTPUT-WORD ARGUMENT-WORD" }),
          toolCall("read", { filePath: "ARGUMENT-WORD.txt" }),
          toolCall("ARGUMENT-WORD", {}),
        ],
        status(400, { body: '{"error":{"message":"bad PROMPT-WORD","code":"ARGUMENT-WORD and more"}}' }),
      ],
      { env: { CAIRN_TOKEN: "test-key" } },
    )
    await made.prompt("PROMPT-WORD")
    await closed(made)
    expect(collector.spans.length).toBeGreaterThan(5)
    for (const request of collector.requests) {
      for (const secret of secrets) expect(request.text).not.toContain(secret)
      expect(request.text).not.toContain(made.workspace.dir)
      expect(request.text).not.toContain(made.workspace.home)
      expect(request.headers.get("x-key")).toBe("HEADER-KEY")
      expect(request.resource).toEqual({ "service.name": "my-agent", "service.version": "test" })
    }
    expect(await made.workspace.read(made.engine.paths.log).catch(() => "")).not.toContain("HEADER-KEY")
  })

  test("have a compaction with its steps, and the title beside them", async () => {
    await using collector = startCollector()
    let summaries = 0
    const scenario = (request: Parameters<typeof offeredTools>[0]): Reply => {
      if (offeredTools(request).length === 0) return text("A title")
      if (userTexts(request).at(-1)?.includes("## Relevant files")) return text(`notes ${++summaries}`)
      if (summaries > 0) return text("Done.")
      return [toolCall("bash", { command: "seq 1 900 | sed 's/^/filler /'" }), usage({ input: 9_000, output: 9_000 })]
    }
    await using made = await tracedBench(collector, scenario, {
      model: { limit: { context: 16_000, output: 4_000 } },
      config: { title: "model" },
    })
    await made.prompt("go")
    await closed(made)
    const lines = tree(collector.spans)
    const title = lines.indexOf("  title")
    expect(lines.splice(title, 2)).toEqual(["  title", "    chat scripted"])
    expect(lines).toEqual([
      "turn",
      "  step",
      "    chat scripted",
      "    execute_tool bash",
      expect.stringMatching(/^ {6}spawn \w+$/),
      "  compaction",
      "    step",
      "      chat scripted",
      "  step",
      "    chat scripted",
    ])
  })

  test("of two turns are two traces of one conversation", async () => {
    await using collector = startCollector()
    await using made = await tracedBench(collector, [[text("a")], [text("b")]])
    const { sessionID } = await made.prompt("one")
    await made.prompt("two", { sessionID })
    await closed(made)
    const turns = collector.spans.filter(({ name }) => name === "turn")
    expect(new Set(turns.map(({ traceId }) => traceId)).size).toBe(2)
    expect(turns.map(({ attributes }) => attributes["gen_ai.conversation.id"])).toEqual([sessionID, sessionID])
  })
})

describe("an interruption ends every span", () => {
  const interrupted = async (
    scenario: Scenario,
    when: (made: Bench) => Promise<void>,
    options: BenchOptions = {},
  ): Promise<string[]> => {
    await using collector = startCollector()
    await using made = await tracedBench(collector, scenario, options)
    const { id } = await made.engine.createSession({})
    const moment = when(made)
    const turn = made.prompt("go", { sessionID: id, asks: "wait" })
    await moment
    await made.engine.abort(id)
    expect((await turn).reason).toBe("aborted")
    await closed(made)
    expect(collector.spans.filter((span) => span.attributes["error.type"] === "abandoned")).toEqual([])
    return tree(collector.spans)
  }
  /** Resolves as soon as an event is of interest. */
  const seen = (made: Bench, wanted: (event: BusEvent) => boolean) =>
    new Promise<void>((resolve) => {
      made.engine.subscribe((event) => void (wanted(event) && resolve()))
    })

  test("while a command runs, that of its process too", async () => {
    const lines = await interrupted([[toolCall("bash", { command: "echo begun; sleep 60" })]], (made) =>
      seen(made, (event) => JSON.stringify(event).includes("begun\\n")),
    )
    expect(lines).toEqual([
      "turn ! aborted",
      "  step ! interrupted",
      "    chat scripted",
      "    execute_tool bash ! interrupted",
      expect.stringMatching(/^ {6}spawn \w+ ! (killed|SIGTERM)$/),
    ])
  })

  test("while it asks", async () => {
    const scenario: Scenario = [[toolCall("edit", { filePath: "a", oldString: "x", newString: "b" })]]
    const config = { permission: { edit: "ask" } }
    const lines = await interrupted(scenario, (made) => seen(made, ({ type }) => type === "permission.asked"), {
      config,
      files: { a: "x" },
    })
    expect(lines).toEqual([
      "turn ! aborted",
      "  step ! interrupted",
      "    chat scripted",
      "    execute_tool edit ! interrupted",
      "      ask edit ! interrupted",
    ])
  })

  test("while a question waits", async () => {
    const questions = [{ question: "Which?", header: "Which", options: [] }]
    const lines = await interrupted([[toolCall("question", { questions })]], (made) =>
      seen(made, ({ type }) => type === "question.asked"),
    )
    expect(lines).toEqual([
      "turn ! aborted",
      "  step ! interrupted",
      "    chat scripted",
      "    execute_tool question ! interrupted",
      "      ask question ! interrupted",
    ])
  })

  test.each<[string, Reply]>([
    ["says nothing", [hang({ headers: false })]],
    ["stops in the middle of a word", [text("Half"), hang()]],
  ])("while the model %s", async (_, reply) => {
    const lines = await interrupted([reply], async (made) => void (await made.server.received(0)))
    expect(lines).toEqual(["turn ! aborted", "  step ! interrupted", "    chat scripted ! interrupted"])
  })

  test("while it waits for the next try", async () => {
    const lines = await interrupted([status(429, { headers: { "retry-after": "30" } })], (made) =>
      seen(made, (event) => event.type === "session.status" && event.properties.status.type === "retry"),
    )
    expect(lines).toEqual(["turn ! aborted", "  step ! interrupted", "    chat scripted ! 429", "    retry"])
  })

  test("by the end of the engine", async () => {
    await using collector = startCollector()
    await using made = await tracedBench(collector, [[hang()]])
    const turn = made.prompt("go")
    await made.server.received(0)
    await closed(made)
    expect((await turn).reason).toBe("aborted")
    expect(tree(collector.spans)).toEqual(["turn ! aborted", "  step ! interrupted", "    chat scripted ! interrupted"])
  })

  test("at any moment: thirty times, and each span that began was sent once", async () => {
    await using collector = startCollector()
    await using made = await tracedBench(collector, (_, index): Reply => [
      text("I look. ".repeat(20), { chunks: 20 }),
      toolCall("bash", { command: `echo ${index}` }),
      toolCall("write", { filePath: `${index}.txt`, content: "x\n" }),
    ])
    const random = seeded(20_261_122)
    for (let round = 0; round < 30; round++) {
      const { id } = await made.engine.createSession({})
      let left = random.below(40)
      const stop = made.engine.subscribe(() => void (left-- <= 0 && made.engine.abort(id)))
      expect((await made.prompt("go", { sessionID: id })).reason).toBe("aborted")
      stop()
    }
    await closed(made)
    expect(collector.spans.filter(({ name }) => name === "turn")).toHaveLength(30)
    expect(tree(collector.spans).filter((line) => /abandoned/.test(line))).toEqual([])
  }, 30_000)
})

describe("a collector that", () => {
  const logOf = async (to: Pick<Collector, "url">): Promise<string> => {
    await using made = await tracedBench(to, [[toolCall("bash", { command: "echo one" })], [text("Done.")]])
    expect(await made.prompt("go")).toMatchObject({ reason: "done", text: "Done." })
    await closed(made)
    return await made.workspace.read(made.engine.paths.log)
  }

  test("is not there changes nothing but a line in the log", async () => {
    const gone = startCollector()
    await gone[Symbol.asyncDispose]()
    const log = await logOf(gone)
    expect(log).toContain("traces could not be sent")
    expect(log).toMatch(/traces were lost.*"spans":7/)
  })

  test("refuses everything changes nothing but a line in the log", async () => {
    await using collector = startCollector(() => new Response("no", { status: 500 }))
    const log = await logOf(collector)
    expect(log).toMatch(/the collector refused traces.*"status":500/)
    expect(collector.requests).toHaveLength(1)
  })

  test("never answers holds the end up for a second or so", async () => {
    const hold = gate()
    await using collector = startCollector(async () => {
      await hold.opened
      return new Response()
    })
    const log = await logOf(collector)
    expect(log).toMatch(/traces were lost.*"spans":7/)
    hold.open()
  })
})

describe("without a collector", () => {
  test.each<[string, Record<string, string>]>([
    ["none is named", { OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    ["the SDK is disabled", { OTEL_SDK_DISABLED: "true" }],
    ["traces are not exported", { OTEL_TRACES_EXPORTER: "none" }],
    ["its protocol is not spoken", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
  ])("nothing is sent when %s", async (_, env) => {
    await using collector = startCollector()
    await using made = await tracedBench(collector, [[text("Done.")]], { env })
    expect((await made.prompt("go")).reason).toBe("done")
    await closed(made)
    expect(collector.requests).toEqual([])
  })

  test("no config can name one, be it trusted or not", async () => {
    await using collector = startCollector()
    const wish = { experimental: { openTelemetry: true }, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } }
    await using made = await bench([[text("Done.")]], {
      config: wish,
      files: {
        "opencode.json": JSON.stringify(wish),
        ".env": `OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}
`,
      },
    })
    expect((await made.prompt("go")).reason).toBe("done")
    await closed(made)
    expect(collector.requests).toEqual([])
  })

  test("commands do not learn where traces go", async () => {
    await using collector = startCollector()
    await using made = await tracedBench(collector, [
      [toolCall("bash", { command: "env | grep -iE 'otel|trace|HEADER' || echo nothing of it" })],
      [text("Done.")],
    ])
    await made.prompt("go")
    expect(made.server.requests[1]!.text).toContain("nothing of it")
    expect(made.server.requests[1]!.text).not.toContain("HEADER-KEY")
  })
})

test.each<[string, Record<string, string>, string]>([
  ["an address that is none", { OTEL_EXPORTER_OTLP_ENDPOINT: "not an url" }, "not an http or https address"],
  ["a protocol that is not spoken", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "http/json only"],
  ["half a header", { OTEL_EXPORTER_OTLP_HEADERS: "x-key=HEADER-KEY,oops" }, "entry 2 is left out"],
])("%s is said to the user once, without values, and stops nothing", async (_, env, words) => {
  await using collector = startCollector()
  await using made = await tracedBench(collector, [[text("Done.")]], { env })
  const warnings = made.engine.warnings.filter((warning) => warning.includes("OTEL_"))
  expect(warnings).toEqual([expect.stringContaining(words)])
  expect(warnings.join()).not.toMatch(/HEADER-KEY|not an url/)
  expect((await made.prompt("hi")).reason).toBe("done")
})

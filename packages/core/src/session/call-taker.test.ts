import { expect, test } from "bun:test"
import { TaskGroup } from "@cairn/kernel/task"
import type { DurableEvent } from "@cairn/schema/event"
import type { ToolPart } from "@cairn/schema/part"
import { TestClock } from "@cairn/testkit/clock"
import { createCallTaker } from "./call-taker.ts"
import type { Run } from "./run.ts"

function setUp(earlier: readonly string[] = []) {
  const written: ToolPart[] = []
  const started: ToolPart[] = []
  let ids = 0
  const run: Run = {
    sessionID: "ses_1",
    runID: "run_1",
    signal: new TaskGroup().signal,
    clock: new TestClock(),
    derive: () => expect.unreachable(),
    write: (...events: DurableEvent[]) => {
      for (const event of events)
        if (event.type === "message.part.updated" && event.properties.part.type === "tool")
          written.push(event.properties.part)
    },
    end: () => undefined,
    publish: () => undefined,
    messageID: () => "msg_1",
    partID: () => `prt_${++ids}`,
  }
  const taker = createCallTaker({
    run,
    messageID: "msg_1",
    runner: {
      start(part) {
        started.push(part)
        return Promise.resolve({ part, changedFile: false, rejected: false })
      },
    },
    callIDs: new Set(earlier),
    nameOf: (name) => name.toLowerCase(),
  })
  return { taker, written, started, tools: new TaskGroup() }
}
const call = (over: object = {}) => ({
  ...{ type: "tool-call" as const, toolCallId: "call_0", toolName: "Read", input: "{}" },
  ...over,
})

test("calls that a server gives one id get ids of their own, and keep what the provider said of each", async () => {
  const { taker, started, tools } = setUp()
  taker.begin({ id: "call_0", tool: "Read", metadata: { google: { signature: "a" } } })
  taker.complete(call({ providerMetadata: { other: { x: 1 } } }), tools)
  taker.complete(call({ toolCallId: "call_0" }), tools)
  taker.complete(call({ toolCallId: "" }), tools)
  await tools.join()
  expect(started.map((part) => [part.callID, part.tool])).toEqual([
    ["call_0", "read"],
    ["call_0-2", "read"],
    ["call", "read"],
  ])
  expect(started[0]!.metadata).toEqual({ google: { signature: "a" }, other: { x: 1 } })
  expect(started[1]!.metadata).toBeUndefined()
  expect(taker.settled).toHaveLength(3)
})

test("a call of the provider's own is never run; its last result counts, not a preliminary one", async () => {
  const { taker, written, started, tools } = setUp()
  const result = { type: "tool-result" as const, toolCallId: "call_0", toolName: "search" }
  taker.complete(call({ toolName: "search", input: '{"q":"x"}', providerExecuted: true }), tools)
  taker.result({ ...result, result: "half", preliminary: true })
  taker.result({ ...result, result: { hits: 2 } })
  taker.result({ ...result, result: "late" })
  await tools.join()
  expect(started).toEqual([])
  expect(written.map((part) => part.state.status)).toEqual(["pending", "running", "completed"])
  expect(written.at(-1)).toMatchObject({
    metadata: { providerExecuted: true },
    state: { input: { q: "x" }, output: '{"hits":2}' },
  })
})

test("an error of a provider's call is an error, and arguments that are no object are shown as they came", async () => {
  const { taker, written, tools } = setUp()
  taker.complete(call({ toolName: "search", input: "not json", providerExecuted: true }), tools)
  taker.result({ type: "tool-result", toolCallId: "call_0", toolName: "search", result: "refused", isError: true })
  expect(written.at(-1)).toMatchObject({ state: { status: "error", input: { raw: "not json" }, error: "refused" } })
})

test("an id that an earlier answer used is not used again", async () => {
  const { taker, started, tools } = setUp(["call_0", "call_0-2"])
  expect(taker.any).toBe(false)
  taker.complete(call(), tools)
  taker.complete(call({ toolCallId: "call_1" }), tools)
  await tools.join()
  expect(taker.any).toBe(true)
  expect(started.map(({ callID }) => callID)).toEqual(["call_0-3", "call_1"])
})

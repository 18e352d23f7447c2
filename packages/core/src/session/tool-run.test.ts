import { expect, test } from "bun:test"
import { createLog } from "@cairn/kernel/log"
import { ok } from "@cairn/kernel/result"
import { noSpan } from "@cairn/kernel/span"
import { TaskGroup } from "@cairn/kernel/task"
import type { DurableEvent, TransientEvent } from "@cairn/schema/event"
import type { ToolPart } from "@cairn/schema/part"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { z } from "zod"
import type { Tool, ToolContext } from "../tool/define.ts"
import { createCallRunner } from "./tool-run.ts"

type Execute = (input: Record<string, unknown>, context: ToolContext) => ReturnType<Tool["execute"]>

const done = (output: string) => Promise.resolve(ok({ title: "", output, metadata: {} }))

function setUp(execute: Execute, over: Partial<Tool> = {}) {
  const clock = new TestClock()
  const group = new TaskGroup()
  const written: DurableEvent[] = []
  const published: TransientEvent[] = []
  const logged: string[] = []
  const tool: Tool = {
    ...{ name: "test", description: "Tests.", parameters: z.looseObject({}) },
    execute: (input, context) => execute(input as Record<string, unknown>, context),
    ...over,
  }
  const runner = createCallRunner({
    run: {
      ...{ sessionID: "ses_1", runID: "run_1", signal: group.signal, clock },
      write: (...events) => void written.push(...events),
      derive: (make) => void written.push(...make()),
      end: () => undefined,
      publish: (event) => void published.push(event),
      messageID: () => "msg_1",
      partID: () => "prt_9",
    },
    log: createLog({ write: (line) => void logged.push(line) }, clock, "debug"),
    span: noSpan,
    ...{ agent: "build", directory: "/repo", worktree: "/repo" },
    find: () => ({ tool }),
    accepts: () => false,
    parse: (_, raw) => ok(JSON.parse(raw) as Record<string, unknown>),
    ask: () => Promise.resolve(ok({})),
    limit: (_, output) => Promise.resolve(output),
  })
  let calls = 0
  const start = (input: object = {}) => {
    const id = ++calls
    const part: ToolPart = {
      ...{ id: `prt_${id}`, sessionID: "ses_1", messageID: "msg_1", type: "tool", callID: `call_${id}`, tool: "test" },
      state: { status: "pending", input: {}, raw: "" },
    }
    return runner.start(part, JSON.stringify(input))
  }
  return { clock, group, written, published, logged, start }
}

/** Says when each call begins, and ends a call when it is told to. */
function stepwise() {
  const begun: unknown[] = []
  const gates = new Map<unknown, ReturnType<typeof gate>>()
  const gateOf = (id: unknown) => {
    const known = gates.get(id) ?? gate()
    gates.set(id, known)
    return known
  }
  const execute: Execute = async (input) => {
    begun.push(input["id"])
    await gateOf(input["id"]).opened
    return await done("")
  }
  return { begun, execute, let: (id: unknown) => gateOf(id).open() }
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test("calls that write one path run in call order, however it is written; others side by side", async () => {
  const { begun, execute, let: release } = stepwise()
  const { start } = setUp(execute, { writes: (input) => [(input as { path: string }).path] })
  const calls = [
    start({ id: 1, path: "a.txt" }),
    start({ id: 2, path: "./b/../a.txt" }),
    start({ id: 3, path: "c.txt" }),
    start({ id: 4, path: "/repo/a.txt" }),
  ]
  await settled()
  expect(begun).toEqual([1, 3])
  release(1)
  await calls[0]
  await settled()
  expect(begun).toEqual([1, 3, 2])
  for (const id of [2, 3, 4]) release(id)
  expect((await Promise.all(calls)).every((call) => call.changedFile)).toBe(true)
  expect(begun).toEqual([1, 3, 2, 4])
})

test("an exclusive call waits for those before it, and those after wait for it", async () => {
  const { begun, execute, let: release } = stepwise()
  const { start } = setUp(execute, { exclusive: true })
  const calls = [start({ id: 1 }), start({ id: 2 })]
  await settled()
  expect(begun).toEqual([1])
  release(1)
  release(2)
  await Promise.all(calls)
  expect(begun).toEqual([1, 2])
})

test("a call that failed changed no file", async () => {
  const failing: Execute = () =>
    Promise.resolve({ ok: false, error: { kind: "changed", message: "It has changed." } } as const)
  const { start } = setUp(failing, { writes: () => ["a.txt"] })
  expect(await start()).toMatchObject({ changedFile: false, part: { state: { status: "error", kind: "changed" } } })
})

test("a tool that throws is a failure that is logged, not the end of the turn", async () => {
  const { start, logged } = setUp(() => Promise.reject(new Error("surprise")))
  expect(await start()).toMatchObject({
    part: { state: { kind: "defect", error: expect.stringContaining("surprise") } },
  })
  expect(logged.join("\n")).toContain("a tool threw")
})

test("a tool that ignores the interruption is given up after ten seconds; what it says later changes nothing", async () => {
  let context: ToolContext | undefined
  const { start, group, clock, published, written } = setUp((_, given) => {
    context = given
    given.progress({ metadata: { output: "half of it" } })
    return new Promise(() => {})
  })
  const call = start()
  await clock.advance(200)
  expect(published).toHaveLength(1)
  group.cancel()
  await clock.advance(9_999)
  expect(written).toHaveLength(1)
  await clock.advance(1)
  const { part } = await call
  expect(part.state).toMatchObject({ status: "error", kind: "interrupted" })
  expect(part.state).toHaveProperty("error", expect.stringContaining("half of it"))
  context!.progress({ title: "still here" })
  await clock.advance(1_000)
  expect(published).toHaveLength(1)
  expect(written).toHaveLength(2)
})

test("an interrupted call that waits for another one never begins", async () => {
  const { begun, execute, let: release } = stepwise()
  const { start, group } = setUp(execute, { exclusive: true })
  const calls = [start({ id: 1 }), start({ id: 2 })]
  await settled()
  group.cancel()
  release(1)
  await Promise.all(calls)
  expect(begun).toEqual([1])
})

test("progress reaches clients at most every 100 ms, the newest, and none after the end", async () => {
  const over = gate()
  let progress: ToolContext["progress"] = () => {}
  const { start, clock, published } = setUp(async (_, context) => {
    progress = context.progress
    await over.opened
    return await done("")
  })
  const call = start()
  await settled()
  for (let n = 0; n < 50; n++) {
    progress({ title: `at ${n}` })
    await clock.advance(10)
  }
  expect(published.length).toBeLessThanOrEqual(6)
  progress({ title: "last" })
  await clock.advance(100)
  expect(JSON.stringify(published.at(-1))).toContain("last")
  const sent = published.length
  progress({ title: "too late" })
  over.open()
  await call
  await clock.advance(1_000)
  expect(published).toHaveLength(sent)
})

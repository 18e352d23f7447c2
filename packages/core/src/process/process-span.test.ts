import { afterAll, expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { createSpans } from "../trace/spans.ts"
import type { EndedSpan } from "../trace/otlp-json.ts"
import { childEnvironment } from "./environment.ts"
import { createSupervisor } from "./supervisor.ts"

const env = childEnvironment(process.env)
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env, graceMs: 300 })
afterAll(() => supervisor[Symbol.asyncDispose]())

/** Runs a program below a span; the spans that have ended, with the process's own first. */
async function traced(argv: readonly string[], during: (group: TaskGroup) => void = () => {}): Promise<EndedSpan[]> {
  const ended: EndedSpan[] = []
  const tool = createSpans(systemClock, (span) => ended.push(span)).span("tool")
  await using group = new TaskGroup()
  const running = supervisor.run({ argv, cwd: "/", signal: group.signal, span: tool })
  during(group)
  await running.catch(() => undefined)
  tool.end()
  return ended
}

test("a process is a span of what started it, by its program's name and how it ended", async () => {
  const [spawn, tool] = await traced(["/bin/sh", "-c", "echo SECRET; exit 7"])
  expect(spawn).toMatchObject({ name: "spawn sh", parentID: tool!.spanID, attributes: { "process.exit.code": 7 } })
  expect(spawn!.attributes["process.pid"]).toBeGreaterThan(0)
  expect(spawn!.failure).toBeUndefined()
  expect(Bun.inspect(spawn)).not.toMatch(/SECRET|\/bin/)
})

test("one that a signal ended failed by it, one that cannot start by why, one that is ended as killed", async () => {
  expect((await traced(["sh", "-c", "kill -SEGV $$"]))[0]).toMatchObject({ failure: "SIGSEGV" })
  expect((await traced(["no-such-program-SECRET"]))[0]).toMatchObject({ failure: "missing" })
  const [spawn, tool] = await traced(["sleep", "60"], (group) => group.cancel())
  expect([spawn!.name, tool!.name]).toEqual(["spawn sleep", "tool"])
  expect(["killed", "SIGTERM"]).toContain(spawn!.failure!)
})

test("without a span above it there is none", async () => {
  const ran = await supervisor.run({ argv: ["true"], cwd: "/", signal: new TaskGroup().signal })
  expect(ran).toMatchObject({ ok: true, value: { exitCode: 0 } })
})

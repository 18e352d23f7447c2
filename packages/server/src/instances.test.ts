import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { createEngine } from "@cairn/core/app"
import { createLog, silentLog } from "@cairn/kernel/log"
import { err } from "@cairn/kernel/result"
import type { Engine } from "@cairn/schema/engine"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { type TempWorkspace, tempWorkspace } from "@cairn/testkit/workspace"
import { createInstances, type InstanceLease, type Instances, type OpenEngine } from "./instances.ts"

const minute = 60_000

function engines(space: TempWorkspace) {
  const opened: string[] = []
  const openEngine: OpenEngine = (directory) => {
    opened.push(directory)
    return createEngine({ directory, env: space.env, home: space.home, version: "test" })
  }
  return { opened, openEngine }
}

async function lease(instances: Instances, directory: string): Promise<InstanceLease> {
  const opened = await instances.open(directory)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

/** Resolves when the engine of the directory has gone. */
const gone = (instances: Instances, directory: string) =>
  new Promise<void>((resolve) => {
    instances.observe({ opened: () => {}, closed: (closed) => closed === directory && resolve() })
  })

test("an engine is built once for all who ask for its directory, by whatever name", async () => {
  await using space = await tempWorkspace()
  await symlink(space.dir, join(space.home, "link"))
  const { opened, openEngine } = engines(space)
  await using instances = createInstances({ openEngine, clock: new TestClock(), log: silentLog })
  const names = [space.dir, join(space.home, "link"), `${space.dir}/.`, space.dir]
  const leases = await Promise.all(names.map((name) => lease(instances, name)))
  expect(opened).toEqual([space.dir])
  expect(new Set(leases.map(({ engine }) => engine)).size).toBe(1)
  expect(instances.engines()).toHaveLength(1)
  for (const one of leases) one[Symbol.dispose]()
})

test("an engine that nobody uses is closed after its time, and built anew for who comes then", async () => {
  await using space = await tempWorkspace()
  const { opened, openEngine } = engines(space)
  const clock = new TestClock()
  await using instances = createInstances({ openEngine, clock, log: silentLog, idleMs: minute })
  const first = await lease(instances, space.dir)
  await clock.advance(5 * minute)
  expect(instances.engines()).toEqual([first.engine])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await clock.advance(minute - 1)
  const second = await lease(instances, space.dir)
  expect(second.engine).toBe(first.engine)
  second[Symbol.dispose]()
  const closed = gone(instances, space.dir)
  await clock.advance(minute)
  await closed
  using third = await lease(instances, space.dir)
  expect(third.engine).not.toBe(first.engine)
  expect(opened).toHaveLength(2)
})

test("an engine that runs something is not dropped, though nobody uses it", async () => {
  await using space = await tempWorkspace()
  const clock = new TestClock()
  let busy = true
  const statuses = (): ReturnType<Engine["statuses"]> => (busy ? { ses_1: { type: "busy" as const } } : {})
  const openEngine: OpenEngine = async (directory) => {
    const opened = await createEngine({ directory, env: space.env, home: space.home, version: "test" })
    return opened.ok ? { ok: true, value: { ...opened.value, statuses } } : opened
  }
  await using instances = createInstances({ openEngine, clock, log: silentLog, idleMs: minute })
  const one = await lease(instances, space.dir)
  one[Symbol.dispose]()
  await clock.advance(10 * minute)
  expect(instances.engines()).toEqual([one.engine])
  busy = false
  const closed = gone(instances, space.dir)
  await clock.advance(minute)
  await closed
  expect(instances.engines()).toEqual([])
})

test("a directory that does not exist, and one whose engine cannot be built, are errors that leave nothing behind", async () => {
  await using space = await tempWorkspace()
  let broken = true
  const real = engines(space)
  const openEngine: OpenEngine = async (directory) =>
    broken ? err({ kind: "config", message: "cairn.json is broken" }) : real.openEngine(directory)
  await using instances = createInstances({ openEngine, clock: new TestClock(), log: silentLog })
  expect(await instances.open(join(space.dir, "none"))).toMatchObject({ ok: false, error: { kind: "directory" } })
  const both = await Promise.all([instances.open(space.dir), instances.open(space.dir)])
  for (const one of both) expect(one).toMatchObject({ ok: false, error: { message: "cairn.json is broken" } })
  broken = false
  using mended = await lease(instances, space.dir)
  expect(mended.engine.directory).toBe(space.dir)
})

test("a defect while an engine is built reaches everyone who waits, and the next one may try again", async () => {
  await using space = await tempWorkspace()
  let broken = true
  const real = engines(space)
  const openEngine: OpenEngine = (directory) => {
    if (broken) throw new Error("a defect")
    return real.openEngine(directory)
  }
  await using instances = createInstances({ openEngine, clock: new TestClock(), log: silentLog })
  const both = await Promise.allSettled([instances.open(space.dir), instances.open(space.dir)])
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  broken = false
  using mended = await lease(instances, space.dir)
  expect(mended.engine.directory).toBe(space.dir)
})

test("who comes while an engine closes waits, and gets a new one", async () => {
  await using space = await tempWorkspace()
  const door = gate()
  const real = engines(space)
  const openEngine: OpenEngine = async (directory) => {
    const opened = await real.openEngine(directory)
    if (!opened.ok || real.opened.length > 1) return opened
    const slow: Engine = {
      ...opened.value,
      async [Symbol.asyncDispose]() {
        await door.opened
        await opened.value[Symbol.asyncDispose]()
      },
    }
    return { ok: true, value: slow }
  }
  await using instances = createInstances({ openEngine, clock: new TestClock(), log: silentLog })
  const first = await lease(instances, space.dir)
  const told: string[] = []
  const closing = gate()
  instances.observe({
    opened: ({ directory }) => void told.push(`opened ${directory}`),
    closing({ directory }) {
      told.push(`closing ${directory}`)
      closing.open()
    },
    closed: (directory) => void told.push(`closed ${directory}`),
  })
  const dropped = instances.drop(space.dir)
  await closing.opened
  const second = lease(instances, space.dir)
  expect(real.opened).toHaveLength(1)
  expect(told).toEqual([`opened ${space.dir}`, `closing ${space.dir}`])
  door.open()
  expect(await dropped).toBe(true)
  expect(told.slice(2, 3)).toEqual([`closed ${space.dir}`])
  using next = await second
  expect(next.engine).not.toBe(first.engine)
  expect(await instances.drop(join(space.dir, "none"))).toBe(false)
})

test("observers hear of engines that are there, come and go; a failed farewell is logged", async () => {
  await using space = await tempWorkspace({ files: { "a/x": "", "b/x": "" } })
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line) }, { now: () => 0 })
  const openEngine: OpenEngine = async (directory) => {
    const opened = await engines(space).openEngine(directory)
    if (!opened.ok || !directory.endsWith("/b")) return opened
    const dispose = async () => {
      await opened.value[Symbol.asyncDispose]()
      throw new Error("no farewell")
    }
    return { ok: true, value: { ...opened.value, [Symbol.asyncDispose]: dispose } }
  }
  const seen: string[] = []
  const instances = createInstances({ openEngine, clock: new TestClock(), log })
  using _a = await lease(instances, `${space.dir}/a`)
  const stop = instances.observe({
    opened: (engine) => void seen.push(`+${engine.directory.slice(-1)}`),
    closed: (directory) => void seen.push(`-${directory.slice(-1)}`),
  })
  using _b = await lease(instances, `${space.dir}/b`)
  await instances.dropAll()
  expect(seen).toEqual(["+a", "+b", "-a", "-b"])
  expect(lines.join()).toContain("no farewell")
  stop()
  using _again = await lease(instances, `${space.dir}/a`)
  expect(seen).toHaveLength(4)
  await instances[Symbol.asyncDispose]()
})

test("an engine whose config changed is closed as soon as nobody uses it and nothing runs", async () => {
  await using space = await tempWorkspace()
  const clock = new TestClock()
  let busy = true
  const statuses = (): ReturnType<Engine["statuses"]> => (busy ? { ses_1: { type: "busy" as const } } : {})
  const real = engines(space)
  const openEngine: OpenEngine = async (directory) => {
    const opened = await real.openEngine(directory)
    return opened.ok ? { ok: true, value: { ...opened.value, statuses } } : opened
  }
  await using instances = createInstances({ openEngine, clock, log: silentLog })
  const first = await lease(instances, space.dir)
  instances.renew(space.dir)
  instances.renew(join(space.dir, "none"))
  using again = await lease(instances, space.dir)
  expect(again.engine).toBe(first.engine)
  first[Symbol.dispose]()
  again[Symbol.dispose]()
  await clock.advance(5_000)
  expect(instances.engines()).toEqual([first.engine])
  busy = false
  const closed = gone(instances, space.dir)
  await clock.advance(1_000)
  await closed
  using fresh = await lease(instances, space.dir)
  expect(fresh.engine).not.toBe(first.engine)
})

import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { createLog, silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { createWriteGuard } from "./write-guard.ts"

let root = ""
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "cairn-guard-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const { signal } = new TaskGroup()
const locks = () => join(root, "locks")
/** A guard as another process has one: it knows of others by the files alone. */
const another = (clock = systemClock, log = silentLog) => createWriteGuard(locks(), { clock, log })

/** Work that says when it has begun, and ends when it is let go. */
function held() {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const work = async () => {
    begun.resolve()
    await end.promise
  }
  return { work, begun: begun.promise, letGo: () => end.resolve() }
}

test("one path is held by one at a time, here and elsewhere; others do not wait for it", async () => {
  const order: string[] = []
  const [here, elsewhere] = [another(), another()]
  const first = held()
  const running = here.alone(["/a", "/b"], signal, first.work).then(() => order.push("first"))
  await first.begun
  const waiting = [here, elsewhere].map((guard, n) =>
    guard.alone(["/b"], signal, async () => void order.push(`next ${n}`)),
  )
  await elsewhere.alone(["/of another lock"], signal, async () => void order.push("other"))
  expect(order).toEqual(["other"])
  first.letGo()
  await Promise.all([running, ...waiting])
  expect(order.toSorted()).toEqual(["first", "next 0", "next 1", "other"])
  expect((await readdir(locks())).length).toBeGreaterThan(1)
})

test("two that want the same paths in another order both get them, and a failure gives them back", async () => {
  const [here, elsewhere] = [another(), another()]
  const paths = Array.from({ length: 40 }, (_, n) => `/${n}`)
  for (let round = 0; round < 5; round++)
    await Promise.all([
      here.alone(paths, signal, async () => {}),
      elsewhere.alone(paths.toReversed(), signal, async () => {}),
      expect(here.alone(paths, signal, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken"),
    ])
})

test("who waits can be interrupted, and nothing stays held", async () => {
  const [here, elsewhere] = [another(), another()]
  const first = held()
  const running = here.alone(["/a"], signal, first.work)
  await first.begun
  const group = new TaskGroup()
  const interrupted = elsewhere.alone(["/a"], group.signal, async () => {}).catch((error: unknown) => error)
  group.cancel(new Interrupted())
  expect(await interrupted).toBeInstanceOf(Interrupted)
  first.letGo()
  await running
  expect(await elsewhere.alone(["/a"], signal, async () => "done")).toBe("done")
})

test("one that another holds for ten seconds is written all the same, and that is in the log", async () => {
  const lines: string[] = []
  const clock = new TestClock()
  const first = held()
  const running = another().alone(["/a"], signal, first.work)
  await first.begun
  const log = createLog({ write: (line) => void lines.push(line) }, clock)
  const patient = another(clock, log).alone(["/a"], signal, async () => "done")
  let over = false
  void patient.then(() => (over = true))
  while (!over) {
    await clock.advance(500)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await patient).toBe("done")
  expect(lines.join("")).toContain("another process holds it for long")
  first.letGo()
  await running
})

test("without a place for the locks work is done without them", async () => {
  await writeFile(locks(), "a file where the directory should be")
  expect(await another().alone(["/a"], signal, async () => "done")).toBe("done")
})

test("processes that edit one file at once lose no line of each other", async () => {
  const names = ["A", "B", "C"]
  const many = process.env["CAIRN_TEST_LONG"] ? 300 : 60
  const file = join(root, "shared.txt")
  await writeFile(file, "A\nx\ny\nB\nx\ny\nC\n")
  const driver = join(import.meta.dir, "../../test/history/edit-driver.ts")
  const children = names.map((name) =>
    Bun.spawn([process.execPath, driver, file, name, String(many), locks()], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    }),
  )
  const outputs = children.map((child) => child.stdout.getReader())
  // Each says that it is ready, so that all begin together.
  await Promise.all(outputs.map((output) => output.read()))
  for (const child of children) {
    void child.stdin.write("go\n")
    void child.stdin.end()
  }
  const ended = await Promise.all(children.map(async (child) => [await child.exited, await child.stderr.text()]))
  expect(ended).toEqual(names.map(() => [0, ""]))
  const lines = (await readFile(file, "utf8")).split("\n")
  expect(names.map((name) => lines.filter((line) => line.startsWith(`${name} `)).length)).toEqual(names.map(() => many))
}, 120_000)

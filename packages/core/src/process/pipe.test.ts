import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "./environment.ts"
import { createPipes } from "./pipe.ts"
import type { RunInput } from "./run.ts"
import { createSupervisor, type Supervisor } from "./supervisor.ts"
import { waitFor } from "./wait.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-pipe-")))
const base = { clock: systemClock, log: silentLog, env: childEnvironment(process.env), graceMs: 300, drainMs: 100 }
const real = createSupervisor(base)
const fallback = createSupervisor({ ...base, openPipe: createPipes(() => undefined) })
afterAll(async () => {
  await Promise.all([real[Symbol.asyncDispose](), fallback[Symbol.asyncDispose]()])
  rmSync(home, { recursive: true, force: true })
})

const calm = new TaskGroup().signal
const linux = process.platform === "linux"
const descriptors = () => readdirSync("/proc/self/fd").length

async function run(supervisor: Supervisor, script: string, more: Partial<RunInput> = {}) {
  const ran = await supervisor.run({ argv: ["bash", "-c", script], cwd: home, signal: calm, ...more })
  if (!ran.ok) throw new Error(ran.error.message)
  return ran.value
}

describe("output can be opened by its name", () => {
  const scripts: Record<string, string> = {
    "> /dev/stderr": "echo x > /dev/stderr",
    "tee /dev/stderr": "echo x | tee /dev/stderr >/dev/null",
    ">> /dev/stderr": "echo x >> /dev/stderr",
    "/proc/self/fd/2": "echo x > /proc/self/fd/2",
    "by a child of a child": "sh -c 'sh -c \"echo x > /dev/stderr\"'",
  }
  for (const [name, script] of Object.entries(scripts))
    test.skipIf(!linux)(name, async () => {
      expect(await run(real, script)).toMatchObject({ stdout: "", stderr: "x\n", exitCode: 0 })
    })

  test.skipIf(!linux)("standard output too, and neither is a socket", async () => {
    expect(await run(real, "echo x >> /dev/stdout; echo y > /dev/stdout")).toMatchObject({
      stdout: "x\ny\n",
      stderr: "",
    })
    const { stdout } = await run(real, "readlink /proc/$$/fd/1 /proc/$$/fd/2")
    expect(stdout).toMatch(/^pipe:.*\npipe:.*\n$/)
  })

  test.skipIf(!linux)("the child has its own ends only, which wait and do not fail", async () => {
    // A pipe that does not block fails a writer that is faster than we are. 0o1 is O_WRONLY.
    const count = "ls /proc/$$/fd | wc -l"
    const usual = Number(Bun.spawnSync(["bash", "-c", `${count}; true`], { stdin: "ignore" }).stdout.toString())
    const { stdout } = await run(real, `${count}; grep flags /proc/$$/fdinfo/1`)
    const [, found, flags] = /^\s*(\d+)\nflags:\s+(\d+)\n$/.exec(stdout) ?? []
    expect(Number(found)).toBeLessThanOrEqual(usual)
    expect(Number(flags)).toBe(1)
  })
})

for (const [name, supervisor] of Object.entries({ real, fallback }))
  describe(`${name} pipes`, () => {
    test("keep the streams apart", async () => {
      expect(await run(supervisor, "echo out; echo err >&2; exit 7")).toMatchObject({
        stdout: "out\n",
        stderr: "err\n",
        exitCode: 7,
      })
    })

    test("merged: one stream in the order of writing", async () => {
      const script = "for i in $(seq 200); do echo out $i; echo err $i >&2; done; exit 3"
      const result = await run(supervisor, script, { merged: true })
      const expected = Array.from({ length: 200 }, (_, i) => `out ${i + 1}\nerr ${i + 1}\n`).join("")
      expect(result).toMatchObject({ stdout: expected, stderr: "", exitCode: 3 })
    })

    test("merged: arguments come as they are", async () => {
      const argv = ["printf", "%s|", "a b", "$HOME", "", "'", '"', "*"]
      const ran = await supervisor.run({ argv, cwd: home, signal: calm, merged: true })
      expect(ran).toMatchObject({ ok: true, value: { stdout: "a b|$HOME||'|\"|*|" } })
    })

    test("a reader that is slow holds the writer back, and loses nothing", async () => {
      let seen = 0
      const onOutput = async (chunk: Uint8Array) => {
        seen += chunk.length
        await Bun.sleep(1)
      }
      await run(supervisor, "head -c 3000000 /dev/zero", { onOutput, maxBytes: 100 })
      expect(seen).toBe(3_000_000)
    })

    test("a child whose output nobody reads yet waits in the kernel, not in our memory", async () => {
      const spawned = supervisor.spawn({ argv: ["sh", "-c", "head -c 50000000 /dev/zero"], cwd: home })
      if (!spawned.ok) throw new Error(spawned.error.message)
      await using child = spawned.value
      const reader = child.stdout.getReader()
      await reader.read()
      expect(await waitFor(child.exited, systemClock, 150)).toBe(false)
      await reader.cancel()
      // Nobody reads any more: the writer is told so.
      expect((await child.exited).signal ?? "an exit").toMatch(/SIGPIPE|an exit/)
    })

    test("a timeout keeps what was said, the stream ends, nobody hangs", async () => {
      const result = await run(supervisor, "echo begun; sleep 60", { timeoutMs: 100 })
      expect(result).toMatchObject({ stdout: "begun\n", timedOut: true })
    })

    test("a program that does not exist is said, and leaves no descriptor", async () => {
      const before = linux ? descriptors() : 0
      for (let n = 0; n < 50; n++) {
        const ran = await supervisor.run({ argv: ["cairn-no-such-program"], cwd: home, signal: calm })
        expect(ran).toMatchObject({ ok: false, error: { kind: "missing" } })
      }
      if (linux) expect(descriptors()).toBeLessThanOrEqual(before + 2)
    })
  })

test.skipIf(!linux)(
  "a thousand runs leave no descriptor, whether they are read, cut short or never looked at",
  async () => {
    await run(real, "true")
    const before = descriptors()
    const one = async (n: number) => {
      if (n % 4 === 0) return void (await run(real, `echo ${n}`, { onOutput: () => "stop" }))
      if (n % 4 === 1) {
        const spawned = real.spawn({ argv: ["echo", String(n)], cwd: home })
        if (spawned.ok) await spawned.value.end()
        return
      }
      expect((await run(real, `echo ${n}; echo $((${n} * 2)) >&2`, { merged: n % 4 === 2 })).stdout).toStartWith(
        `${n}\n`,
      )
    }
    for (let n = 0; n < 1_000; n += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => one(n + i)))
    Bun.gc(true)
    await run(real, "true")
    expect(descriptors()).toBeLessThanOrEqual(before + 4)
  },
  30_000,
)

test.skipIf(!linux)("a system that gives no more pipes falls back for that child only", async () => {
  let asked = 0
  const openPipe = createPipes(() => ({ pipe2: () => (asked++, -1), fcntl: () => -1 }))
  await using supervisor = createSupervisor({ ...base, openPipe })
  expect(await run(supervisor, "echo out; echo err >&2")).toMatchObject({ stdout: "out\n", stderr: "err\n" })
  expect(asked).toBe(1)
})

test.skipIf(!linux)("a pipe that is not used is closed at both ends", () => {
  const before = readdirSync("/proc/self/fd")
  const pipe = createPipes()()
  if (pipe === undefined) throw new Error("no pipe on Linux")
  expect(readFileSync(`/proc/self/fdinfo/${pipe.write}`, "utf8")).toContain("flags:\t02000001")
  pipe[Symbol.dispose]()
  expect(readdirSync("/proc/self/fd")).toEqual(before)
})

import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { createLog } from "@cairn/kernel/log"
import { createWatchdog } from "./watchdog.ts"

// A program that is killed with SIGKILL, as Cairn may be: what it started must die too.
const home = mkdtempSync(join(tmpdir(), "cairn-watchdog-"))
beforeAll(() => {
  const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).pathname)
  writeFileSync(
    join(home, "parent.ts"),
    `import { systemClock } from ${JSON.stringify(import.meta.resolve("@cairn/kernel/clock"))}
import { silentLog } from ${JSON.stringify(import.meta.resolve("@cairn/kernel/log"))}
import { TaskGroup } from ${JSON.stringify(import.meta.resolve("@cairn/kernel/task"))}
import { createSupervisor } from ${url("./supervisor.ts")}
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: process.env })
const signal = new TaskGroup().signal
const run = (script) => supervisor.run({ argv: ["bash", "-c", script], cwd: "/", signal, onOutput: (chunk) => void process.stdout.write(chunk) })
await run("true")
const scripts = process.argv.slice(2)
if (scripts[0] !== "finish") await Promise.all(scripts.map(run))
`,
  )
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const start = (...scripts: string[]) =>
  Bun.spawn([process.execPath, join(home, "parent.ts"), ...scripts], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  })

async function readUntil(stream: ReadableStream<Uint8Array>, count: number): Promise<number[]> {
  let text = ""
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    const pids = [...text.matchAll(/pid=(\d+)\n/g)].map((hit) => Number(hit[1]))
    if (pids.length === count) return pids
  }
  throw new Error(`the parent ended early: ${text}`)
}

function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}

test("SIGKILL of the parent ends the children, their children and their job-control groups", async () => {
  const parent = start(
    "echo pid=$$; sleep 1000 & echo pid=$!; wait",
    "set -m; sleep 1000 & echo pid=$!; wait",
    "trap '' TERM; echo pid=$$; while :; do sleep 0.05; done",
  )
  const pids = await readUntil(parent.stdout, 4)
  expect(pids.every(lives)).toBe(true)
  parent.kill("SIGKILL")
  await parent.exited
  for (let i = 0; i < 400 && pids.some(lives); i++) await Bun.sleep(10)
  expect(pids.filter(lives)).toEqual([])
}, 10_000)

test("without a shell it throws nothing, and says so once", () => {
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line) }, systemClock)
  using watchdog = createWatchdog(log, join(home, "no-shell"))
  watchdog.add(1_000_000_001)
  watchdog.add(1_000_000_002)
  watchdog.remove(1_000_000_001)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", program: join(home, "no-shell") }])
})

test("a parent that is done exits by itself: the watchdog does not hold it, and no watchdog stays", async () => {
  const parent = start("finish")
  expect(await parent.exited).toBe(0)
})

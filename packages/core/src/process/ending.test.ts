import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import type { Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "./environment.ts"
import type { SpawnFailure } from "./child.ts"
import type { ProcessResult, RunInput } from "./run.ts"
import { createSupervisor } from "./supervisor.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-supervisor-")))
const env = childEnvironment(process.env)
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env, graceMs: 300, drainMs: 100 })
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const calm = new TaskGroup().signal
const run = (argv: string[], more: Partial<RunInput> = {}) => supervisor.run({ argv, cwd: home, signal: calm, ...more })
const sh = (script: string, more: Partial<RunInput> = {}) => run(["bash", "-c", script], more)

function value(result: Result<ProcessResult, SpawnFailure>): ProcessResult {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** A living process, zombies aside. */
function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}

const pids = (text: string) => [...text.matchAll(/pid=(\d+)/g)].map((hit) => Number(hit[1]))

/** Aborts as soon as the output holds `word`, and gives back what the run did. */
async function interruptAt(word: string, script: string) {
  const turn = new TaskGroup()
  const reason = new Interrupted("stop now")
  let seen = ""
  const outcome = await sh(script, {
    signal: turn.signal,
    onOutput: (chunk) => {
      seen += new TextDecoder().decode(chunk)
      if (seen.includes(word)) turn.cancel(reason)
    },
  }).then(
    () => "resolved" as const,
    (error: unknown) => error,
  )
  return { outcome, reason, pids: pids(seen) }
}

describe("the end reaches everything", () => {
  test("a timeout ends the whole group and keeps the output so far", async () => {
    const result = value(await sh("echo pid=$$; sleep 1000 & echo pid=$!; wait", { timeoutMs: 150 }))
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGTERM" })
    expect(pids(result.stdout)).toHaveLength(2)
    expect(pids(result.stdout).filter(lives)).toEqual([])
  })

  test("a command that ignores SIGTERM is killed after the grace", async () => {
    const result = value(await sh("trap '' TERM; echo pid=$$; while :; do sleep 0.05; done", { timeoutMs: 100 }))
    expect(result).toMatchObject({ timedOut: true, signal: "SIGKILL" })
    expect(pids(result.stdout).filter(lives)).toEqual([])
  })

  test("SIGTERM comes first, so that a command can clean up", async () => {
    const result = value(
      await sh("trap 'echo cleaned; exit 3' TERM; echo ready; while :; do sleep 0.02; done", { timeoutMs: 150 }),
    )
    expect(result).toMatchObject({ stdout: "ready\ncleaned\n", timedOut: true, exitCode: 3 })
  })

  test("an interruption rejects with its reason once all are dead", async () => {
    const script = "echo pid=$$; sleep 1000 & echo pid=$!; sh -c 'sleep 1000' & echo pid=$!; echo ready; wait"
    const { outcome, reason, pids } = await interruptAt("ready", script)
    expect(outcome).toBe(reason)
    expect(pids).toHaveLength(3)
    expect(pids.filter(lives)).toEqual([])
  })

  test("also those in a group or a session of their own", async () => {
    const script = "set -m; sleep 1000 & echo pid=$!; set +m; setsid sh -c 'echo pid=$$; echo ready; sleep 1000; :'; :"
    const { outcome, reason, pids } = await interruptAt("ready", script)
    expect(outcome).toBe(reason)
    expect(pids).toHaveLength(2)
    expect(pids.filter(lives)).toEqual([])
  })

  test("a signal that has aborted starts nothing", async () => {
    const turn = new TaskGroup()
    turn.cancel(new Interrupted("before"))
    const marker = join(home, "started")
    const refused = await sh(`touch ${marker}`, { signal: turn.signal }).catch((error: unknown) => error)
    expect(refused).toEqual(new Interrupted("before"))
    expect(existsSync(marker)).toBe(false)
  })

  test("background children end with the call, whether or not they hold the output", async () => {
    for (const script of [
      "sleep 1000 & echo pid=$!",
      "sleep 1000 >/dev/null 2>&1 & echo pid=$!",
      "set -m; sleep 1000 >/dev/null 2>&1 & echo pid=$!",
    ]) {
      const result = value(await sh(script))
      expect(result).toMatchObject({ exitCode: 0, leftovers: true, timedOut: false })
      expect(pids(result.stdout)).toHaveLength(1)
      expect(pids(result.stdout).filter(lives)).toEqual([])
    }
  })

  test("output written just after the end of the leader is not lost", async () => {
    expect(value(await sh("echo word > >(sleep 0.03; cat)"))).toMatchObject({ stdout: "word\n", leftovers: false })
  })

  test("a daemon that left the session neither hangs the call nor dies", async () => {
    const result = value(await sh("setsid sh -c 'echo pid=$$; exec sleep 1000' & sleep 0.1"))
    const [daemon] = pids(result.stdout)
    expect(result).toMatchObject({ exitCode: 0, leftovers: false })
    expect(lives(daemon!)).toBe(true)
    process.kill(daemon!, "SIGKILL")
  })
})

import { afterAll, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "../environment.ts"
import type { RunInput } from "../run.ts"
import { createSupervisor } from "../supervisor.ts"
import { type BoundsInput, boundsOf } from "./bounds.ts"
import { confined, createSandbox } from "./sandbox.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "cairn-sandbox-")))
const env = childEnvironment(process.env)
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env, graceMs: 1_000 })
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})
const calm = new TaskGroup().signal
const state = await createSandbox({ supervisor, worktree: root, enabled: true })(calm)
if (state.kind === "none") process.stderr.write(`skipped: no sandbox on this machine: ${state.reason}\n`)
const here = describe.skipIf(state.kind === "none")

const home = join(root, "home")
const worktree = join(root, "outer/project")
const own = join(home, ".local/share/cairn")
for (const path of [
  worktree,
  join(home, ".ssh"),
  join(home, ".npm"),
  join(own, "tool-output"),
  join(root, "outer/other"),
])
  mkdirSync(path, { recursive: true })
writeFileSync(join(home, ".ssh/id"), "secret")
writeFileSync(join(own, "auth.json"), "secret")
writeFileSync(join(own, "tool-output/x"), "spilled")
writeFileSync(join(worktree, "fixed"), "fixed")
writeFileSync(join(worktree, "a.txt"), "a")

const bounds = (more: Partial<BoundsInput> = {}) =>
  boundsOf({
    ...{ places: { home, cache: join(home, ".cache") }, env: {}, worktree, readOnly: false, also: [], temp: [] },
    ...{ protected: [join(worktree, "fixed")], own: [own], shown: [join(own, "tool-output")], network: true },
    ...{ programs: new Set<string>(), runs: new Set<string>(), ...more },
  })
async function run(script: string, more: Partial<BoundsInput> = {}, input: Partial<RunInput> = {}) {
  if (state.kind === "none") throw new Error("no sandbox")
  const command = confined(state, { argv: ["bash", "-c", script], cwd: worktree }, bounds(more))
  const ran = await supervisor.run({ ...command, signal: calm, merged: true, ...input })
  if (!ran.ok) throw new Error(ran.error.message)
  return ran.value
}

here("what a command can reach", () => {
  test("it writes the project and the caches, and nothing else", async () => {
    const line = `echo b > b.txt; echo c > ${home}/.npm/c; echo d > ${root}/outer/d; echo e > ${home}/e; echo f > fixed; mv fixed g`
    const { stdout } = await run(line)
    expect(readFileSync(join(worktree, "b.txt"), "utf8")).toBe("b\n")
    expect(existsSync(join(home, ".npm/c"))).toBe(true)
    expect(existsSync(join(root, "outer/d")) || existsSync(join(home, "e"))).toBe(false)
    expect(readFileSync(join(worktree, "fixed"), "utf8")).toBe("fixed")
    expect(stdout.match(/Read-only file system/g)).toHaveLength(3)
  })

  test("keys and Cairn's own directories are hidden, and what was spilled can be read", async () => {
    const look = `cat ${home}/.ssh/id ${own}/auth.json; cat ${own}/tool-output/x; touch ${own}/y ${own}/tool-output/z; :`
    const { stdout } = await run(look)
    expect(stdout).toContain("spilled")
    expect(stdout).not.toContain("secret")
    expect(existsSync(join(own, "y")) || existsSync(join(own, "tool-output/z"))).toBe(false)
    expect((await run(`cat ${home}/.ssh/id`, { programs: new Set(["git push"]) })).stdout).toBe("secret")
  })

  test("a link leads where it leads: what is hidden or elsewhere stays so", async () => {
    symlinkSync(join(home, ".ssh"), join(worktree, "keys"))
    symlinkSync(join(root, "outer/other"), join(worktree, "other"))
    const { stdout } = await run("cat keys/id; echo x > other/x")
    expect(stdout).toContain("Read-only file system")
    expect(stdout).not.toContain("secret")
    expect(existsSync(join(root, "outer/other/x"))).toBe(false)
  })

  test("who may only look writes nothing but temporary files and plans", async () => {
    const plans = join(worktree, ".cairn/plans")
    const temp = join(root, "temp")
    mkdirSync(plans, { recursive: true })
    mkdirSync(temp, { recursive: true })
    const more = { readOnly: true, always: [plans], temp: [temp], protected: [join(worktree, ".cairn")] }
    await run(`echo x > a.txt; rm -rf *; echo p > ${plans}/p.md; echo t > ${temp}/t; echo c > .cairn/c`, more)
    expect(readFileSync(join(worktree, "a.txt"), "utf8")).toBe("a")
    expect([existsSync(join(plans, "p.md")), existsSync(join(temp, "t"))]).toEqual([true, true])
    expect(existsSync(join(worktree, ".cairn/c"))).toBe(false)
  })

  test.skipIf(process.platform !== "linux")("nothing lifts it from within", async () => {
    const tries = [
      "mount -o remount,rw /",
      "mount -o remount,bind,rw /",
      `umount ${home}/.ssh`,
      "unshare -Urm mount -o remount,bind,rw /",
      `unshare -Urm umount ${home}/.ssh`,
      `nsenter -t ${process.pid} -m true`,
      `touch /proc/${process.pid}/root${root}/outer/way-out`,
      `cat /proc/${process.pid}/environ`,
      "test -w /proc/sys/kernel/core_pattern",
      "test -w /sys/kernel/uevent_helper",
      `mknod ${worktree}/disk b 8 0`,
    ]
    for (const line of tries) {
      const { exitCode } = await run(`${line} >/dev/null 2>&1`)
      expect([line, exitCode === 0]).toEqual([line, false])
    }
    expect((await run(`ls ${home}/.ssh; ls /proc | grep -c '^[0-9]'`)).stdout).toMatch(/^[1-9]\n$/)
    expect(existsSync(join(root, "outer/way-out"))).toBe(false)
  })

  test("without network there is none", async () => {
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") })
    const line = `exec 3<>/dev/tcp/127.0.0.1/${server.port} && echo connected`
    expect((await run(line)).stdout).toContain("connected")
    expect((await run(line, { network: false })).stdout).not.toContain("connected")
  })
})

/** How many living processes, of any namespace, sleep for this long. */
function holders(seconds: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`
    } catch {
      return false // it has ended meanwhile
    }
  }).length
}

describe.skipIf(state.kind !== "bubblewrap")("how it ends", () => {
  test("output and exit code are as before, and nothing is said to be left", async () => {
    const ran = await run("echo out; echo err >&2; exit 7")
    expect(ran).toMatchObject({ stdout: "out\nerr\n", exitCode: 7, signal: null, leftovers: false })
    for (let i = 0; i < 10; i++) expect((await run("true")).leftovers).toBe(false)
  })

  test("what is left in the background is ended, also in a session of its own", async () => {
    const ran = await run("sleep 4711.1 >/dev/null 2>&1 & setsid sleep 4711.1 >/dev/null 2>&1 & echo done")
    expect(ran).toMatchObject({ stdout: "done\n", exitCode: 0, leftovers: true })
    expect(holders("4711.1")).toBe(0)
  })

  test("a timeout reaches the command with SIGTERM, which may tidy up", async () => {
    const ran = await run('trap "echo tidied; exit 3" TERM; echo ready; sleep 4711.2 & wait', {}, { timeoutMs: 400 })
    expect(ran.timedOut).toBe(true)
    expect(ran.stdout).toContain("tidied")
    expect(holders("4711.2")).toBe(0)
  })

  test("an interruption ends all, also what does not listen", async () => {
    const turn = new TaskGroup()
    const reason = new Interrupted("stop")
    const onOutput = () => turn.cancel(reason)
    const outcome = await run('trap "" TERM; echo ready; sleep 4711.3', {}, { signal: turn.signal, onOutput }).catch(
      (error: unknown) => error,
    )
    expect(outcome).toBe(reason)
    expect(holders("4711.3")).toBe(0)
  })

  test("SIGKILL of Cairn ends all, also what has left the session", async () => {
    const path = (name: string) => JSON.stringify(new URL(name, import.meta.url).pathname)
    writeFileSync(
      join(root, "parent.ts"),
      `import { systemClock } from ${JSON.stringify(import.meta.resolve("@cairn/kernel/clock"))}
import { silentLog } from ${JSON.stringify(import.meta.resolve("@cairn/kernel/log"))}
import { TaskGroup } from ${JSON.stringify(import.meta.resolve("@cairn/kernel/task"))}
import { createSupervisor } from ${path("../supervisor.ts")}
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: process.env })
const onOutput = (chunk) => void process.stdout.write(chunk)
await supervisor.run({ ...JSON.parse(process.argv[2]), signal: new TaskGroup().signal, onOutput })
`,
    )
    if (state.kind === "none") return
    const script = 'trap "" TERM; setsid sleep 4711.4 & sleep 4711.4 & echo ready; wait'
    const command = JSON.stringify(confined(state, { argv: ["bash", "-c", script], cwd: worktree }, bounds()))
    // Ended with the test, also when it fails: the runner would wait for it.
    await using parent = Bun.spawn([process.execPath, join(root, "parent.ts"), command], {
      stdin: "ignore",
      stdout: "pipe",
    })
    const { value } = await parent.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe("ready\n")
    while (holders("4711.4") < 2) await Bun.sleep(5)
    parent.kill("SIGKILL")
    await parent.exited
    for (let i = 0; i < 400 && holders("4711.4") > 0; i++) await Bun.sleep(10)
    expect(holders("4711.4")).toBe(0)
  }, 20_000)
})

describe("what is found here", () => {
  const off = (more: object) => createSandbox({ supervisor, worktree: root, enabled: true, ...more })(calm)

  test("none where it is turned off, or where there is none for the system", async () => {
    expect(await off({ enabled: false })).toEqual({ kind: "none", reason: "sandbox.enabled is false" })
    expect(await off({ platform: "win32" })).toEqual({ kind: "none", reason: "there is none for win32" })
  })

  test("none where the program is missing, belongs to the project, or does not bound", async () => {
    const program = (PATH: string) => ({
      supervisor: createSupervisor({ clock: systemClock, log: silentLog, env: { PATH } }),
      platform: "linux",
    })
    expect(await off(program(join(root, "nowhere")))).toEqual({
      kind: "none",
      reason: "bubblewrap (bwrap) is not found",
    })
    const bin = join(root, "bin")
    mkdirSync(bin)
    // It takes the arguments and bounds nothing; and one that fails as it does where namespaces are forbidden.
    const fake = (text: string) => writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    fake('while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    expect(await off(program(bin))).toEqual({ kind: "none", reason: `${bin}/bwrap belongs to the project` })
    const elsewhere = { ...program(bin), worktree }
    expect(await off(elsewhere)).toMatchObject({ kind: "none", reason: expect.stringContaining("it does not bound") })
    fake("echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    expect(await off({ ...program(bin), worktree })).toMatchObject({
      reason: expect.stringContaining("No permissions"),
    })
  })
})

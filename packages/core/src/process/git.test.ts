import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "./environment.ts"
import { createGit } from "./git.ts"
import { createSupervisor } from "./supervisor.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-git-")))
const repo = join(home, "repo")
const marker = join(home, "ran")
const signal = new TaskGroup().signal
const user = (...args: string[]) =>
  Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: repo })
/** What a user may have set for other purposes must not reach the engine's git. */
const hostile = { ...process.env, GIT_DIR: "/nowhere", GIT_WORK_TREE: "/", GIT_EXTERNAL_DIFF: `touch ${marker}` }
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(hostile) })
const git = createGit(supervisor)

beforeAll(() => {
  Bun.spawnSync(["git", "init", "-q", repo])
  writeFileSync(join(repo, "a.txt"), "one\n")
  user("add", "a.txt")
  user("commit", "-q", "-m", "first")
  writeFileSync(join(repo, "a.txt"), "two\n")
  const script = join(home, "evil")
  writeFileSync(script, `#!/bin/sh\ntouch ${marker}\ncat "$@"\n`)
  chmodSync(script, 0o755)
  writeFileSync(join(repo, ".gitattributes"), "*.txt diff=evil\n")
  for (const key of ["core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "core.pager"])
    user("config", key, script)
})
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

describe("the engine's git", () => {
  test("answers in spite of the caller's GIT_* variables", async () => {
    expect(await git.run(["rev-parse", "--show-toplevel"], { cwd: repo, signal })).toEqual({
      ok: true,
      value: `${repo}\n`,
    })
  })

  test("runs no program that the repository's config names", async () => {
    for (const args of [["status", "--porcelain"], ["diff"], ["diff", "HEAD"], ["log", "-p", "-1"], ["show", "HEAD"]])
      expect((await git.run(args, { cwd: repo, signal })).ok).toBe(true)
    expect(existsSync(marker)).toBe(false)
    user("diff")
    expect(existsSync(marker)).toBe(true)
  })

  test("gives the plain diff", async () => {
    const diff = await git.run(["diff", "--", "a.txt"], { cwd: repo, signal })
    expect(diff.ok && diff.value).toContain("-one\n+two\n")
  })

  test("a failure has the exit code and git's words", async () => {
    const failed = await git.run(["rev-parse", "--verify", "no-such-ref"], { cwd: repo, signal })
    expect(failed).toMatchObject({ ok: false, error: { kind: "failed", exitCode: 128 } })
    expect(failed.ok ? "" : failed.error.message).toContain("Needed a single revision")
  })

  test("an answer that does not fit is a failure, not a cut answer", async () => {
    const long = await git.run(["cat-file", "--batch-check"], {
      cwd: repo,
      signal,
      maxBytes: 100,
      stdin: "HEAD\n".repeat(50),
    })
    expect(long).toMatchObject({ ok: false, error: { kind: "too_long" } })
  })

  test("takes its input", async () => {
    const named = await git.run(["hash-object", "--stdin"], { cwd: repo, signal, stdin: "one\n" })
    expect(named).toEqual({ ok: true, value: "5626abf0f72e58d7a153368ba57db4c673c0e171\n" })
  })

  test("a call that takes too long is a failure", async () => {
    const slow = await git.run(["-c", "alias.wait=!sleep 1000", "wait"], { cwd: repo, signal, timeoutMs: 50 })
    expect(slow).toMatchObject({ ok: false, error: { kind: "timeout" } })
  })

  test("a machine without git, or a directory that is gone", async () => {
    const bare = createSupervisor({ clock: systemClock, log: silentLog, env: { PATH: home } })
    expect(await createGit(bare).run(["version"], { cwd: repo, signal })).toMatchObject({
      ok: false,
      error: { kind: "missing" },
    })
    expect(await git.run(["version"], { cwd: join(home, "gone"), signal })).toMatchObject({
      ok: false,
      error: { kind: "io" },
    })
  })
})

import { afterAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "../process/environment.ts"
import { createGit } from "../process/git.ts"
import { createSupervisor } from "../process/supervisor.ts"
import { computeProjectID, isInRepository, locate, type Location } from "./project.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-project-")))
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const git = createGit(supervisor)
const signal = new TaskGroup().signal
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** The user's git, in a directory that is made for it. */
function user(directory: string, ...args: string[]): string {
  const cwd = join(home, directory)
  mkdirSync(cwd, { recursive: true })
  const who = [
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@t",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "protocol.file.allow=always",
  ]
  const ran = Bun.spawnSync(["git", ...who, ...args], { cwd, env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
  return ran.stdout.toString().trim()
}
function repository(directory: string): string {
  user(directory, "init", "-q")
  user(directory, "commit", "-q", "--allow-empty", "-m", `root of ${directory}`)
  return user(directory, "rev-parse", "HEAD")
}
async function at(path: string): Promise<Location> {
  const found = await locate(join(home, path))
  if (!found.ok) throw new Error(found.error.message)
  return found.value
}
const id = async (path: string) => computeProjectID(await at(path), git, signal)

describe("locate", () => {
  test("a directory below a repository", async () => {
    repository("repo")
    mkdirSync(join(home, "repo/src/deep"), { recursive: true })
    const gitDir = join(home, "repo/.git")
    expect(await at("repo/src/deep")).toEqual({
      directory: join(home, "repo/src/deep"),
      worktree: join(home, "repo"),
      gitDir,
      commonDir: gitDir,
    })
  })

  test("outside of git the directory is its own worktree, also beside an empty .git", async () => {
    mkdirSync(join(home, "none/.git"), { recursive: true })
    expect(await at("none")).toEqual({ directory: join(home, "none"), worktree: join(home, "none") })
    expect(await isInRepository(join(home, "none"))).toBe(false)
  })

  test("links are followed first", async () => {
    symlinkSync(join(home, "repo/src"), join(home, "link"))
    expect(await at("link")).toMatchObject({ directory: join(home, "repo/src"), worktree: join(home, "repo") })
  })

  test("a linked worktree shares the common directory", async () => {
    user("repo", "worktree", "add", "-q", "../linked")
    expect(await at("linked")).toEqual({
      directory: join(home, "linked"),
      worktree: join(home, "linked"),
      gitDir: join(home, "repo/.git/worktrees/linked"),
      commonDir: join(home, "repo/.git"),
    })
  })

  test("a submodule is a repository of its own", async () => {
    repository("library")
    user("repo", "submodule", "add", "-q", "../library", "lib")
    expect(await at("repo/lib")).toMatchObject({
      worktree: join(home, "repo/lib"),
      commonDir: join(home, "repo/.git/modules/lib"),
    })
  })

  test("a bare repository is its own root", async () => {
    user("bare.git", "init", "-q", "--bare")
    expect(await at("bare.git/refs")).toMatchObject({
      worktree: join(home, "bare.git"),
      commonDir: join(home, "bare.git"),
    })
  })

  test("a .git file that leads nowhere hides the repository above it, as for git", async () => {
    for (const [name, text] of Object.entries({
      gone: "gitdir: /nowhere/at/all\n",
      noise: "hello",
      empty: "",
      long: "x".repeat(20_000),
    })) {
      const directory = join(home, "repo", name)
      mkdirSync(directory)
      writeFileSync(join(directory, ".git"), text)
      expect(await at(`repo/${name}`)).toEqual({ directory, worktree: directory })
    }
  })

  test("what is missing, or no directory, is told", async () => {
    writeFileSync(join(home, "file"), "")
    expect(await locate(join(home, "absent"))).toMatchObject({ ok: false, error: { kind: "directory" } })
    expect(await locate(join(home, "file"))).toMatchObject({ ok: false, error: { kind: "directory" } })
  })

  test("an unreadable repository is no repository, and no crash", async () => {
    repository("secret")
    chmodSync(join(home, "secret/.git"), 0)
    expect((await at("secret")).directory).toBe(join(home, "secret"))
    chmodSync(join(home, "secret/.git"), 0o700)
  })
})

describe("the id", () => {
  test("is the root commit, for clones and linked worktrees alike, and stays through later commits", async () => {
    const root = user("repo", "rev-list", "--max-parents=0", "HEAD")
    expect(await id("repo")).toEqual({ id: root, provisional: false })
    expect(await id("linked")).toEqual({ id: root, provisional: false })
    user("", "clone", "-q", join(home, "repo"), "clone")
    user("clone", "commit", "-q", "--allow-empty", "-m", "more")
    expect(await id("clone")).toEqual({ id: root, provisional: false })
  })

  test("is the smallest of several root commits", async () => {
    const first = repository("two")
    user("two", "checkout", "-q", "--orphan", "other")
    user("two", "commit", "-q", "--allow-empty", "-m", "other root")
    const second = user("two", "rev-parse", "HEAD")
    user("two", "merge", "-q", "--allow-unrelated-histories", "-m", "both", "main")
    expect(await id("two")).toEqual({ id: [first, second].toSorted()[0]!, provisional: false })
  })

  test("is provisional before the first commit and in a shallow clone", async () => {
    user("fresh", "init", "-q")
    const fresh = await id("fresh")
    expect(fresh).toMatchObject({ provisional: true, id: expect.stringMatching(/^path-[0-9a-f]{40}$/) })
    user("clone", "commit", "-q", "--allow-empty", "-m", "again")
    user("", "clone", "-q", "--depth=1", `file://${join(home, "clone")}`, "shallow")
    const shallow = await id("shallow")
    expect(shallow.provisional).toBe(true)
    expect(shallow.id).not.toBe(fresh.id)
  })

  test("outside of git it is the directory's", async () => {
    mkdirSync(join(home, "none/sub"))
    const [parent, child] = [await id("none"), await id("none/sub")]
    expect(parent.provisional).toBe(false)
    expect(parent.id).not.toBe(child.id)
    expect(await id("none")).toEqual(parent)
  })

  test("a root commit that was replaced is still the root", async () => {
    const root = repository("replaced")
    user("replaced", "commit", "-q", "--allow-empty", "-m", "second")
    user("replaced", "replace", "--graft", "HEAD")
    expect((await id("replaced")).id).toBe(root)
  })
})

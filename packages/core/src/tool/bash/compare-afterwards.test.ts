import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "../../process/environment.ts"
import { createGit } from "../../process/git.ts"
import { createSupervisor } from "../../process/supervisor.ts"
import { locate } from "../../workspace/project.ts"
import { placesIn } from "../../workspace/protected-places.ts"
import { type CompareDeps, compareAfterwards } from "./compare-afterwards.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "cairn-compare-")))
const env = childEnvironment({
  ...{ PATH: process.env["PATH"], HOME: join(root, "home") },
  ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" },
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
})
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env })
const { signal } = new TaskGroup()
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

let worktree = ""
let count = 0
const text = (path: string) => readFileSync(join(worktree, path), "utf8")
const put = (path: string, content: string) => writeFileSync(join(worktree, path), content)
/** What a command does; here nothing bounds it. */
async function shell(line: string): Promise<void> {
  const ran = await supervisor.run({ argv: ["bash", "-ec", line], cwd: worktree, signal, merged: true })
  if (!ran.ok || ran.value.exitCode !== 0) throw new Error(ran.ok ? `${line}: ${ran.value.stdout}` : ran.error.message)
}

beforeEach(async () => {
  worktree = join(root, `w${++count}`)
  mkdirSync(worktree)
  mkdirSync(join(root, `elsewhere${count}`))
  await shell("git init -q -b main; echo a > a; mkdir -p .github/workflows; echo 1 > .github/workflows/ci.yml")
  await shell("git add .; git commit -qm one; git checkout -qb other; echo 2 > .github/workflows/ci.yml")
  await shell("echo {} > cairn.json; git add .; git commit -qm two; git checkout -q main")
})

type Given = Partial<Pick<CompareDeps, "approves" | "moves">> & { readonly alone?: boolean }

async function after(line: string, { approves = () => false, moves = false, alone = false }: Given = {}) {
  const location = await locate(worktree)
  if (!location.ok) throw new Error(location.error.message)
  const open = alone ? placesIn(worktree).filter(({ row }) => !row.path.startsWith(".git/")) : []
  const compare = compareAfterwards({
    ...{ ...location.value, worktree, git: createGit(supervisor), directory: join(root, "aside", `c${count}`) },
    ...{ approves, moves, open },
  })
  await shell(line)
  return await compare()
}
const names = (found: readonly { path: string }[]) => found.map(({ path }) => relative(worktree, path)).toSorted()

describe("what git brings", () => {
  test("by a line that names it, in this commit or in another", async () => {
    expect(await after("git checkout -q other", { moves: true, alone: true })).toEqual([])
    expect([text(".github/workflows/ci.yml"), text("cairn.json")]).toEqual(["2\n", "{}\n"])
    expect(await after("git checkout -q main", { moves: true, alone: true })).toEqual([])
    expect(existsSync(join(worktree, "cairn.json"))).toBe(false)
  })

  test("not by what commits it in the same breath, though the place is tracked", async () => {
    await shell("rm -r .github")
    const line = "mkdir -p .github/workflows; echo evil > .github/workflows/ci.yml; git add .; git commit -qm evil"
    expect(names(await after(line))).toEqual([".github/workflows"])
    expect(names(await after("git reset -q --hard HEAD~1", { moves: true }))).toEqual([])
    expect(text(".github/workflows/ci.yml")).toBe("1\n")
  })

  test("a file beside those that are tracked is not git's", async () => {
    await shell("rm -r .github")
    const line = "git checkout -q other -- .; git reset -q --hard other; echo x > .github/workflows/new.yml"
    expect(names(await after(line, { moves: true }))).toEqual([".github/workflows/new.yml"])
    expect(text(".github/workflows/ci.yml")).toBe("2\n")
  })

  test("a hook that writes while git alone runs: what stood there comes back", async () => {
    await shell("mkdir -p husky; git config core.hooksPath husky")
    const hook = "#!/bin/sh\necho evil > .github/workflows/ci.yml; echo x > .github/workflows/b.yml\n"
    writeFileSync(join(worktree, "husky/post-checkout"), hook, { mode: 0o755 })
    const found = await after("git checkout -q main", { moves: true, alone: true })
    expect(names(found)).toEqual([".github/workflows/b.yml", ".github/workflows/ci.yml"])
    expect(text(".github/workflows/ci.yml")).toBe("1\n")
    expect(found.find(({ path }) => path.endsWith("ci.yml"))!.back()).toBe(true)
    expect(text(".github/workflows/ci.yml")).toBe("evil\n")
  })

  test("deleted by something else, it comes back; other line ends are no change", async () => {
    expect(names(await after("rm .github/workflows/ci.yml", { alone: true }))).toEqual([".github/workflows/ci.yml"])
    expect(text(".github/workflows/ci.yml")).toBe("1\n")
    await shell("rm -r .github")
    const line = "git config core.autocrlf true; git checkout -q -- .github"
    expect(names(await after(line, { moves: true }))).toEqual([])
    expect(text(".github/workflows/ci.yml")).toBe("1\r\n")
  })

  test("of a history that is packed, or of a detached head", async () => {
    await shell("git pack-refs --all; rm -r .github")
    expect(names(await after("git checkout -q -- .github"))).toEqual([])
    await shell("git checkout -q --detach; rm -r .github")
    expect(names(await after("git checkout -q -- .github"))).toEqual([])
  })
})

describe("where git takes its settings from", () => {
  test.each([
    ["other settings", "git config core.fsmonitor evil", ".git/config"],
    [
      "after a comment that does not go on",
      "printf '# x \\\\\\n[core]\\nfsmonitor = evil\\n' >> .git/config",
      ".git/config",
    ],
    ["another directory for the settings", "cp -r .git evil; echo ../evil > .git/commondir", ".git/commondir"],
    ["a file in place of the directory", "mv .git evil; echo gitdir: evil > .git", ".git"],
    ["a link in place of the directory", "mv .git evil; ln -s evil .git", ".git"],
    [
      "a link in place of the settings",
      "mv .git/config c; git -C .. config -f c core.pager x; ln -s ../c .git/config",
      ".git/config",
    ],
    ["a pipe in place of the settings", "rm .git/config; mkfifo .git/config", ".git/config"],
    [
      "settings of one working tree",
      "git config extensions.worktreeConfig true; echo '[core] pager = x' > .git/config.worktree",
      ".git/config.worktree",
    ],
    [
      "a new submodule's settings",
      "mkdir -p .git/modules/m; echo '[core] pager = x' > .git/modules/m/config",
      ".git/modules/m/config",
    ],
    ["another repository with hooks", "mv .git g; cp -r g .git; echo x > .git/hooks/pre-push", ".git/hooks/pre-push"],
  ])("%s is put aside", async (_, line, path) => {
    const before = text(".git/config")
    const found = await after(line)
    expect(names(found)).toEqual([path])
    expect(found[0]!.ask).toMatchObject({ permission: "edit", always: [], mustAsk: { protected: true } })
    if (path === ".git/config") expect(text(path)).toBe(before)
    else expect(existsSync(join(worktree, path))).toBe(false)
  })

  test("usual settings, a submodule and a linked working tree pass", async () => {
    const line = [
      "git config branch.main.remote x; git remote add x ../y",
      "git -c protocol.file.allow=always submodule -q add ../sub sub; git worktree add -q ../linked -b linked",
    ]
    rmSync(join(root, "linked"), { recursive: true, force: true })
    await shell("git init -q ../sub; git -C ../sub commit -q --allow-empty -m x")
    expect(await after(line.join("; "))).toEqual([])
    expect(existsSync(join(worktree, ".git/modules/sub/config"))).toBe(true)
    rmSync(join(root, "sub"), { recursive: true, force: true })
  })

  test("a directory that becomes a repository by its own files", async () => {
    rmSync(join(worktree, ".git"), { recursive: true })
    expect(await after("git init -q .")).toEqual([])
    rmSync(join(worktree, ".git"), { recursive: true })
    const bare =
      "git init -q --bare bare; mv bare/* .; git config -f config core.worktree .; git config -f config core.fsmonitor x"
    expect(names(await after(bare))).toEqual(["config"])
  })
})

describe("through links", () => {
  test("nothing is moved or written elsewhere: the link itself goes", async () => {
    const elsewhere = join(root, `elsewhere${count}`)
    mkdirSync(join(elsewhere, "workflows"))
    writeFileSync(join(elsewhere, "workflows/a.yml"), "theirs")
    writeFileSync(join(elsewhere, "config"), "[core]\n\tpager = theirs\n")
    const line = `rm -r .github; ln -s ${elsewhere} .github; ln -s ${elsewhere} .vscode; ln -s ${elsewhere}/config cairn.json`
    expect(names(await after(line))).toEqual([".github", "cairn.json"])
    expect(readFileSync(join(elsewhere, "workflows/a.yml"), "utf8")).toBe("theirs")
    expect(lstatSync(join(root, "aside", `c${count}`, ".github")).isSymbolicLink()).toBe(true)
    await shell(`mv .git/config c; rm -rf .git; ln -s ${elsewhere} .git`)
    expect(readFileSync(join(elsewhere, "config"), "utf8")).toContain("theirs")
  })

  test("what comes back does not come back through one, nor over what stands there by now", async () => {
    const elsewhere = join(root, `elsewhere${count}`)
    const [found] = await after("mkdir .vscode; echo {} > .vscode/tasks.json")
    rmSync(join(worktree, ".vscode"), { recursive: true, force: true })
    symlinkSync(elsewhere, join(worktree, ".vscode"))
    expect(found!.back()).toBe(false)
    expect(existsSync(join(elsewhere, "tasks.json"))).toBe(false)
    rmSync(join(worktree, ".vscode"))
    mkdirSync(join(worktree, ".vscode"))
    put(".vscode/tasks.json", "theirs")
    expect(found!.back()).toBe(false)
    expect(text(".vscode/tasks.json")).toBe("theirs")
    rmSync(join(worktree, ".vscode/tasks.json"))
    expect(found!.back()).toBe(true)
    expect(text(".vscode/tasks.json")).toBe("{}\n")
  })
})

test("what was approved stays, and nothing else does", async () => {
  const approves = (path: string) => path.endsWith("/.vscode/tasks.json")
  const line = "mkdir .vscode; echo {} > .vscode/tasks.json; echo {} > .vscode/launch.json; git config core.editor x"
  expect(names(await after(line, { approves }))).toEqual([".git/config", ".vscode/launch.json"])
  expect(existsSync(join(worktree, ".vscode/tasks.json"))).toBe(true)
})

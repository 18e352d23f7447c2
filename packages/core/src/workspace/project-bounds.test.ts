import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { childEnvironment } from "../process/environment.ts"
import { contains } from "../process/sandbox/bounds.ts"
import { type ActiveSandbox, createSandbox } from "../process/sandbox/sandbox.ts"
import { createSupervisor } from "../process/supervisor.ts"
import { boundedChild, type ChildRoom, type ProjectBoundsDeps } from "./project-bounds.ts"
import { userPlaces } from "./protection.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "cairn-project-bounds-")))
const home = join(root, "home")
const env = childEnvironment({ PATH: process.env["PATH"], HOME: home, TMUX: `${root}/tmux,1,0` })
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env, graceMs: 300 })
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})
const worktree = join(home, "code/project")
for (const path of [".git/hooks", ".github/workflows", "src/.vscode"])
  mkdirSync(join(worktree, path), { recursive: true })
for (const path of ["config", "data/tool-output", "state", ".cache/cairn", ".ssh"])
  mkdirSync(join(home, path), { recursive: true })
writeFileSync(join(worktree, "src/.vscode/tasks.json"), "{}")
writeFileSync(join(home, ".cache/cairn/rg"), "")

const seatbelt: ActiveSandbox = { kind: "seatbelt", program: "/usr/bin/sandbox-exec" }
const deps: ProjectBoundsDeps = {
  ...{ env, home, worktree, places: userPlaces({}, home), network: true, temp: [] },
  paths: {
    ...{ config: join(home, "config"), data: join(home, "data"), state: join(home, "state") },
    ...{ cache: join(home, ".cache/cairn"), toolOutput: join(home, "data/tool-output") },
  },
}
function accessOf(more: Partial<ProjectBoundsDeps> = {}, room?: ChildRoom, cwd = worktree) {
  const { bounds } = boundedChild({ ...deps, ...more }, seatbelt, { argv: ["true"], cwd }, room)
  return (path: string): string => bounds.layers.findLast((layer) => contains(layer.path, path))?.access ?? "read-only"
}

describe("what a child of the project is given", () => {
  test("the project, and not what is protected in it down to where the child runs", () => {
    const at = accessOf({}, undefined, join(worktree, "src"))
    const paths = ["a.txt", ".git/objects", ".git/hooks", ".github/workflows", "src/.vscode/tasks.json"]
    expect(paths.map((path) => at(join(worktree, path)))).toEqual([
      ...["writable", "writable", "read-only", "read-only", "read-only"],
    ])
    expect(accessOf()(join(worktree, "src/.vscode/tasks.json"))).toBe("writable")
    const approved = accessOf({}, { approves: ({ path }) => path.includes(".github") })
    expect([".github/workflows", ".git/hooks"].map((path) => approved(join(worktree, path)))).toEqual([
      ...["writable", "read-only"],
    ])
  })

  test("nothing of Cairn's own, also not what it starts out of its cache, but what was spilled", () => {
    const at = accessOf()
    const paths = ["config", "data", "state", ".cache/cairn/rg", "data/tool-output", ".cache/other"]
    expect(paths.map((path) => at(join(home, path)))).toEqual([
      ...["hidden", "hidden", "hidden", "hidden", "read-only", "writable"],
    ])
  })

  test("keys only of the programs that are named, and no variable that leads to an agent", () => {
    expect([accessOf()(join(home, ".ssh")), accessOf({}, { programs: new Set(["ssh"]) })(join(home, ".ssh"))]).toEqual([
      ...["hidden", "read-only"],
    ])
    const { command } = boundedChild(deps, seatbelt, { argv: ["true"], cwd: worktree })
    expect(command.env).toMatchObject({ HOME: home })
    expect(command.env).not.toHaveProperty("TMUX")
  })

  test("who only looks writes nothing of the project", () => {
    const at = accessOf({}, { readOnly: true, also: [join(root, "elsewhere")] })
    expect([at(join(worktree, "a.txt")), at(join(worktree, ".git"))]).toEqual(["read-only", "read-only"])
  })

  test("a linked git directory when it knows this working tree, and no other", () => {
    const other = join(home, "other/.git")
    const linked = join(other, "worktrees/project")
    const modules = join(other, "modules/project")
    for (const path of [linked, modules]) mkdirSync(path, { recursive: true })
    const given = (gitDir: string) => accessOf({ gitDir, commonDir: other })(join(other, "objects"))
    expect([given(linked), given(modules), given(other)]).toEqual(["read-only", "read-only", "read-only"])
    writeFileSync(join(linked, "gitdir"), `${join(worktree, ".git")}\n`)
    writeFileSync(join(modules, "config"), "[core]\n\tworktree = ../../../../code/project\n")
    expect([given(linked), given(modules)]).toEqual(["writable", "writable"])
    writeFileSync(join(modules, "config"), "[core]\n\tworktree = ../../../../code/another\n")
    expect(given(modules)).toBe("read-only")
  })
})

const state = await createSandbox({ supervisor, worktree, enabled: true })(new TaskGroup().signal)
if (state.kind === "none") process.stderr.write(`skipped: no sandbox on this machine: ${state.reason}\n`)

test.skipIf(state.kind === "none")("a child that stays is bounded too, and ends with all it started", async () => {
  if (state.kind === "none") return
  const script = `echo x > ${home}/out; echo x > in; setsid sleep 4712.1 & echo ready; cat`
  const { command } = boundedChild(deps, state, { argv: ["bash", "-c", script], cwd: worktree })
  const spawned = supervisor.spawn({ ...command, open: true })
  if (!spawned.ok) throw new Error(spawned.error.message)
  await using child = spawned.value
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe("ready\n")
  expect([existsSync(join(home, "out")), existsSync(join(worktree, "in"))]).toEqual([false, true])
  await child.end()
  const looked = await supervisor.run({
    argv: ["pgrep", "-f", "^sleep 4712.1"],
    cwd: "/",
    signal: new TaskGroup().signal,
  })
  expect(looked.ok && looked.value.stdout).toBe("")
})

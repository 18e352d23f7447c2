import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Ask } from "./ask.ts"
import { planCommand } from "./command.ts"
import corpus from "./fixture/commands.json"
import { layerStack } from "./layers.ts"
import { decide, decideOpaque, strictest, subjectOf } from "./rule.ts"

let root = ""
let worktree = ""
let home = ""
const files = [
  ...["src/a.ts", "package.json", "script.js", "e/hooks/pre-commit", "e/config", "v/tasks.json", "w/workflows/ci.yml"],
  ...["tpl/.github/workflows/ci.yml", "tpl/a", "lib/x", ".git/config", ".git/HEAD", ".git/hooks/sample"],
  ...[".github/workflows/ci.yml", ".env", "prod.env", ".env.example", "x.patch", "a.log"],
]

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-commands-")))
  worktree = join(root, "w")
  home = join(root, "home")
  for (const file of files) {
    await mkdir(dirname(join(worktree, file)), { recursive: true })
    await writeFile(join(worktree, file), "")
  }
  await mkdir(home)
  await mkdir(join(root, "away"))
  await symlink(join(root, "away"), join(worktree, "out"))
  await symlink(".git", join(worktree, "glink"))
  await symlink(".env", join(worktree, "elink"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const rules = layerStack({ trusted: false, home: "/h" })
const verdictOf = (ask: Ask) =>
  strictest([
    ...ask.patterns.map((text) => decide(rules, ask.permission, subjectOf(ask.permission, text, worktree))),
    ...(ask.opaque ? [decideOpaque(rules, ask.permission, ask.opaque.text)] : []),
  ])!.action

/** What the line comes to under the default rules, by what weighs most. */
function outcome(line: string): Set<string> {
  const found = new Set<string>()
  for (const ask of planCommand(line, { cwd: worktree, worktree, home }).asks) {
    if (ask.mustAsk) found.add(ask.mustAsk.protected ? "protected" : "ask")
    if (ask.opaque) found.add("ask")
    if (verdictOf(ask) !== "allow") found.add(ask.permission === "external_directory" ? "external" : ask.permission)
  }
  return found
}

for (const [expected, rows] of Map.groupBy(corpus, (row) => row.expected)) {
  test.each(rows.map((row) => [row.line, row.reason]))(`${expected}: %j (%s)`, (line) => {
    const found = outcome(line)
    if (expected === "allow") expect([...found]).toEqual([])
    else expect([...found]).toContain(expected)
  })
}

test("the corpus is wide", () => {
  expect(corpus.length).toBeGreaterThan(300)
  expect(new Set(corpus.map((row) => row.line)).size).toBe(corpus.length)
})

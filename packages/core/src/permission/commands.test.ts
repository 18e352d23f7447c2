import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Ask } from "./ask.ts"
import { planCommand } from "./command.ts"
import corpus from "./fixture/commands.json"
import { layerStack } from "./layers.ts"
import { planVerdict } from "./command-verdict.ts"
import { loadBashParser } from "./shell/parser.ts"
import { fromConfig, type RuleStack, strictest } from "./rule.ts"

const parse = await loadBashParser()
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
  await writeFile(join(root, "away", "secret"), "")
  await symlink(join(root, "away"), join(worktree, "out"))
  await symlink(".git", join(worktree, "glink"))
  await symlink(".env", join(worktree, "elink"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const rules = layerStack({ trusted: false, home: "/h" })
const verdictOf = ({ mustAsk: _, ...ask }: Ask, stack: RuleStack = rules) => planVerdict([ask], stack, worktree)

/** What the line comes to under the default rules, by what weighs most. */
function outcome(line: string): Set<string> {
  const found = new Set<string>()
  for (const ask of planCommand(parse, line, { cwd: worktree, worktree, home }).asks) {
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
  expect(corpus.length).toBeGreaterThan(600)
  expect(new Set(corpus.map((row) => row.line)).size).toBe(corpus.length)
})

const plan = (line: string, unbounded = false) =>
  planCommand(parse, line, { cwd: worktree, worktree, home, unbounded }).asks
const under = (line: string, permission: Parameters<typeof fromConfig>[0]) => {
  const stack = layerStack({ trusted: false, home, user: fromConfig(permission) })
  return strictest(plan(line, true).map((ask) => ({ action: verdictOf(ask, stack) })))!.action
}

test.each([
  "cp package.json src/a.ts",
  "cp package.json src",
  "cp -r e src/",
  "cp -t src package.json",
  "mv package.json src/b.ts",
  "mv src/a.ts b.ts",
  "mv src b",
  "install package.json src/x",
  "ln -s package.json src/x",
  "rm src/a.ts",
  "rm -rf src",
  "rm src/*.ts",
  "rmdir src/old",
  "tee src/a.ts",
  "tee -a out.txt src/a.ts",
  "touch src/new.ts",
  "truncate -s 0 src/a.ts",
  "mkdir -p src/x/y",
  "dd if=package.json of=src/a.ts",
  "patch src/a.ts x.patch",
  "sed -i s/a/b/ src/a.ts",
  "sed -i.bak -e s/a/b/ src/a.ts",
  "perl -pi -e s/a/b/ src/a.ts",
  "chmod +x src/a.ts",
  "chown me src/a.ts",
  "git checkout -- src/a.ts",
  "git checkout HEAD~1 src/a.ts",
  "git restore src",
  "git rm src/a.ts",
  "git mv src/a.ts x.ts",
  "git -C src rm a.ts",
  "curl -o src/a.ts https://example.com/",
  "sort -o src/a.ts package.json",
  "cd src && rm a.ts",
  "(cd src; touch x)",
  "if make; then touch src/x; fi",
  "make && rm src/a.ts &",
  "env X=1 make; rm src/a.ts",
  "echo x > src/a.ts",
  "ln -s src y && touch y/z",
  "touch src/../src/x",
])("edit rules hold for %j", (line) => {
  expect([under(line, { edit: { "src/*": "deny" } }), under(line, { edit: { "src/*": "ask" } })]).toEqual([
    "deny",
    "ask",
  ])
  expect(under(line, { edit: { "srcs/*": "deny" } })).toBe("allow")
})

test.each([
  "cat src/a.ts",
  "cp src/a.ts b.ts",
  "ls src",
  "grep -r x src",
  "sed -n 1p src/a.ts",
  "node src/a.ts",
  "git diff src",
  "git checkout main",
])("and not for what only reads: %j", (line) => expect(under(line, { edit: { "src/*": "deny" } })).toBe("allow"))

test.each([
  "cat src/a.ts",
  "grep -r x src",
  "cp -r src x",
  "head src/*",
  "cat package.json src/a.ts",
  "cat < src/a.ts",
  "tool --in=src/a.ts",
  "bash -c 'cat src/a.ts'",
  "git show HEAD:src/a.ts",
])("read rules hold for %j", (line) => {
  expect(under(line, { read: { "src/*": "deny" } })).toBe("deny")
  expect(under(line, { read: { "srcs/*": "deny" } })).toBe("allow")
})

test.each(["ls src", "stat src/a.ts", "rm src/a.ts", "echo src/a.ts", "find src"])("and not for %j", (line) => {
  expect(under(line, { read: { "src/*": "deny" } })).toBe("allow")
})

test.each([
  "cat /etc/passwd",
  "bash -c 'cat /etc/passwd'",
  "cat $(echo /etc/passwd)",
  "cat `echo ~/x`",
  'cat "$HOME/x" $Y',
  "cat ${HOME}/x <(ls)",
  "X=/etc; cat $X/passwd",
  "for f in ../*; do cat $f; done",
  "cat <<< x > ../y",
  "$X -o/etc/x",
  "while read l; do echo $l; done < /etc/passwd",
  "cat /e't'c/passwd $X",
  "cat out/secret $X",
])("a denied outside is denied in what can be read and what cannot: %j", (line) => {
  expect(under(line, { external_directory: "deny" })).toBe("deny")
})

test("in a line that cannot be read, a route or a pattern is no path, and a protected word is for once only", () => {
  for (const line of [
    "node -e \"app.get('/api/users')\"",
    "echo $X a/b",
    "for f in src/*; do cat $f; done",
    "cat <<X\n</div>\nX",
  ])
    expect([line, under(line, { external_directory: "deny" })]).toEqual([line, "allow"])
  for (const unbounded of [false, true]) {
    const [ask] = plan("bash -c 'cp src/a.ts .git/hooks/x'", unbounded)
    expect([ask!.mustAsk?.protected, ask!.always]).toEqual([true, []])
  }
})

test("`.ENV` is another file where the file system tells them apart", () => {
  expect(under("cat .ENV", { read: { "*.env": "deny" } })).toBe("allow")
})

test("a pattern that stands for too much makes the line one that cannot be read", async () => {
  const many = join(worktree, "many")
  await mkdir(many)
  await Promise.all(Array.from({ length: 501 }, (_, index) => writeFile(join(many, `f${index}`), "")))
  expect(plan("cat many/*")[0]!.opaque?.reason).toContain("too many files")
  expect(plan("ls many/f1*")[0]!.opaque).toBeUndefined()
  expect(plan("ln -s /etc z1 && cat z*/passwd")[0]!.opaque?.reason).toContain("link that the line makes")
  expect(plan("cat many/f1*").find((ask) => ask.permission === "read")!.patterns).toHaveLength(111)
  await rm(many, { recursive: true })
})

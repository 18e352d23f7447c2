import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Threat } from "../workspace/history/threat.ts"
import { planCommand, withLosses } from "./command.ts"
import { destructiveRows } from "./shell/destructive.ts"
import { loadBashParser } from "./shell/parser.ts"

const parse = await loadBashParser()
const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-threats-")))
const cwd = join(home, "w")
mkdirSync(join(cwd, "src"), { recursive: true })
for (const name of ["a.txt", "b.txt", "src/c"]) writeFileSync(join(cwd, name), "")
afterAll(() => rmSync(home, { recursive: true, force: true }))

const plan = (line: string) =>
  planCommand(parse, line, { cwd, worktree: cwd, home, environmentNames: ["HOME", "PATH"] })

/** A threat in a word or two, paths below the worktree. */
function shown(threat: Threat): string {
  const where = threat.cwd === cwd ? "" : `in ${threat.cwd.slice(cwd.length + 1)}: `
  if (threat.kind === "ref") return `${where}${threat.ref} → ${threat.bringBack("0123")}`
  if (threat.kind === "paths") {
    const paths = threat.paths.toSorted().map((path) => (path === cwd ? "." : path.replace(`${cwd}/`, "")))
    return `${where}${threat.vague ? "some of " : ""}${paths.join(" ")}`
  }
  const { only, changed, untracked, ignored, trees, nested } = threat
  const kinds = [
    ...(changed ? ["changed"] : []),
    ...(untracked ? [`untracked ${untracked}`] : []),
    ...(ignored ? [`ignored ${ignored}`] : []),
    ...(nested ? ["nested"] : []),
  ]
  const of = trees ? ` (${trees.join(" ")})` : ""
  return `${where}${kinds.join(", ")}${of}${only.length > 0 ? ` only ${only.join(" ")}` : ""}`
}

const threats = (line: string) => plan(line).threats.map(shown)

describe("of git", () => {
  test.each([
    ["git reset --hard", ["changed"]],
    ["git reset --hard HEAD~1", ["changed, untracked in_trees, ignored in_trees (HEAD~1)"]],
    ["git reset --keep", ["changed"]],
    ["git reset HEAD a.txt", []],
    ["git checkout main", ["changed, untracked in_trees, ignored in_trees (main) only main"]],
    ["git checkout -f main", ["changed, untracked in_trees, ignored in_trees (main)"]],
    ["git checkout -- a.txt", ["changed only a.txt"]],
    ["git checkout -b new", ["changed, untracked in_trees, ignored in_trees (new) only new"]],
    ["git checkout --pathspec-from-file=list", ["changed"]],
    ["git checkout", []],
    ["git switch main", []],
    ["git switch -C main", []],
    ["git switch --discard-changes main", ["changed, untracked in_trees, ignored in_trees (main)"]],
    ["git restore .", ["changed only ."]],
    ["git restore --staged .", []],
    ["git restore -SW .", ["changed only ."]],
    ["git restore -s HEAD~2 a.txt", ["changed, untracked in_trees, ignored in_trees (HEAD~2) only a.txt"]],
    ["git restore --source=v1 -- a.txt", ["changed, untracked in_trees, ignored in_trees (v1) only a.txt"]],
    ["git clean -fd", ["untracked all only ."]],
    ["git clean -f", ["untracked upper only ."]],
    ["git clean -f src", ["untracked all only src"]],
    ["git clean -fX", ["ignored upper only ."]],
    ["git clean -ffdx", ["untracked all, ignored all, nested only ."]],
    ["git clean -f -f -e '*.keep' -d", ["untracked all, nested only ."]],
    ["git clean -nfdx", []],
    ["git rm -rf src", ["changed only src"]],
    ["git rm --cached src", []],
    ["git stash", ["changed"]],
    ["git stash push -u -m words", ["changed, untracked all"]],
    ["git stash -a", ["changed, untracked all, ignored all"]],
    ["git stash pop", []],
    ["git stash drop 2", ["stash@{2} → git stash apply 0123"]],
    ["git stash clear", ["stash → git stash apply 0123"]],
    ["git rebase main", ["changed"]],
    ["git merge --abort", ["changed"]],
    ["git merge main", []],
    ["git branch -D one two", ["refs/heads/one → git branch one 0123", "refs/heads/two → git branch two 0123"]],
    ["git branch new", []],
    ["git tag -d v1", ["refs/tags/v1 → git tag v1 0123"]],
    ["git update-ref -d refs/x", ["refs/x → git update-ref refs/x 0123"]],
    ["git worktree remove --force src", ["src"]],
    ["git submodule deinit -f src", ["src"]],
    ["git -C src clean -fd", ["in src: untracked all only ."]],
    ["cd src && git checkout .", ["in src: changed, untracked in_trees, ignored in_trees (.) only ."]],
    ["git clean -fd $(cat list)", ["changed, untracked all, ignored all, nested"]],
    ["git status; git add -A; git commit -m x; git push --force", []],
  ])("%s", (line, expected) => expect(threats(line)).toEqual(expected))
})

describe("of other commands", () => {
  test.each([
    ["rm a.txt", ["a.txt"]],
    ["rm -rf src *.txt", ["a.txt b.txt src"]],
    ["cd src && rm c", ["in src: src/c"]],
    ["sudo rm a.txt", ["a.txt"]],
    ["rm $(cat list)", ["some of ."]],
    ["ls | xargs rm", ["some of ."]],
    ["find src -name c -delete", ["some of src"]],
    ["find . -exec rm {} +", ["some of ."]],
    ["mv a.txt b.txt", ["some of a.txt b.txt"]],
    ["truncate -s 0 a.txt; shred b.txt; dd if=/dev/zero of=src/c", ["a.txt", "b.txt", "src/c"]],
    ["chmod 600 a.txt; chown me b.txt", []],
    ["kill 1; docker rm x; dropdb y; reboot", []],
    ["echo x > a.txt; sed -i s/a/b/ b.txt", []],
  ])("%s", (line, expected) => expect(threats(line)).toEqual(expected))
})

test("every command of git that is said to destroy files has a threat", () => {
  const others = /^git (?:push|reflog|gc|prune|filter|worktree prune)/
  const lines = destructiveRows.flatMap(({ example }) =>
    example.startsWith("git ") && !others.test(example) ? [example] : [],
  )
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => threats(line).length === 0)).toEqual([])
})

test("the ask says what would be lost, at the command that would lose it", () => {
  const { asks } = plan("git clean -fd; rm a.txt; ls")
  const losses = new Map([
    ["git clean -fd", "2 files: x, y"],
    ["ls", "nothing of this"],
  ])
  const [bash] = withLosses(asks, losses)
  expect(bash?.commands?.map(({ text, destructive }) => [text, destructive])).toEqual([
    ["git clean -fd", "files that git does not know are gone: 2 files: x, y"],
    ["rm a.txt", "what it removes is gone"],
    ["ls", undefined],
  ])
  expect(withLosses(asks, new Map())).toEqual([...asks])
})

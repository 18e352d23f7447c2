import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { shellFacts } from "../../permission/shell/facts.ts"
import { loadBashParser } from "../../permission/shell/parser.ts"
import { keyOwners } from "./key-owners.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "cairn-key-owners-")))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const worktree = join(root, "project")
const bin = join(root, "bin")
for (const path of [join(worktree, ".git/hooks"), join(worktree, "bin"), bin]) mkdirSync(path, { recursive: true })
for (const name of "git ssh scp sftp rsync npm gh aws node tail".split(" ")) put(join(bin, name), "#!/bin/sh\n")
const parse = await loadBashParser()

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: 0o755 })
}
const inProject = (path: string, text: string) => put(join(worktree, path), text)
const owners = (line: string, more: Partial<Parameters<typeof keyOwners>[1]> = {}) => {
  const deps = { env: { PATH: bin }, worktree, commonDir: join(worktree, ".git"), ...more }
  return [...keyOwners(shellFacts(parse, line, { cwd: worktree, home: join(root, "home") }), deps)]
}

describe("whose keys a line gets", () => {
  test.each([
    ["git push", ["git", "git push"]],
    ["cd src && git pull --rebase 2>&1 | tail -3", ["git", "git pull"]],
    ["git commit -m x && git --no-pager push", ["git", "git commit", "git push"]],
    ["npm ci", ["npm", "npm ci"]],
    ["gh pr list; aws s3 ls", []],
    ["npm test && git push", []],
    ["./git push", []],
    ["/usr/bin/git push", []],
    ["eval git push", []],
    ["GIT_SSH_COMMAND=x git push", []],
    ["git -c core.sshCommand=x push", []],
    ["git -C ../other push", []],
    ["git --git-dir=other push", []],
    ["git push --receive-pack=x", []],
  ])("%s", (line, programs) => expect(owners(line)).toEqual(programs))

  test.each([
    ["ssh host ls -la", "ssh"],
    ["ssh -p 22 -o ConnectTimeout=3 me@host 'cat -F x'", "ssh"],
    ["scp -P22 -r a host:b", "scp"],
    ["rsync -avz a host:b", "rsync"],
  ])("%s: it works elsewhere, by nothing that the line brings along", (line, program) =>
    expect(owners(line)[0]).toBe(program),
  )
  test.each([
    ...["ssh -F ./config host", "ssh -oProxyCommand=./x host", "ssh -o 'ProxyCommand ./x' host", "ssh -I ./x.so host"],
    ...["ssh -o LocalCommand=x -o PermitLocalCommand=yes host", "ssh -S ./x host", "scp -S ./x a h:b", "sftp -b f h"],
    ...["rsync -e ./x a h:b", "rsync --rsh=./x a h:b", "rsync -avze ./x a h:b", "ssh host; ./x", "ssh host $(./x)"],
    ...["LD_PRELOAD=./x ssh host", "ssh host < <(./x)", "ssh -vF ./config host"],
  ])("%s: not by a program or settings of the line's own", (line) => expect(owners(line)).toEqual([]))

  test("not when the program that is found by the name is the project's", () => {
    inProject("bin/git", "")
    expect(owners("git push", { env: { PATH: `${worktree}/bin:${bin}` } })).toEqual([])
    expect(owners("gitx push")).toEqual([])
  })
})

describe("git on a repository", () => {
  test("of the project: its own settings stand, its hooks outside of git's directory get no keys", () => {
    inProject(".git/config", "[core]\n\tsshCommand = ssh -i ~/.ssh/work\n")
    inProject(".git/hooks/pre-push", "")
    expect(owners("git push")).toEqual(["git", "git push"])
    inProject(".git/config", '[core]\n\thooksPath = ".husky/_"\n')
    inProject(".husky/_/pre-push", "")
    inProject(".husky/pre-commit", "")
    expect(owners("git push")).toEqual(["git", "git push"])
    inProject(".husky/pre-push", "")
    expect(owners("git push")).toEqual([])
    inProject(".git/config", "[core]\n\thooksPath = ~/hooks\n")
    expect(owners("git push")).toEqual(["git", "git push"])
    inProject(".git/config", "")
  })

  test("in it: one that nobody watches has to be plain", () => {
    inProject("nested/.git/config", '[remote "origin"]\n\turl = x\n')
    expect(owners("cd nested && git push")).toEqual(["git", "git push"])
    inProject("nested/.git/hooks/pre-push.sample", "")
    expect(owners("cd nested && git push")).toEqual(["git", "git push"])
    inProject("nested/.git/hooks/pre-push", "")
    expect(owners("cd nested && git push")).toEqual([])
    inProject("evil/.git/config", "[core]\n\tsshCommand = ./x\n")
    expect(owners("cd evil && git push")).toEqual([])
    inProject("file/.git", "gitdir: ../evil/.git\n")
    expect(owners("cd file && git push")).toEqual([])
  })

  test("of none: only what makes one", () => {
    const plain = join(root, "plain")
    mkdirSync(plain)
    const deps = { worktree: plain, commonDir: undefined }
    expect(owners(`cd ${plain} && git clone git@host:x`, deps)).toEqual(["git", "git clone"])
    expect(owners(`cd ${plain} && git push`, deps)).toEqual([])
  })
})

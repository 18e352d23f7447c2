import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PermissionAction } from "@cairn/schema/permission"
import fc from "fast-check"
import { planCommand } from "./command.ts"
import { planVerdict } from "./command-verdict.ts"
import { fromConfig } from "./rule.ts"
import { loadBashParser } from "./shell/parser.ts"

const parse = await loadBashParser()
let worktree = ""
beforeAll(async () => {
  worktree = await realpath(await mkdtemp(join(tmpdir(), "cairn-understood-")))
  await mkdir(join(worktree, "pkg"))
  await writeFile(join(worktree, "a.txt"), "")
})
afterAll(() => rm(worktree, { recursive: true, force: true }))

const plan = (line: string) =>
  planCommand(parse, line, { cwd: worktree, worktree, home: "/h", environmentNames: ["HOME", "PATH", "USER"] })
const opaque = (line: string) => plan(line).asks[0]!.opaque?.reason
const verdict = (line: string, permission: Parameters<typeof fromConfig>[0]): PermissionAction =>
  planVerdict(plan(line).asks, [fromConfig(permission)], worktree)

describe("what is understood though it is not plain", () => {
  const rules = { bash: { "*": "allow", "rm *": "deny", rm: "deny" } } as const
  test.each([
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    "cat <(rm x)",
    "tee >(rm x)",
    "f() { rm x; }",
    "f () { rm x; }",
    "case x in x) rm x;; esac",
    "for f in *; do rm x; done",
    "FOO=1 rm x",
    "env rm x",
    "/usr/bin/env rm x",
    "sudo rm x",
    "command rm x",
    "exec rm x",
    "nohup rm x",
    "timeout 5 rm x",
    "time rm x",
    "busybox rm x",
    "bash -c 'rm x'",
    "sh -lc 'rm x'",
    "alias ls=rm",
    "find . -exec rm {} +",
    "x=rm; $x y",
    "r${x}m y",
    "$'\\x72m' x",
    "bash <<'EOF'\nrm x\nEOF",
    "cat <<EOF\n$(rm x)\nEOF",
    "cat <<EOF\n`rm x`\nEOF",
    "f() { $1 x; }; f rm",
    "for c in ls rm; do $c x; done",
    "xargs rm < a.txt",
    "trap 'rm x' EXIT",
    "while read l; do rm $l; done",
    "[[ $(rm x) ]]",
    "echo ${y:-$(rm x)}",
    "a=($(rm x))",
    "((a = 1)) && rm x",
    "coproc rm x",
    "nice -n 5 env A=1 timeout -s KILL 5 stdbuf -oL rm x",
    "bash -c \"sh -c 'rm x'\"",
    "uv run rm x",
    "docker exec -it c rm x",
    "git status & rm x",
    "if false; then :; else rm x; fi",
    "until rm x; do :; done",
    "select a in b; do rm $a; done",
    "! rm x",
    "{ rm x; } 2>/dev/null",
    "RM x",
  ])("a deny holds in %j", (line) => {
    expect(verdict(line, rules)).toBe("deny")
  })

  test.each([
    "cat <<EOF\nrm x\nEOF",
    "r{m,} x",
    "echo ${x}",
    "echo $'\\x72m'",
    'echo $"x"',
    "cat <<< x",
    "(cd pkg; ls) > out",
    "cd pkg && ls $PWD/x",
    "ls ${NOTHING:-x}",
    "ls $HOMER",
    "time ls",
    "[[ -f x ]]",
    "pushd x",
    "echo $HOME/$USER",
    "echo hi && exit $?",
    "set -euo pipefail; make",
    'git commit -m "$(cat <<\'EOF\'\nfix: a (b) `c`\n\nIt\'s "done".\nEOF\n)"',
    "for f in *.txt; do echo $f; done",
    "for i in {1..3}; do echo $i; done",
    "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
    'FOO=1 BAR="a b" make',
    "NODE_ENV=production npm run build",
    "export CI=1 && npm test",
    "timeout 60 npm test 2>&1 | tail -20",
    "cat > a.txt <<EOF\nhello $USER\nEOF",
    "git ls-files | xargs wc -l",
    "find . -name '*.ts' -exec grep -l foo {} +",
    'case "$1" in start) make ;; *) echo no ;; esac',
    "f() { local x=1; echo $x; }; f",
    "diff <(ls) <(ls -a)",
    "kill $! 2>/dev/null; wait",
    "[[ $# -eq 0 ]] && ls",
    "(cd pkg && make) && ls",
    "bash -c 'ls && pwd'",
    "nohup make > a.txt 2>&1 &",
    "GIT_PAGER=cat git log -3",
    "GIT_EDITOR=true git rebase --continue",
    "make CC=gcc -j4",
    "tr a-z A-Z <<< hello",
    "trap 'echo done' EXIT; make",
    "npm test -- $(git diff --name-only)",
    "eslint $(git diff --name-only)",
    "printf '%s\\n' \"$USER\"",
  ])("nothing is asked for %j", (line) => {
    expect(opaque(line)).toBeUndefined()
    expect(verdict(line, "allow")).toBe("allow")
  })
})

test.each([
  "x=ls sudo bash -c '$x rm y'",
  "export x=ls; env -i bash -c '$x rm y'",
  "x=ls env -u x sh -c '$x rm y'",
  "x=ls; bash -c '$x rm y'",
  "x=ls; sh -c 'rm$x y'",
  "x=ls; f() { local x=rm; g; }; g() { $x y; }; f",
])("a variable that another shell may not get hides nothing: %j", (line) => {
  expect(verdict(line, { "*": "allow", bash: { "*": "allow", "rm *": "deny" } })).not.toBe("allow")
})

describe("wrapping a denied command never allows it", () => {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const wraps: Record<string, (line: string) => string> = {
    env: (line) => `env A=1 ${line}`,
    timeout: (line) => `timeout -k 1 5 ${line}`,
    nice: (line) => `nice -n 5 ${line}`,
    nohup: (line) => `nohup ${line}`,
    sudo: (line) => `sudo -u root -- ${line}`,
    command: (line) => `command ${line}`,
    exec: (line) => `exec ${line}`,
    stdbuf: (line) => `stdbuf -oL ${line}`,
    setsid: (line) => `setsid -w ${line}`,
    xargs: (line) => `xargs -0 -n 1 ${line}`,
    find: (line) => `find . -name x -exec ${line} {} +`,
    busybox: (line) => `busybox ${line}`,
    runner: (line) => `uv run ${line}`,
    sh: (line) => `sh -c ${quoted(line)}`,
    bash: (line) => `bash -ec ${quoted(line)} _ 1`,
    eval: (line) => `eval ${quoted(line)}`,
    assignment: (line) => `A=1 ${line}`,
    time: (line) => `time ${line}`,
    redirect: (line) => `2>/dev/null ${line}`,
    coproc: (line) => `coproc ${line}`,
  }
  const arounds: Record<string, (line: string) => string> = {
    subshell: (line) => `(${line})`,
    group: (line) => `{ ${line}; }`,
    substitution: (line) => `echo "$(${line})"`,
    backticks: (line) => (/[`\\]/.test(line) ? `$(${line})` : `echo \`${line}\``),
    process: (line) => `cat <(${line})`,
    and: (line) => `ls && ${line}`,
    or: (line) => `ls || ${line}`,
    list: (line) => `ls; ${line} & ls`,
    pipe: (line) => `ls | ${line} | ls`,
    newline: (line) => `ls\n${line}\nls`,
    if: (line) => `if ls; then ls; else ${line}; fi`,
    while: (line) => `while ${line}; do ls; done`,
    for: (line) => `for i in 1 2; do ${line}; done`,
    case: (line) => `case x in (y) ls;; *) ${line};; esac`,
    function: (line) => `f() { ${line}; }; f`,
    not: (line) => `! ${line}`,
    heredoc: (line) => `cat <<EOF\n$(${line})\nEOF`,
    default: (line) => `echo \${x:-$(${line})}`,
    trap: (line) => `trap ${quoted(line)} EXIT`,
    comment: (line) => `ls # don't\n${line}`,
  }
  const names: Record<string, string> = {
    plain: "rm -f x",
    path: "/bin/rm -f x",
    backslash: "\\rm -f x",
    quotes: "r''m -f x",
    double: '"rm" -f x',
    escaped: "$'\\x72m' -f x",
    nothing: "r${nothing}m -f x",
    joined: "r\\\nm -f x",
    braces: "{rm,-f,x}",
    relative: "./rm -f x",
  }
  const kinds = { ...wraps, ...arounds }
  /** Programs run programs: what only a shell understands goes to them through one. */
  const programs = new Set(
    Object.keys(wraps).filter((one) => !["eval", "assignment", "time", "redirect", "coproc"].includes(one)),
  )
  const chained = (name: string, kind: readonly string[]): string => {
    let simple = true
    return kind.reduce((inner, one) => {
      const program = programs.has(one)
      const line = kinds[one]!(program && !simple ? `sh -c ${quoted(inner)}` : inner)
      simple = program
      return line
    }, name)
  }
  const chain = fc.array(fc.constantFrom(...Object.keys(kinds)), { minLength: 1, maxLength: 3 })
  const rules = [
    { "*": "allow", bash: { "*": "allow", "rm *": "deny" } },
    { "*": "allow", bash: { "*": "ask", "rm *": "deny", "ls *": "allow", "echo *": "allow", "cat *": "allow" } },
  ] as const

  test.each(Object.keys(kinds))("%s, once", (kind) => {
    for (const [name, line] of Object.entries(names))
      expect([name, verdict(kinds[kind]!(line), rules[0])]).not.toEqual([name, "allow"])
    expect(verdict(kinds[kind]!(names["plain"]!), rules[0])).toBe("deny")
  })

  test("any three of them", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(names)), chain, (name, kind) => {
        const line = chained(name, kind)
        for (const permission of rules) expect([line, verdict(line, permission)]).not.toEqual([line, "allow"])
      }),
      { numRuns: 300, seed: 7 },
    )
  }, 60_000)

  test("nor is a line allowed by what stands around it", () => {
    const allowing = {
      "*": "allow",
      bash: { "*": "ask", "ls *": "allow", "echo *": "allow", "cat *": "allow" },
    } as const
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(names)), chain, (name, kind) => {
        const line = chained(name, kind)
        expect([line, verdict(line, allowing)]).not.toEqual([line, "allow"])
      }),
      { numRuns: 300, seed: 8 },
    )
  }, 60_000)
})

import { afterAll, describe, expect, test } from "bun:test"
import { TaskGroup } from "@cairn/kernel/task"
import type { Dialect } from "../process/shell.ts"
import { planFacts } from "./command.ts"
import { planVerdict } from "./command-verdict.ts"
import { createReadLine } from "./read-line.ts"
import { fromConfig } from "./rule.ts"
import { shellFacts } from "./shell/facts.ts"
import { loadBashParser } from "./shell/parser.ts"

const read = createReadLine()
const group = new TaskGroup()
afterAll(() => group[Symbol.asyncDispose]())

const context = { cwd: "/nowhere", worktree: "/nowhere", home: "/h" }
const planned = async (dialect: Dialect, line: string) =>
  planFacts(await read(dialect, line, context, group.signal), line, context)
const verdict = async (dialect: Dialect, line: string) =>
  planVerdict((await planned(dialect, line)).asks, [fromConfig({ "*": "allow", bash: "allow" })], "/nowhere")

test("grammars that are wanted at once do not spoil each other", async () => {
  const lines = await Promise.all(
    (["bash", "powershell", "bash", "powershell", "cmd"] as const).map((one) =>
      verdict(one, one === "bash" ? "git status | cat" : "git status"),
    ),
  )
  expect(lines).toEqual(["allow", "allow", "allow", "allow", "allow"])
})

const parse = await loadBashParser()

test.each([
  ..."ls;cd a && rm -r b;eval ls -la;eval if;exit 1;env npm test;xargs rm;git clean -fd;then;a;b".split(";"),
  ...["bash -c 'ls -la'", "bash -c 'a | b'", "bash -c 'echo $x'", "trap 'rm x' EXIT", "sh -c 'cd .. && rm \"a b\"'"],
  ...[
    "env -S 'rm x'",
    "find a -exec rm b '{}' ';'",
    "git config alias.x '!rm -r y'",
    "watch 'rm x > y'",
    "sed -n 1p a",
  ],
])("a plain line is known as the grammar knows it: %s", async (line) => {
  expect(await read("bash", line, context, group.signal)).toEqual(shellFacts(parse, line, context))
})

describe("zsh", () => {
  test.each(["git status", "npm test && npm run lint", "ls 'a b' | wc -l"])("%j is as in bash", async (line) => {
    expect(await verdict("zsh", line)).toBe("allow")
  })

  test.each([
    "ls *(e:'rm x':)",
    "echo =rm",
    "noglob ls",
    "- ls",
    "echo ${(e)x}",
    "ls x~y",
    "rm x &!",
    "repeat 2 ls",
    "echo {1..3}",
    "ls **/*",
    "cat <->",
    "echo $'a'",
    "x=1",
    "for f (a b) ls",
  ])("%j asks", async (line) => expect(await verdict("zsh", line)).toBe("ask"))
})

describe("sh", () => {
  test.each([
    "git status",
    "for f in a b; do ls $f; done",
    'if [ -f x ]; then cat x; fi; x=$(pwd); echo "${x:-y}"',
    "ls 2>&1 >/dev/null",
    "echo $((1 + 2))",
    "f() { ls; }; f",
  ])("%j is as in bash", async (line) => {
    if (!line.includes("((")) expect(await verdict("sh", line)).toBe("allow")
    else expect(await verdict("sh", line)).toBe("ask")
  })

  test.each([
    "echo $'a\\'; ls; #'",
    "ls &> x",
    "ls &>x",
    "[[ a == b ]]",
    "ls {a,b}",
    "cat <(ls)",
    "cat <<< x",
    "function f { ls; }",
    "a+=b; ls",
    "export a=$b",
    "echo ${x//a/b}",
    "ls |& cat",
    "time ls",
  ])("%j asks", async (line) => expect(await verdict("sh", line)).toBe("ask"))
})

test.each(["git status", "ls", ""])("a shell that nobody here knows asks always: %j", async (line) => {
  expect(await verdict("other", line)).toBe("ask")
  expect((await planned("other", line)).asks[0]!.mustAsk?.reason).toContain("nobody here knows")
})

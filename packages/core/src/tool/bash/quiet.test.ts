import { describe, expect, test } from "bun:test"
import { shellFacts } from "../../permission/shell/facts.ts"
import { loadBashParser } from "../../permission/shell/parser.ts"
import { changesNothing } from "./quiet.ts"

const parse = await loadBashParser()
const isQuiet = (line: string) => changesNothing(shellFacts(parse, line, { cwd: "/repo", home: "/home/me" }))

describe("certainly changes no file", () => {
  test.each([
    "ls",
    "ls -la src | grep ts | wc -l",
    "cat a b; head -5 c && tail -n 3 d",
    "git status --short && git log --oneline -5",
    "git diff HEAD~1 -- src",
    "cd src && pwd",
    "rg -n 'foo|bar' src",
    "grep -rn TODO . > /dev/null 2>&1",
    'test -f a && echo "there"',
    "if [ -d src ]; then ls src; fi",
  ])("%s", (line) => {
    expect(isQuiet(line)).toBe(true)
  })
})

describe("may change files", () => {
  test.each([
    "echo x > a",
    "cat a >> b",
    "rm a",
    "npm test",
    "make",
    "git stash",
    "git -c core.pager=x log",
    "git diff --output=patch",
    "git grep -O foo",
    "rg --pre ./run foo",
    "./ls",
    "/tmp/ls",
    "GIT_EXTERNAL_DIFF=./evil git diff",
    "PATH=. ls",
    "ls() { rm a; }; ls",
    "$cmd",
    "ls $(rm a)",
    "cat <(rm a)",
    "echo x | tee a",
    "sort -o a b",
    "sed -i s/a/b/ c",
    "find . -delete",
    "eval ls",
    "ls | xargs rm",
    "awk '{print > \"a\"}' b",
    "tree -o list",
    "bash -c ls",
    "curl -O http://localhost",
    "unknown-program",
    "ls; (",
  ])("%s", (line) => {
    expect(isQuiet(line)).toBe(false)
  })
})

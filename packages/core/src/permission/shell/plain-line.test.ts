import { expect, test } from "bun:test"
import fc from "fast-check"
import attempts from "../fixture/attempts.json"
import commands from "../fixture/commands.json"
import { loadBashParser } from "./parser.ts"
import { plainTree } from "./plain-line.ts"

const parse = await loadBashParser()

/** A plain tree is the grammar's, or there is none. Gives whether there is one. */
function agrees(line: string): boolean {
  const tree = plainTree(line)
  if (tree) expect([line, parse(line)]).toEqual([line, { ok: true, root: tree }])
  return tree !== undefined
}

test.each([
  "ls",
  "echo round 0",
  "git log --oneline -5 HEAD~0".replace("~0", ""),
  "./script/test.sh -- src/a.ts:12 @scope/name 50% 1.5 -0x1f a,b",
  "cd packages/core && bun test src/store; git status",
  "a && b || c && d",
  `git commit -m 'fix: it''s' -m "a (b) && c"`.replace("''", ""),
  `grep "" '' "it's" 'say "x"' -r .`,
  "echo if then fi",
  "test -f a.txt&&rm a.txt",
])("is read without the grammar, to the same tree: %s", (line) => {
  expect(agrees(line)).toBe(true)
})

test.each([
  ...[
    "",
    " ls",
    "ls ",
    "ls\n",
    "ls;",
    "ls &",
    "a &&",
    "&& a",
    "a | b",
    "a > b",
    "a 2>&1",
    "A=1 b",
    "echo $x",
    "echo ~",
  ],
  ...["echo *", "echo a?", "echo [a]", "echo {a,b}", "echo `a`", "echo a\\ b", 'echo "$x"', 'echo "a\\b"', "echo 'a"],
  ...[
    "echo a'b'",
    `echo "a"'b'`,
    "'ls'",
    '"ls" a',
    "! a",
    "(a)",
    "a # b",
    "echo !1",
    'echo "!1"',
    "a\tb",
    "a\u00a0b",
    "é",
  ],
  ...["if a", "export a", "time a", "unset a", "a && for b", "a; declare b", "coproc a", "[ a ]", "a <b", "a;;b"],
])("is left to the grammar: %j", (line) => {
  expect(plainTree(line)).toBeUndefined()
})

const words = [
  ..."a b ls cd if then in do time export test let eval exit 0 1 -5 0x1f 10 007 1a 1.5 -x --y=z [ ]".split(" "),
  ...["'q r'", '"q r"', '""', "''", "'\"'", '"\'"', "&&", "||", ";"],
]
const piece = fc.oneof(fc.constantFrom(...words), fc.stringMatching(/^[\w./:@%+,-]{1,6}$/))
const strange = fc.oneof(
  fc.constantFrom("|", "&", "#", "=", "~", "!", "$x", ">", "2>&1", "\n", "\\", "`", "{", "*"),
  fc.string({ maxLength: 4 }),
)
const lineOf = (part: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(part, fc.constantFrom(" ", " ", " ", "  ", "")), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.map(([text, gap]) => text + gap).join(""))
    .chain((text) => fc.constantFrom(text, text.trim()))

const line = fc.oneof(
  lineOf(piece).map((text) => `a ${text}`),
  lineOf(fc.oneof({ weight: 5, arbitrary: piece }, strange)),
)

test("whatever the line, the tree is the grammar's or there is none", () => {
  const count = process.env["CAIRN_TEST_LONG"] ? 100_000 : 4_000
  let plain = 0
  fc.assert(
    fc.property(line, (text) => {
      if (agrees(text)) plain++
    }),
    { numRuns: count, seed: 20_261_122 },
  )
  expect(plain).toBeGreaterThan(count / 10)
}, 120_000)

test("no attempt and no line of the corpus is read in another way", () => {
  const plain = [...attempts, ...commands.map(({ line }) => line)].filter(agrees)
  expect(plain.length).toBeGreaterThan(150)
})

import { expect, test } from "bun:test"
import { commandBench } from "../../../test/history/command-bench.ts"
import { parseStatus } from "./git-status.ts"

const oid = "a".repeat(40)

test("every kind of line, with spaces and line ends in names", () => {
  const lines = [
    `# branch.oid ${oid}`,
    "# branch.head main",
    `1 .M N... 100644 100644 100644 ${oid} ${oid} a file with spaces`,
    `1 D. N... 100644 000000 000000 ${oid} ${"0".repeat(40)} gone`,
    `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} both\nlines`,
    `1 .M S.M. 160000 160000 160000 ${oid} ${oid} sub`,
    "? new file",
    "? nested/",
    "! node_modules/",
    "! .env",
    "x something new in git",
    "",
  ]
  expect(parseStatus(lines.join("\0"))).toEqual({
    head: oid,
    changed: ["a file with spaces", "gone", "both\nlines"],
    untracked: ["new file", "nested/"],
    ignored: ["node_modules/", ".env"],
    submodules: new Map([["sub", lines[5]!]]),
  })
})

test("before the first commit there is no HEAD; nothing at all is nothing", () => {
  expect(parseStatus("# branch.oid (initial)\0# branch.head main\0").head).toBeUndefined()
  const empty = { head: undefined, changed: [], untracked: [], ignored: [], submodules: new Map() }
  expect(parseStatus("")).toEqual(empty)
  expect(parseStatus("\0\0#\0# branch.oid nonsense\0")).toEqual(empty)
})

test("is what git says", async () => {
  await using bench = await commandBench(
    "git init -q .; echo a > a; printf b > 'b c'; echo '*.log' > .gitignore; git add -A; git commit -qm x; echo z > a; echo n > n; echo l > l.log; git mv 'b c' d",
  )
  const text = bench.shell(
    "git status --porcelain=v2 -z --branch --no-renames --untracked-files=all --ignored=matching",
  )
  expect(parseStatus(text)).toEqual({
    head: bench.shell("git rev-parse HEAD").trim(),
    changed: ["a", "b c", "d"],
    untracked: ["n"],
    ignored: ["l.log"],
    submodules: new Map(),
  })
})

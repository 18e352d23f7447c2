import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { ignored } from "./ignore.ts"

describe("ignored", () => {
  const paths = [
    "a.log",
    "keep.log",
    "src/a.log",
    "build/x",
    "src/build/x",
    "doc/a.txt",
    "doc/b/c.txt",
    "n",
    "#x",
    "!y",
  ]
  test.each([
    ["*.log\n!keep.log", ["a.log", "src/a.log"]],
    ["build/", ["build/x", "src/build/x"]],
    ["/build", ["build/x"]],
    ["doc/*.txt", ["doc/a.txt"]],
    ["doc/**/*.txt", ["doc/a.txt", "doc/b/c.txt"]],
    ["# n\n\n\\#x\n\\!y", ["#x", "!y"]],
    ["doc/\n!doc/a.txt", ["doc/a.txt", "doc/b/c.txt"]],
    ["doc/*\n!doc/a.txt", ["doc/b/c.txt"]],
    ["N", []],
    ["*.log\r\n", ["a.log", "keep.log", "src/a.log"]],
    ["", []],
  ])("%j", (text, expected) => {
    expect(ignored({ ".gitignore": text }, paths)).toEqual(expected)
  })

  test("a nested file adds to its parents and beats them, below its own directory only", () => {
    const files = { ".gitignore": "*.log\nout", "src/.gitignore": "!a.log\n/tmp\n*.bak", "src/out/.gitignore": "!*" }
    const all = [
      "a.log",
      "src/a.log",
      "src/b.log",
      "tmp",
      "src/tmp/x",
      "src/lib/tmp",
      "x.bak",
      "src/lib/x.bak",
      "src/out/y",
    ]
    expect(ignored(files, all)).toEqual(["a.log", "src/b.log", "src/tmp/x", "src/lib/x.bak", "src/out/y"])
  })

  test("a nested file may bring back a directory that a parent ignores", () => {
    expect(ignored({ ".gitignore": "gen", "src/.gitignore": "!gen/" }, ["gen/a", "src/gen/a"])).toEqual(["gen/a"])
  })

  test("a directory whose name looks like a pattern is meant literally", () => {
    expect(ignored({ "[ab]*/.gitignore": "x" }, ["[ab]*/x", "a/x", "ab/x"])).toEqual(["[ab]*/x"])
  })

  test("paths that are no paths below the root are not ignored and do not throw", () => {
    expect(ignored({ ".gitignore": "*" }, ["", ".", "../a", "/etc/passwd", "./a", "b//c"])).toEqual(["./a", "b//c"])
  })
})

describe("takes steps, not ages", () => {
  test.each([
    ["**/a/".repeat(200) + "b", "a/".repeat(1_000) + "c", false],
    ["**/a/".repeat(200) + "b", "a/".repeat(1_000) + "b", true],
    ["*a".repeat(500) + "b", "a".repeat(4_000), false],
    ["*a".repeat(500) + "*", "a".repeat(4_000), true],
    ["[".repeat(10_000), "a", false],
    ["a/".repeat(10_000), "a", false],
  ])("%#", (rule, path, expected) => {
    expect(ignored({ ".gitignore": rule }, [path])).toEqual(expected ? [path] : [])
  })
})

// Git itself is the judge: random rules in a root file and a nested one, random paths.
describe("agrees with git check-ignore", () => {
  const home = mkdtempSync(join(tmpdir(), "cairn-ignore-"))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const git = (args: string[], stdin = "") =>
    Bun.spawnSync(["git", "-c", "core.excludesFile=/dev/null", ...args], {
      cwd: home,
      stdin: Buffer.from(stdin),
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    }).stdout.toString()
  git(["init", "-q"])

  const name = fc.constantFrom("a", "b", "c", "ab", "x.js", "y.js", ".d")
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
  const word = fc.constantFrom(
    ...["a", "b", "c", "ab", "*.js", "?", "a*", "*"],
    ...[
      "[ab]",
      "[!a]",
      "[^a]",
      ".d",
      "x.js",
      "**",
      "[a-b]",
      "[[:alpha:]]",
      "[[:digit:]a]",
      "[]a]",
      "[a",
      "\\a",
      "a\\",
      "***",
    ],
    ...["[[:nope:]]", "[\\a-c]", "?.[j]s", "a ", "b\\ ", "*b*", "x*s", "[a-]"],
  )
  const rule = fc
    .tuple(fc.boolean(), fc.boolean(), fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(
      ([not, tied, words, directory]) => `${not ? "!" : ""}${tied ? "/" : ""}${words.join("/")}${directory ? "/" : ""}`,
    )
  const file = fc.array(rule, { maxLength: 5 }).map((rules) => rules.join("\n"))

  test("for random rules and paths", () => {
    fc.assert(
      fc.property(file, file, fc.uniqueArray(path, { minLength: 1, maxLength: 12 }), (root, nested, paths) => {
        const leaves = paths.filter((one) => !paths.some((other) => other.startsWith(`${one}/`)) && one !== "a")
        const files = { ".gitignore": root, "a/.gitignore": nested }
        for (const [at, text] of Object.entries(files)) {
          mkdirSync(dirname(join(home, at)), { recursive: true })
          writeFileSync(join(home, at), text)
        }
        const judged = git(["check-ignore", "--no-index", "-z", "--stdin"], leaves.join("\0"))
          .split("\0")
          .filter(Boolean)
        expect(ignored(files, leaves)).toEqual(judged)
      }),
      { numRuns: 250, seed: 7 },
    )
  }, 20_000)
})

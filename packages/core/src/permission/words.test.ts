import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expandGlob, namesIn } from "./glob-words.ts"
import { followPath, linkView, makeLink, realPathSync } from "./real-path.ts"
import { shellFacts } from "./shell/facts.ts"
import { setsConfig } from "./shell/git-roles.ts"
import { loadBashParser } from "./shell/parser.ts"
import { patternless } from "./shell/pattern-words.ts"
import { rolesOf } from "./shell/word-roles.ts"

const parse = await loadBashParser()

let root = ""
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-words-")))
  await mkdir(join(root, "d", "deep"), { recursive: true })
  for (const name of ["a.ts", "b.ts", ".hidden.ts", "[x]", "d/c.ts", "d/deep/e.ts"])
    await writeFile(join(root, name), "")
  await symlink("d", join(root, "link"))
  await symlink("loop", join(root, "loop"))
  await symlink(join(root, "gone", "x"), join(root, "dangling"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

function wordsOf(line: string) {
  return shellFacts(parse, line, { cwd: "/w", home: "/h" }).invocations[0]!.words
}
const roles = (line: string) => {
  const [name, ...args] = wordsOf(line)
  const { writes, reads, unknown } = rolesOf(name!.value, args)
  return { writes: writes.map((one) => one.text), reads: reads.map((one) => one.text), unknown: unknown ?? false }
}

describe("the words that are no pattern", () => {
  test.each([
    ["grep x f", ["f"]],
    ["grep -n x f", ["-n", "f"]],
    ["grep -e x f g", ["-e", "f", "g"]],
    ["grep -ex f", ["f"]],
    ["grep --regexp=x f", ["f"]],
    ["grep --reg x f", ["--reg", "f"]],
    ["grep -f p f", ["-f", "p", "f"]],
    ["grep --file=p f", ["--file=p", "f"]],
    ["grep -A 3 x f", ["-A", "3", "f"]],
    ["grep -- x f", ["--", "f"]],
    ["grep 5 f", ["f"]],
    ["rg --files d", ["--files", "d"]],
    ["rg -t ts x d", ["-t", "ts", "d"]],
    ["sed -n 1p f", ["-n", "f"]],
    ["sed -ne 1p f", ["-ne", "f"]],
    ["sed --expression=1p f", ["f"]],
    ["sed -i s/a/b/ f", ["-i", "f"]],
    ["awk -F : p f", ["-F", ":", "f"]],
    ["jq . f", ["f"]],
    ["echo a b* c", ["b*"]],
    ["cat a b", ["a", "b"]],
  ])("%j", (line, expected) => {
    const [name, ...args] = wordsOf(line)
    expect(patternless(name!.value, args).map((word) => word.value)).toEqual(expected)
  })
})

describe("what a command reads and writes", () => {
  test.each([
    ["cp a b c", ["c"], ["a", "b"]],
    ["cp -t c a b", ["c"], ["a", "b"]],
    ["cp -rtc a", ["c"], ["a"]],
    ["cp --target-directory=c a", ["c"], ["a"]],
    ["cp --target-dir c a", ["c"], ["a"]],
    ["cp -S .bak a c", ["c"], ["a"]],
    ["cp -- -a c", ["c"], ["-a"]],
    ["mv a b", ["b", "a"], ["a"]],
    ["install -m 755 a b", ["b"], ["a"]],
    ["install -d a b", ["a", "b"], []],
    ["ln -s a b", ["b", "a"], ["a"]],
    ["ln -s a", [".", "a"], ["a"]],
    ["rm -rf a b", ["a", "b"], []],
    ["chmod 644 a b", ["a", "b"], []],
    ["chmod --reference=x a", ["a"], []],
    ["dd if=a of=b bs=1", ["b"], ["a"]],
    ["truncate -s 0 a", ["a"], []],
    ["touch -r x a", ["a"], []],
    ["sed 1p a", [], ["a"]],
    ["sed -i 1p a", ["a"], ["a"]],
    ["tar -xf a -C d", ["a", "d", "."], ["a"]],
    ["git rm --cached a", [], []],
    ["git mv a b c", ["c", "a", "b"], []],
    ["git restore --staged a", ["a"], []],
    ["git config a.b c", [".git/config"], []],
    ["git config --file=x a.b c", ["x"], []],
    ["git config a.b", [], []],
    ["git log --output=x", ["x"], []],
    ["/bin/cp a b", ["b"], ["a"]],
  ])("%j", (line, writes, reads) => {
    expect(roles(line)).toEqual({ writes, reads, unknown: false })
  })

  test("a command that stands nowhere may do either", () => {
    expect(roles("tool a b")).toEqual({ writes: [], reads: ["a", "b"], unknown: true })
    expect(roles("ls a")).toEqual({ writes: [], reads: [], unknown: false })
  })

  test("a set of git's configuration, by any form", () => {
    for (const args of [
      ["a.b", "c"],
      ["set", "a.b", "c"],
      ["--add", "a.b", "c"],
      ["--unset", "a.b"],
      ["unset", "a.b"],
      ["-e"],
      ["--global", "a.b", "c"],
      ["edit"],
      ["--rename-section", "a", "b"],
    ])
      expect([args, setsConfig(args)]).toEqual([args, true])
    for (const args of [
      ["a.b"],
      ["--get", "a.b"],
      ["get", "a.b"],
      ["list"],
      ["--list"],
      ["-l"],
      ["--get-regexp", "a", "b"],
      ["--global", "a.b"],
    ])
      expect([args, setsConfig(args)]).toEqual([args, false])
  })
})

describe("patterns on the disk", () => {
  const found = (pattern: string) =>
    expandGlob(`${root}/${pattern}`)
      ?.map((path) => path.slice(root.length + 1))
      .toSorted()
  test("stand for what the shell finds", () => {
    expect(found("*.ts")).toEqual(["a.ts", "b.ts"])
    expect(found(".*")).toEqual([".hidden.ts"])
    expect(found("*/*.ts")).toEqual(["d/c.ts", "link/c.ts"])
    expect(found("d/*/e.ts")).toEqual(["d/deep/e.ts"])
    expect(found("[ab].ts")).toEqual(["a.ts", "b.ts"])
    expect(found("zz*")).toEqual([])
    expect(namesIn(join(root, "absent"))).toEqual([])
  })

  test("agree with a real shell", () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "[ab]", "[!a]", ".", "ts", "d/", "[x]")
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        const pattern = pieces.join("")
        fc.pre(/[*?[]/.test(pattern))
        const shell = Bun.spawnSync(["bash", "--norc", "-c", `shopt -s nullglob; printf '%s\\n' ${pattern}`], {
          cwd: root,
        })
        const names = shell.stdout
          .toString()
          .split("\n")
          .filter((name) => name !== "")
          .toSorted()
        // The shell hides `.` and `..`, and what a path with nothing behind its slash does not lead to.
        fc.pre(!/\/$|\/\/|^\.+$/.test(pattern) && !pattern.includes(".."))
        for (const name of names) expect(found(pattern)).toContain(name)
      }),
      { numRuns: 40 },
    )
  })
})

describe("real paths", () => {
  test("follow links, and tell which", () => {
    expect(followPath(`${root}/link/c.ts`)).toEqual({ real: `${root}/d/c.ts`, links: [`${root}/link`] })
    expect(followPath(`${root}/link/../a.ts`)?.real).toBe(`${root}/a.ts`)
    expect(followPath(`${root}/dangling`)).toEqual({ real: `${root}/gone/x`, links: [`${root}/dangling`] })
    expect(followPath(`${root}/loop`)).toBeUndefined()
    expect(followPath("relative")).toBeUndefined()
    expect(followPath("/a\0b")).toBeUndefined()
  })

  test("links that are still to be made count, for paths that were asked before too", () => {
    const view = linkView()
    expect(realPathSync(`${root}/z/c.ts`, view)).toBe(`${root}/z/c.ts`)
    makeLink(view, `${root}/z`, "d")
    expect(realPathSync(`${root}/z/c.ts`, view)).toBe(`${root}/d/c.ts`)
    expect(realPathSync(`${root}/z/c.ts`)).toBe(`${root}/z/c.ts`)
  })
})

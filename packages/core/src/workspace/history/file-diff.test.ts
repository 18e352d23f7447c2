import { expect, test } from "bun:test"
import type { FileState } from "@cairn/schema/history"
import { MemoryWorld, textFile } from "../../../test/history/memory-world.ts"
import { diffChanges, diffPair } from "./file-diff.ts"
import { contentsOf } from "./plan-revert.ts"
import type { PathChange } from "./states.ts"

/** The diffs of a world's journal, each as its head line and its patch. */
async function shown(world: MemoryWorld, changes: readonly PathChange[] = world.journal) {
  const diffs = await diffChanges(changes, (path) => path.slice(1), contentsOf("", world))
  return diffs.map((diff) => [
    `${diff.status} ${diff.file}${diff.from === undefined ? "" : ` from ${diff.from}`} +${diff.additions} -${diff.deletions}`,
    diff.patch,
  ])
}

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join("")

test("what several changes make together is one unified patch a file", async () => {
  const world = new MemoryWorld()
  for (const [path, text] of Object.entries({ "/a": "1\n2\n3\n", "/gone": "x\ny\n" })) world.put(path, textFile(text))
  world.agent("/a", textFile("1\ntwo\n3\n"))
  world.agent("/new", textFile("n\n"))
  world.agent("/a", textFile("1\ntwo\nthree\n"))
  world.agent("/gone", undefined)
  expect(await shown(world)).toEqual([
    ["modified a +2 -2", "--- a\n+++ a\n@@ -1,3 +1,3 @@\n 1\n-2\n-3\n+two\n+three\n"],
    ["added new +1 -0", "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+n\n"],
    ["deleted gone +0 -2", "--- gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"],
  ])
})

test("a file that is again what it was, or that came and went, does not show", async () => {
  const world = new MemoryWorld()
  world.put("/a", textFile("1\n"))
  for (const text of ["2\n", "1\n"]) world.agent("/a", textFile(text))
  world.agent("/b", textFile("b\n"))
  world.agent("/b", undefined)
  expect(await shown(world)).toEqual([])
})

test("a rename is one file, with what was changed in it", async () => {
  const world = new MemoryWorld()
  world.put("/old", textFile(lines(8)))
  world.put("/same", textFile("same\n"))
  world.agent("/new", textFile(lines(8).replace("line 3", "line three")))
  world.agent("/old", undefined)
  world.agent("/moved/same", textFile("same\n"))
  world.agent("/same", undefined)
  const [changed, same] = await shown(world)
  expect(changed).toEqual([
    "modified new from old +1 -1",
    "rename from old\nrename to new\n--- old\n+++ new\n@@ -1,7 +1,7 @@\n line 0\n line 1\n line 2\n-line 3\n+line three\n line 4\n line 5\n line 6\n",
  ])
  expect(same).toEqual(["modified moved/same from same +0 -0", "rename from same\nrename to moved/same\n"])
})

test("what shows in no line is said: modes, binary contents, links, what is lost or not covered", async () => {
  const world = new MemoryWorld()
  const binary = (...bytes: number[]) => ({ bytes: new Uint8Array([0, ...bytes]), mode: 0o644 })
  world.put("/run", textFile("x\n"))
  world.put("/image", binary(1))
  world.put("/lost", textFile("lost\n"))
  world.agent("/run", textFile("x\n", 0o755))
  world.agent("/image", binary(1, 2))
  world.agent("/lost", textFile("found\n"))
  world.contents.delete((world.journal.at(-1)!.before as { hash: string }).hash)
  const link: FileState = { kind: "symlink", target: "image" }
  const large: FileState = { kind: "not_covered", reason: "larger than 10 MB" }
  const absent: FileState = { kind: "absent" }
  const more = [
    { path: "/link", before: absent, after: link },
    { path: "/log", before: absent, after: large },
  ]
  expect(await shown(world, [...world.journal, ...more])).toEqual([
    ["modified run +0 -0", "old mode 100644\nnew mode 100755\n"],
    ["modified image +0 -0", "(binary: 2 bytes before, 3 bytes after)\n"],
    ["modified lost +0 -0", "(not shown: evicted)\n"],
    ["added link +0 -0", "(was nothing, is a symbolic link to image)\n"],
    ["added log +0 -0", "(not covered: larger than 10 MB)\n"],
  ])
})

test("a name with a line end does not break the patch", async () => {
  const world = new MemoryWorld()
  world.put("/a", textFile("1\n"))
  world.agent("/a", textFile("2\n"))
  const { before, after } = world.journal[0]!
  const side = (state: FileState) => ({ state, content: "store" as const, name: '"a\\nb"' })
  const diff = await diffPair({ before: side(before), after: side(after) }, contentsOf("", world))
  expect(diff.patch).toBe('--- "a\\nb"\n+++ "a\\nb"\n@@ -1 +1 @@\n-1\n+2\n')
  expect(diff.hunks).toHaveLength(1)
})

test("git applies the patches of texts", async () => {
  const world = new MemoryWorld()
  world.put("/a", textFile(lines(30)))
  world.put("/gone", textFile("no end"))
  world.agent("/a", textFile(lines(30).replace("line 2\n", "").replace("line 25\n", "line 25\r\nmore")))
  world.agent("/new", textFile("a\n"))
  world.agent("/gone", undefined)
  const patches = (await shown(world)).map(([, patch]) => patch).join("")
  const check = Bun.spawnSync(["git", "apply", "-p0", "--numstat"], { stdin: new TextEncoder().encode(patches) })
  expect(check.stderr.toString()).toBe("")
  expect(check.stdout.toString()).toBe("2\t3\ta\n1\t0\tnew\n0\t1\tgone\n")
})

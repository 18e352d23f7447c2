import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { commandBench } from "../../../test/history/command-bench.ts"
import { parseStaging, readStaging } from "./staged.ts"

const files =
  'echo a > a; printf long > b; mkdir dir; echo d > dir/d; ln -s a link; echo r > run; chmod +x run; echo "$(seq 1 300)" > big; echo ü > ünicode; git init -q .; git add -A; git commit -qm x'

/** What is staged in a repository that `setup` makes, as a list; undefined when it cannot be read. */
async function staged(setup: string) {
  await using bench = await commandBench(setup)
  const bytes = await readStaging(join(bench.directory, ".git"))
  if (!bytes) return undefined
  const length = bench.shell("git rev-parse HEAD || true").trim().length === 64 ? 32 : 20
  const parsed = parseStaging(bytes, length)
  return parsed && [...parsed.paths()].map((path) => ({ path, ...parsed.get(path)! }))
}

const all = [
  "a file 2",
  "big file 1092",
  "b file 4",
  "dir/d file 2",
  "link symlink 1",
  "run executable 2",
  "ünicode file 3",
]

describe("every entry is found", () => {
  test.each([
    ["version 2", files],
    ["version 4", `${files}; git update-index --index-version 4`],
    ["sha256", files.replace("git init -q", "git init -q --object-format=sha256")],
    ["with extensions", `${files}; git update-index --untracked-cache; git status`],
  ])("%s", async (_, setup) => {
    const entries = await staged(setup)
    const shown = entries?.map(({ path, kind, size }) => `${path} ${kind} ${size}`)
    expect(shown?.toSorted()).toEqual(all.toSorted())
    await using bench = await commandBench(setup)
    const oids = Object.fromEntries(
      bench
        .shell("git ls-files -s -z")
        .split("\0")
        .filter(Boolean)
        .map((line) => [line.split("\t")[1], line.split(" ")[1]]),
    )
    expect(Object.fromEntries(entries!.map(({ path, oid }) => [path, oid]))).toEqual(oids)
  })

  test("what git was told not to look at, and what is not checked out, says so", async () => {
    const entries = await staged(`${files}; git update-index --assume-unchanged a; git update-index --skip-worktree b`)
    const unseen = entries?.flatMap(({ path, unseen: why }) => (why ? [[path, why]] : []))
    expect(unseen).toEqual([
      ["a", "assumed"],
      ["b", "not_checked_out"],
    ])
  })

  test("of a conflict the second stage", async () => {
    const conflict = `${files}; git checkout -qb other; echo o > a; git commit -qam o; git checkout -q -; echo m > a; git commit -qam m; git merge other || true`
    const entries = await staged(conflict)
    expect(entries?.filter(({ path }) => path === "a")).toHaveLength(1)
  })
})

test("what cannot be read is undefined: none, split, sparse, another version", async () => {
  expect(await staged("git init -q .")).toBeUndefined()
  expect(await staged(`${files}; git update-index --split-index`)).toBeUndefined()
  expect(
    await staged(`${files}; git sparse-checkout init --cone --sparse-index; git sparse-checkout set none`),
  ).toBeUndefined()
  expect(parseStaging(new Uint8Array())).toBeUndefined()
  expect(parseStaging(new TextEncoder().encode(`DIRC\0\0\0\u0005${"x".repeat(100)}`))).toBeUndefined()
})

test("damaged bytes never throw", async () => {
  await using bench = await commandBench(`${files}; git update-index --index-version 4`)
  const bytes = (await readStaging(join(bench.directory, ".git")))!
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length), (at, value, length) => {
      const damaged = Uint8Array.from(bytes)
      damaged[at] = value
      parseStaging(damaged)
      parseStaging(damaged.subarray(0, length))
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})

import { describe, expect, test } from "bun:test"
import { lstat, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FileState } from "@cairn/schema/history"
import fc from "fast-check"
import { betweenOthers, mayBeTheirs, type StateChange } from "./attribution.ts"
import type { SeenCommand } from "./running-commands.ts"
import { isSame } from "./states.ts"

const state = (n: number): FileState =>
  n === 0 ? { kind: "absent" } : { kind: "file", hash: String(n).repeat(64).slice(0, 64), size: 1, mode: 0o644 }
const lost: FileState = { kind: "not_covered", reason: "lost" }
const shown = (changes: readonly StateChange[]) =>
  changes.map(({ before, after }) =>
    [before, after].map((each) => (each.kind === "file" ? each.hash[0] : each.kind)).join(" → "),
  )
const change = (before: number, after: number): StateChange => ({ before: state(before), after: state(after) })

describe("what is left when the changes of others are taken out", () => {
  test.each([
    ["nothing of others", 1, [], 2, ["1 → 2"]],
    ["nothing happened", 1, [], 1, []],
    ["all was theirs", 1, [change(1, 2)], 2, []],
    ["ours first", 1, [change(2, 3)], 3, ["1 → 2"]],
    ["ours last", 1, [change(1, 2)], 3, ["2 → 3"]],
    ["ours on both sides, and between", 1, [change(2, 3), change(4, 5)], 6, ["1 → 2", "3 → 4", "5 → 6"]],
    ["a file that they made and we removed", 0, [change(0, 1)], 0, []],
    ["theirs was left undone", 1, [change(1, 2)], 1, []],
  ] as const)("%s", (_, was, others, now, left) =>
    expect(shown(betweenOthers(state(was), others, state(now)))).toEqual([...left]),
  )

  test("what is not known on both sides is left out, on one side it is told", () => {
    expect(betweenOthers(lost, [], lost)).toEqual([])
    expect(shown(betweenOthers(state(1), [], lost))).toEqual(["1 → not_covered"])
  })

  test("all together they lead from the first state to the last", () => {
    const n = fc.integer({ min: 0, max: 3 })
    fc.assert(
      fc.property(n, fc.array(fc.tuple(n, n)), n, (was, pairs, now) => {
        fc.pre(was !== now)
        const others = pairs.map(([before, after]) => change(before, after))
        const left = betweenOthers(state(was), others, state(now))
        // Walks along theirs and ours, each where it fits.
        let at = state(was)
        const rest = [...left]
        for (const each of [...others, undefined]) {
          if (rest[0] && isSame(rest[0].before, at) && !(each && isSame(each.before, at))) at = rest.shift()!.after
          if (!each) break
          expect(isSame(each.before, at)).toBe(true)
          at = each.after
        }
        expect([rest, isSame(at, state(now))]).toEqual([[], true])
      }),
    )
  })
})

test("a change may be of every command that had begun when the path changed last", async () => {
  const other = (from: number): SeenCommand => ({ pid: 1, root: "ses_2", worktree: "/", from })
  const root = await mkdtemp(join(tmpdir(), "cairn-attribution-"))
  const path = join(root, "deep", "file")
  await mkdir(join(root, "deep"))
  await writeFile(path, "x")
  const { ctimeMs: at } = await lstat(path)
  expect(await mayBeTheirs(path, [])).toBe(false)
  expect(await mayBeTheirs(path, [other(at + 100)])).toBe(false)
  expect(await mayBeTheirs(path, [other(at + 100), other(at - 100)])).toBe(true)
  // Of what is gone the directory above tells no more than the latest time.
  await rm(join(root, "deep"), { recursive: true })
  const { ctimeMs: gone } = await lstat(root)
  expect(await mayBeTheirs(path, [other(gone + 100)])).toBe(false)
  expect(await mayBeTheirs(path, [other(gone)])).toBe(true)
  await rm(root, { recursive: true })
})

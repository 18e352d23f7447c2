import { expect, test } from "bun:test"
import type { FileStat } from "./files.ts"
import { createSeen, entriesFrom, statIdentity } from "./seen.ts"

const stat: FileStat = { dev: 1, ino: 2, size: 3, mtimeMs: 4, ctimeMs: 5, mode: 0o644, nlink: 1, uid: 0, gid: 0 }

test("a file is unseen, then the same, then changed, for its session alone", () => {
  const seen = createSeen()
  expect(seen.check("s", "/a", "1")).toBe("unseen")
  seen.record("s", "/a", "1")
  expect(seen.check("s", "/a", "1")).toBe("same")
  expect(seen.check("s", "/a", "2")).toBe("changed")
  expect(seen.check("other", "/a", "1")).toBe("unseen")
  seen.record("s", "/a", "2")
  expect(seen.check("s", "/a", "2")).toBe("same")
  seen.forget("s")
  expect(seen.check("s", "/a", "2")).toBe("unseen")
})

test("the shortcut holds only while every field of the stat does", () => {
  const seen = createSeen()
  seen.record("s", "/a", "1", stat)
  expect(seen.unchanged("s", "/a", { ...stat })).toBe("1")
  for (const change of [{ ino: 9 }, { size: 9 }, { mtimeMs: 9 }, { ctimeMs: 9 }, { dev: 9 }]) {
    expect(seen.unchanged("s", "/a", { ...stat, ...change })).toBeUndefined()
  }
  seen.record("s", "/b", "1")
  expect(seen.unchanged("s", "/b", stat)).toBeUndefined()
})

test("a session is rebuilt from tool results; what happened since the start wins", () => {
  const seen = createSeen()
  seen.record("s", "/live", "new")
  const results = [
    { seen: [{ path: "/a", hash: "1" }] },
    { other: true },
    {
      seen: [
        { path: "/a", hash: "2" },
        { path: "/live", hash: "old" },
      ],
    },
  ]
  seen.restore(
    "s",
    results.flatMap((metadata) => entriesFrom(metadata)),
  )
  expect(seen.check("s", "/a", "2")).toBe("same")
  expect(seen.check("s", "/a", "1")).toBe("changed")
  expect(seen.check("s", "/live", "new")).toBe("same")
})

test("malformed entries are passed over", () => {
  expect(entriesFrom(undefined)).toEqual([])
  expect(entriesFrom({ seen: "x" })).toEqual([])
  expect(entriesFrom({ seen: [null, { path: 1, hash: "x" }, { path: "/a", hash: "1", more: 1 }] })).toEqual([
    { path: "/a", hash: "1" },
  ])
})

test("a large file is known by size, time and inode", () => {
  expect(statIdentity(stat)).toBe(statIdentity({ ...stat, ctimeMs: 9, nlink: 2 }))
  expect(statIdentity(stat)).not.toBe(statIdentity({ ...stat, mtimeMs: 9 }))
})

import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { ancestry } from "./discover.ts"
import { mergeConfig, unsafeKey } from "./merge.ts"
import { nearest } from "./nearest.ts"
import { ensureDataDir, xdgPaths } from "./paths.ts"

describe("nearest", () => {
  test.each([
    ["modle", ["model", "mode", "tools"], "model"],
    ["Permissions", ["permission", "plugin"], "permission"],
    ["snapshto", ["snapshot"], "snapshot"],
    ["zzz", ["model", "mode"], undefined],
    ["x", [], undefined],
  ] as const)("%s of %j is %s", (name, candidates, expected) => {
    expect(nearest(name, candidates)).toBe(expected)
  })

  test("a name is nearest to itself, whatever else is there", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 30 }),
        fc.array(fc.string({ maxLength: 30 })),
        (name, others) => {
          const lower = name.toLowerCase()
          expect(nearest(name, [...others, name])?.toLowerCase()).toBe(lower)
        },
      ),
    )
  })
})

describe("merge", () => {
  const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }))

  test("an empty layer changes nothing, and the upper layer's plain values win", () => {
    fc.assert(
      fc.property(json, json, (base, over) => {
        const clean = mergeConfig({}, base)
        expect(mergeConfig(base, {})).toEqual(clean)
        const merged: Record<string, unknown> = mergeConfig(base, over)
        for (const [key, value] of Object.entries(over)) {
          if (unsafeKey(key) || typeof value === "object") continue
          expect(merged[key]).toBe(value)
        }
      }),
    )
  })

  test("neither argument is changed", () => {
    fc.assert(
      fc.property(json, json, (base, over) => {
        const before = JSON.stringify([base, over])
        mergeConfig(base, over)
        expect(JSON.stringify([base, over])).toBe(before)
      }),
    )
  })

  test("no prototype is reached", () => {
    const evil = JSON.parse(
      '{"__proto__": {"polluted": 1}, "a": {"__proto__": {"polluted": 1}}, "constructor": {"x": 1}}',
    ) as object
    const merged = mergeConfig({ a: { b: 1 } }, evil)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect((merged.a as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.keys(merged)).toEqual(["a"])
  })
})

describe("ancestry", () => {
  test.each([
    ["/w", "/w", ["/w"]],
    ["/w", "/w/a/b", ["/w", "/w/a", "/w/a/b"]],
    ["/", "/a", ["/", "/a"]],
    ["/w", "/w-evil/a", ["/w-evil/a"]],
    ["/w/a", "/w", ["/w"]],
    ["/w", "/w/..a", ["/w", "/w/..a"]],
  ])("%s to %s", (root, directory, expected) => {
    expect(ancestry(root, directory)).toEqual(expected)
  })
})

describe("paths", () => {
  let root = ""
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "cairn-paths-"))
  })
  afterEach(async () => {
    await chmod(root, 0o700)
    await rm(root, { recursive: true, force: true })
  })

  test("XDG directories, with the usual ones when unset or relative", () => {
    expect(xdgPaths({ XDG_DATA_HOME: "/d", XDG_STATE_HOME: "relative" }, "/home/u")).toEqual({
      home: "/home/u",
      configDir: "/home/u/.config/cairn",
      opencodeConfigDir: "/home/u/.config/opencode",
      dataDir: "/d/cairn",
      stateDir: "/home/u/.local/state/cairn",
      cacheDir: "/home/u/.cache/cairn",
    })
  })

  test("the data directory is made for its owner alone", async () => {
    const dataDir = join(root, "share", "cairn")
    expect(await ensureDataDir({ dataDir })).toEqual({ ok: true, value: dataDir })
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    expect((await ensureDataDir({ dataDir })).ok).toBe(true)
  })

  test("directories that were open to others are closed, a missing one is not made", async () => {
    const [dataDir, stateDir] = [join(root, "data"), join(root, "state")]
    await mkdir(dataDir)
    await chmod(dataDir, 0o777)
    expect((await ensureDataDir({ dataDir, stateDir })).ok).toBe(true)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    expect(await stat(stateDir).catch(() => "missing")).toBe("missing")
    await mkdir(stateDir)
    await chmod(stateDir, 0o755)
    expect((await ensureDataDir({ dataDir, stateDir })).ok).toBe(true)
    expect((await stat(stateDir)).mode & 0o777).toBe(0o700)
  })

  test("a data directory that cannot be had is a clear message", async () => {
    await writeFile(join(root, "file"), "")
    const dataDir = join(root, "file", "cairn")
    const result = await ensureDataDir({ dataDir })
    expect(result.ok ? undefined : result.error.kind).toBe("data_directory")
    expect(result.ok ? "" : result.error.message).toContain(dataDir)
    expect(result.ok ? "" : result.error.message).toContain("XDG_DATA_HOME")
  })

  test.skipIf(process.getuid?.() === 0)("a read-only data directory is refused", async () => {
    const dataDir = join(root, "cairn")
    await mkdir(dataDir, { mode: 0o500 })
    expect((await ensureDataDir({ dataDir })).ok).toBe(false)
  })
})

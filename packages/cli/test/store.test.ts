import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { closeSync, mkdirSync, openSync, readdirSync, utimesSync, writeSync } from "node:fs"
import path from "node:path"
import { text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"

const dataOf = (space: TempWorkspace) => path.join(space.env["XDG_DATA_HOME"] ?? "", "cairn")

/** What `dd if=/dev/urandom` does to a page. */
function spoilPage(file: string, page: number): void {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, crypto.getRandomValues(new Uint8Array(4_096)), 0, 4_096, (page - 1) * 4_096)
  closeSync(descriptor)
}

function rootOf(file: string, name: string): number {
  using database = new Database(file, { readwrite: true })
  const query = "SELECT rootpage AS page FROM sqlite_schema WHERE name = ?"
  return database.query<{ page: number }, [string]>(query).get(name)?.page ?? 0
}

describe("a damaged database", () => {
  test.each(["message", "session", "sqlite_autoindex_part_1"])(
    "the root page of %s: the next run says so, sets the file aside and works",
    async (name) => {
      await using space = await tempWorkspace()
      await using server = await startModelServer([text("One."), text("Two.")])
      expect((await cairn(space, ["run", "first"], { server })).code).toBe(0)
      const file = path.join(dataOf(space), "cairn.db")
      spoilPage(file, rootOf(file, name))
      const run = await cairn(space, ["run", "second"], { server })
      expect(run.code).toBe(0)
      expect(run.err).toContain("was damaged")
      expect(run.err).toContain(`${file}.damaged-`)
      expect(readdirSync(dataOf(space)).filter((entry) => entry.includes("damaged"))).toHaveLength(1)
      const verified = await cairn(space, ["debug", "verify"])
      expect([verified.code, verified.err]).toEqual([0, ""])
    },
    20_000,
  )
})

describe("a full disk is exit 2, and no model is called:", () => {
  const mounted = (directory: string, size: string) =>
    process.getuid?.() === 0 &&
    Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory]).success

  // No room for the tables; for the session but not for its prompt.
  test.each(["100k", "300k"])(
    "%s",
    async (size) => {
      await using space = await tempWorkspace()
      await using server = await startModelServer([text("One.")])
      const data = dataOf(space)
      mkdirSync(data, { recursive: true })
      if (!mounted(data, size))
        return void process.stderr.write("skipped: a small file system cannot be mounted here\n")
      try {
        const run = await cairn(space, ["run", "--format", "json", "hi"], { server })
        expect(run.err).toContain("free some space, or set XDG_DATA_HOME")
        expect(run.err).not.toContain("internal")
        expect([run.code, run.result()["reason"], server.requests.length]).toEqual([2, "data_directory", 0])
      } finally {
        Bun.spawnSync(["umount", "-l", data])
      }
    },
    20_000,
  )
})

describe("contents kept for undo", () => {
  test("are counted and removed by debug gc once nothing names them", async () => {
    await using space = await tempWorkspace()
    const scenario = [[toolCall("write", { filePath: "a.txt", content: "new\n" })], [text("Done.")]]
    await using server = await startModelServer(scenario)
    const run = await cairn(space, ["run", "write", "--format", "json"], { server })
    expect(run.code).toBe(0)
    const gc = async (...flags: string[]) => await cairn(space, ["debug", "gc", ...flags])
    expect((await gc()).out).toBe(
      [
        "kept until now: 1 content, 4.0 kB",
        "removed, named by no session: 0 contents, 0 bytes",
        "removed, over the quota: 0 contents, 0 bytes of 0 sessions\n",
      ].join("\n"),
    )
    expect((await cairn(space, ["session", "delete", "--yes", String(run.result()["sessionID"])])).code).toBe(0)
    const blob = path.join(dataOf(space), "blob")
    const kept = () => [...new Bun.Glob("??/*.zst").scanSync(blob)]
    for (const name of kept()) utimesSync(path.join(blob, name), 1, 1)
    expect((await gc("--dry-run")).out).toContain("would be removed, named by no session: 1 content, 4.0 kB\n")
    expect(kept()).toHaveLength(1)
    expect(JSON.parse((await gc("--format", "json")).out)).toMatchObject({ dryRun: false, unreferenced: { blobs: 1 } })
    expect(kept()).toEqual([])
  })
})

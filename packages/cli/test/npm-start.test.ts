import { describe, expect, test } from "bun:test"
import path from "node:path"
import { text } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { configure, makeHostile, runProgram } from "./hostile-project.ts"

const bootstrap = path.join(import.meta.dir, "../../../script/bootstrap.mjs")
// Bun puts a stand-in for node on PATH when there is none.
const searched = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => !folder.includes("bun-node-"))
const node = Bun.which("node", { PATH: searched.join(path.delimiter) })
if (!node) process.stdout.write("skipped: npm start in somebody's project, because node is not on PATH\n")

describe.skipIf(!node)("npm start in somebody's project", () => {
  test("takes nothing from the directory but the work", async () => {
    await using space = await tempWorkspace({ files: { "note.txt": "What does this say?" } })
    await using server = await startModelServer([[text("Read it.")]])
    const marker = await makeHostile(space)
    await configure(space, server)
    const argv = [node!, bootstrap, "start", "--file", "note.txt", "--title", "Note", "read the note"]
    const { code, out, err } = await runProgram(argv, { cwd: space.dir, env: space.env })
    expect({ code, out, err }).toEqual({ code: 0, out: "Read it.\n", err: expect.stringContaining("scripted/model") })
    expect(JSON.stringify(server.requests[0]?.body)).toContain("What does this say?")
    expect(await space.exists(marker)).toBe(false)
  })

  test("works where npm was called, not where it changed to", async () => {
    await using space = await tempWorkspace({ files: { "sub/note.txt": "Deep." } })
    await using server = await startModelServer([[text("Read it.")]])
    await configure(space, server)
    const argv = [node!, bootstrap, "start", "--", "--file", "note.txt", "--title", "Note", "read the note"]
    const env = { ...space.env, INIT_CWD: path.join(space.dir, "sub") }
    expect(await runProgram(argv, { cwd: space.dir, env })).toMatchObject({ code: 0, out: "Read it.\n" })
    expect(JSON.stringify(server.requests[0]?.body)).toContain("Deep.")
  })
})

test("the hostile project is one: a runtime that starts there falls into its traps", async () => {
  await using space = await tempWorkspace()
  const marker = await makeHostile(space)
  const argv = [process.execPath, "-e", "console.log(process.env.FROM_DOTENV)"]
  expect(await runProgram(argv, { cwd: space.dir, env: space.env })).toMatchObject({ out: "1\n" })
  expect(await space.exists(marker)).toBe(true)
})

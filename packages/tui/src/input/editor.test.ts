import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { editorOf, editText, openInEditor } from "./editor.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cairn-editor-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** An editor: a script that notes its arguments and does this to the last of them. */
async function editor(name: string, work: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/arguments"\nfor file; do :; done\n${work}\n`)
  await chmod(file, 0o700)
  return file
}
const options = (EDITOR: string) => ({ env: { PATH: process.env["PATH"], EDITOR }, cwd: folder })

test("VISUAL is taken before EDITOR, and an empty one is none", () => {
  expect(editorOf({ VISUAL: "vi", EDITOR: "ed" })).toBe("vi")
  expect(editorOf({ VISUAL: "", EDITOR: "ed" })).toBe("ed")
  expect(editorOf({})).toBeUndefined()
})

describe.skipIf(process.platform === "win32")("the user's editor", () => {
  test("gets the text and gives it back, without the line end that editors add", async () => {
    const program = await editor("append", 'echo "more" >> "$file"')
    expect(await editText("text\n", options(program))).toEqual({ ok: true, value: "text\nmore" })
    const [path = ""] = (await readFile(join(folder, "arguments"), "utf8")).split("\n")
    expect(path).toEndWith("prompt.md")
    expect(await readdir(tmpdir())).not.toContain(path.split("/").at(-2) ?? "")
  })

  test("may have arguments and a space in its name", async () => {
    const program = await editor("my editor", "true")
    expect(await editText("same", options(`"${program}" -f --wait`))).toEqual({ ok: true, value: "same" })
    expect(await readFile(join(folder, "arguments"), "utf8")).toStartWith("-f\n--wait\n/")
  })

  test("that fails changes nothing, and that is said", async () => {
    const program = await editor("fails", 'echo spoiled > "$file"; exit 3')
    const ended = await editText("same", options(program))
    expect(ended).toEqual({ ok: false, error: expect.stringContaining("ended with 3") })
  })

  test("that is not there, or not set, is said with what to do", async () => {
    expect(await editText("x", options(join(folder, "none")))).toEqual({
      ok: false,
      error: expect.stringContaining("127"),
    })
    expect(await editText("x", { env: {}, cwd: folder })).toEqual({
      ok: false,
      error: expect.stringContaining("EDITOR="),
    })
  })

  test.each([
    ["vim", ["+7", "a.ts"]],
    ["nano", ["+7", "a.ts"]],
    ["code", ["--goto", "a.ts:7"]],
    ["hx", ["a.ts:7"]],
    ["unknown", ["a.ts"]],
  ])("%s opens a file at a line as it can", async (name, expected) => {
    const program = await editor(name, "true")
    expect(await openInEditor("a.ts", 7, options(program))).toEqual({ ok: true, value: undefined })
    expect((await readFile(join(folder, "arguments"), "utf8")).trim().split("\n")).toEqual(expected)
  })
})

import { describe, expect, test } from "bun:test"
import { chmod, mkdir, symlink } from "node:fs/promises"
import path from "node:path"
import { PromptPart } from "@cairn/schema/prompt"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { attachment } from "./attachment.ts"

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

async function attached(files: Record<string, string | Uint8Array>, name: string) {
  await using space = await tempWorkspace({ files })
  const result = await attachment(name, space.dir)
  if (!result.ok) throw new Error(result.error.message)
  for (const part of result.value) expect(PromptPart.parse(part)).toEqual(part)
  const [part] = result.value
  if (!part) throw new Error("no part")
  return { part, dir: space.dir }
}
async function textOf(files: Record<string, string | Uint8Array>, name: string): Promise<string> {
  const { part } = await attached(files, name)
  return part.type === "text" ? part.text : ""
}

describe("a file becomes", () => {
  test("text that names it, kept apart from the user's words", async () => {
    const { part, dir } = await attached({ "a b.ts": "const x = 1\n" }, "a b.ts")
    expect(part).toMatchObject({ type: "text", synthetic: true })
    expect(part.type === "text" && part.text).toBe(
      `The user attached the file ${path.join(dir, "a b.ts")}:\n<file>\nconst x = 1\n\n</file>`,
    )
  })

  test.each([
    ["a.txt", png, "image/png"],
    ["a.jpg", new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0]), "image/jpeg"],
    ["a.gif", new TextEncoder().encode("GIF89a\0"), "image/gif"],
    ["a.webp", new TextEncoder().encode("RIFF\0\0\0\0WEBP"), "image/webp"],
    ["a.pdf", new TextEncoder().encode("%PDF-1.7\n\0"), "application/pdf"],
  ])("a file part by its first bytes, not by its name: %s", async (name, bytes, mime) => {
    const { part } = await attached({ [name]: bytes }, name)
    expect(part).toEqual({
      type: "file",
      mime,
      filename: name,
      url: `data:${mime};base64,${Buffer.from(bytes).toString("base64")}`,
    })
  })

  test("the first lines of a long text, with a word about the rest", async () => {
    const text = await textOf({ "long.log": "line\n".repeat(5_000) }, "long.log")
    expect(text.match(/^line$/gm)).toHaveLength(2_000)
    expect(text).toContain("the first 2000 lines of 25000 bytes; use the read tool for the rest")
  })

  test("whole lines of a wide text", async () => {
    const text = await textOf({ "wide.txt": `${"é".repeat(20_000)}\n`.repeat(3) }, "wide.txt")
    expect(text).not.toContain("\ufffd")
    expect(Buffer.byteLength(text)).toBeLessThan(52 * 1024)
  })

  test("the names in a directory", async () => {
    expect(await textOf({ "d/b.ts": "", "d/sub/c.ts": "" }, "d")).toContain("<directory>\nb.ts\nsub/\n</directory>")
  })

  test("what its path really leads to: `..` counts after the links, and the real name is said", async () => {
    await using space = await tempWorkspace({ files: { "w/a.txt": "near", "away/deep/x": "", "away/a.txt": "far" } })
    const w = path.join(space.dir, "w")
    await symlink(path.join(space.dir, "away/deep"), path.join(w, "link"))
    const result = await attachment("link/../a.txt", w)
    if (!result.ok) throw new Error(result.error.message)
    const [part] = result.value
    expect(part?.type === "text" && part.text).toContain(`${path.join(space.dir, "away/a.txt")}:\n<file>\nfar\n`)
  })

  test("nothing, when it is empty text", async () => {
    expect(await textOf({ empty: "" }, "empty")).toContain("<file>\n\n</file>")
  })
})

describe("a path is refused when it", () => {
  async function refusal(make: (dir: string) => Promise<unknown>, name: string): Promise<string> {
    await using space = await tempWorkspace()
    await make(space.dir)
    const result = await attachment(name, space.dir)
    if (result.ok) throw new Error("was accepted")
    expect(result.error.kind).toBe("file")
    return result.error.message
  }

  test("does not exist", async () => {
    expect(await refusal(async () => {}, "no.ts")).toBe('cannot attach "no.ts": it does not exist')
    expect(await refusal((dir) => Bun.write(path.join(dir, "a"), "x"), "a/b")).toContain("does not exist")
    expect(await refusal((dir) => symlink(path.join(dir, "gone"), path.join(dir, "link")), "link")).toContain(
      "does not exist",
    )
  })

  test("leads to itself, or to what Cairn keeps for itself", async () => {
    const loop = await refusal((dir) => symlink(path.join(dir, "loop"), path.join(dir, "loop")), "loop")
    expect(loop).toContain("in a circle")
    expect(await refusal(async () => {}, "/proc/self/environ")).toContain(process.platform === "linux" ? "keys" : "")
  })

  test("is binary", async () => {
    expect(await refusal((dir) => Bun.write(path.join(dir, "x.bin"), new Uint8Array([1, 0, 2])), "x.bin")).toContain(
      "neither text",
    )
  })

  test("is no file", async () => {
    expect(await refusal(async () => {}, "/dev/zero")).toContain("not a regular file")
  })

  test("is a picture by its name and holds nothing", async () => {
    for (const name of ["x.png", "X.JPG", "x.pdf"])
      expect(await refusal((dir) => Bun.write(path.join(dir, name), ""), name)).toContain("it is empty")
  })

  test("is a picture of a kind that models do not take", async () => {
    const bmp = Buffer.from("BM\x3a\x00\x00\x00\x00\x00", "latin1")
    expect(await refusal((dir) => Bun.write(path.join(dir, "x.bmp"), bmp), "x.bmp")).toContain("PNG, JPEG, GIF, WebP")
  })

  test("is a picture too large for any provider", async () => {
    const large = new Uint8Array(20 * 1024 * 1024 + 1)
    large.set(png)
    expect(await refusal((dir) => Bun.write(path.join(dir, "x.png"), large), "x.png")).toContain("larger than 20 MB")
  })

  test.skipIf(process.getuid?.() === 0)("may not be read", async () => {
    const make = async (dir: string) => {
      await mkdir(path.join(dir, "locked"))
      await chmod(path.join(dir, "locked"), 0)
    }
    expect(await refusal(make, "locked/x")).toContain("no permission")
  })
})

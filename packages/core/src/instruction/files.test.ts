import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { projectFiles, userFile } from "./files.ts"

describe("files of instructions", () => {
  let root = ""
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "cairn-instructions-")))
    await mkdir(join(root, "w", "a", "b"), { recursive: true })
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const find = async (directory = "w/a/b") => {
    const places = {
      directory: join(root, directory),
      worktree: join(root, "w"),
      home: join(root, "home"),
      configDir: join(root, "home/.config/cairn"),
      opencodeConfigDir: join(root, "home/.config/opencode"),
    }
    const user = await userFile(places)
    return [...(await projectFiles(places)), ...(user ? [user] : [])]
  }
  const paths = async (directory?: string) => (await find(directory)).map((one) => one.path.slice(root.length + 1))

  test("none", async () => expect(await find()).toEqual([]))

  test("every hit of the first name that has one, root first", async () => {
    await put("w/CLAUDE.md", "c")
    await put("w/a/CLAUDE.md", "ca")
    expect(await paths()).toEqual(["w/CLAUDE.md", "w/a/CLAUDE.md"])
    await put("w/a/b/AGENTS.md", "b")
    await put("w/AGENTS.md", "root")
    await put("AGENTS.md", "above the worktree")
    expect(await paths()).toEqual(["w/AGENTS.md", "w/a/b/AGENTS.md"])
    expect(await paths("w/a")).toEqual(["w/AGENTS.md"])
  })

  test("then the first of the user's own", async () => {
    await put("w/CONTEXT.md", "p")
    await put("home/.claude/CLAUDE.md", "claude")
    expect(await paths()).toEqual(["w/CONTEXT.md", "home/.claude/CLAUDE.md"])
    await put("home/.config/opencode/AGENTS.md", "o")
    expect(await paths()).toEqual(["w/CONTEXT.md", "home/.config/opencode/AGENTS.md"])
    await put("home/.config/cairn/AGENTS.md", "mine")
    expect(await find()).toMatchObject([{ from: "project" }, { from: "user", text: "mine" }])
  })

  test("an empty file, a directory and a dangling link are no hits", async () => {
    await put("w/AGENTS.md", " \n")
    await mkdir(join(root, "w/a/AGENTS.md"))
    await symlink(join(root, "gone"), join(root, "w/a/b/AGENTS.md"))
    await put("w/CLAUDE.md", "c")
    expect(await paths()).toEqual(["w/CLAUDE.md"])
  })

  test("a link inside the project is followed, one that leaves it is passed over", async () => {
    await put("w/docs/agents.md", "inside")
    await put("private", "secret")
    await symlink(join(root, "w/docs/agents.md"), join(root, "w/AGENTS.md"))
    await symlink(join(root, "private"), join(root, "w/a/AGENTS.md"))
    expect((await find()).map((one) => one.text)).toEqual(["inside"])
  })

  test("a long file is cut at 32 kB, between characters, and says so", async () => {
    await put("w/AGENTS.md", `\uFEFF${"é".repeat(20_000)}`)
    const [one] = await find()
    expect(one!.text).toStartWith("é")
    expect(one!.text).not.toContain("\uFFFD")
    expect(one!.text).toMatch(/\n\[7235 more bytes of .*AGENTS\.md were cut: read the file for them\]$/)
    expect(Buffer.byteLength(one!.text)).toBeLessThan(33_000)
  })

  test("line ends and space around the text do not change the bytes of the prompt between runs", async () => {
    await put("w/AGENTS.md", "\nUse tabs.\n\n")
    expect((await find())[0]!.text).toBe("Use tabs.")
  })
})

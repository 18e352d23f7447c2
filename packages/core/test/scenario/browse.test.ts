import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { type Bench, bench } from "./harness.ts"

const files = {
  "src/main.ts": "export const answer = 42\n",
  "src/deep/other.ts": "const question = 41\n",
  ".env": "SECRET=very-secret\n",
  ".env.example": "SECRET=\n",
  ".gitignore": "*.log\n/out/\n",
  "out/a.txt": "very\n",
  "x.log": "very\n",
}

async function value<T>(
  result: Promise<{ ok: true; value: T } | { ok: false; error: { message: string } }>,
): Promise<T> {
  const found = await result
  if (!found.ok) throw new Error(found.error.message)
  return found.value
}
const look = async (made: Bench) => {
  const opened = await made.engine.files()
  return {
    text: (pattern: string) => value(opened.text(pattern, 100)),
    find: (query: string, more: object = {}) => value(opened.find({ query, limit: 100, ...more })),
    list: (path: string) => value(opened.list(path)),
    read: (path: string) => value(opened.read(path)),
    refused: async (path: string) => {
      const results = [await opened.read(path), await opened.list(path)]
      return results.map((result) => (result.ok ? "ok" : result.error.kind))
    },
  }
}

test("lines are found as ripgrep tells them, but not in files that the rules ask about", async () => {
  await using made = await bench([], { files })
  const { text } = await look(made)
  expect(await text("answer = (\\d+)")).toEqual([
    {
      path: { text: "src/main.ts" },
      lines: { text: "export const answer = 42\n" },
      line_number: 1,
      absolute_offset: 0,
      submatches: [{ match: { text: "answer = 42" }, start: 13, end: 24 }],
    },
  ])
  expect(await text("SECRET|very")).toMatchObject([{ path: { text: ".env.example" } }])
  const opened = await made.engine.files()
  expect(await opened.text("(", 10)).toMatchObject({ ok: false, error: { kind: "invalid_arguments" } })
})

test("names of files and directories are found, without those that git ignores", async () => {
  await using made = await bench([], { files })
  const { find } = await look(made)
  expect(await find("main")).toEqual(["src/main.ts"])
  expect(await find("deep")).toEqual(["src/deep/", "src/deep/other.ts"])
  expect(await find("deep", { type: "directory" })).toEqual(["src/deep/"])
  expect(await find("", { type: "directory" })).toEqual(["src/", "src/deep/"])
  expect(await find("a", { limit: 1 })).toHaveLength(1)
  expect(await find("x.log")).toEqual([])
})

test("a directory is listed, with what git ignores marked", async () => {
  await using made = await bench([], { files })
  const { list } = await look(made)
  const top = await list("")
  expect(top.map(({ name, type, ignored }) => [name, type, ignored])).toEqual([
    ["out", "directory", true],
    ["src", "directory", false],
    [".env", "file", false],
    [".env.example", "file", false],
    [".gitignore", "file", false],
    ["x.log", "file", true],
  ])
  expect(await list("src/deep")).toEqual([
    {
      ...{ name: "other.ts", path: "src/deep/other.ts", type: "file", ignored: false },
      absolute: join(made.workspace.dir, "src/deep/other.ts"),
    },
  ])
})

test("a text is read as text, anything else as base64", async () => {
  await using made = await bench([], { files })
  await made.workspace.write("a.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]))
  const { read } = await look(made)
  expect(await read("src/main.ts")).toEqual({ type: "text", content: "export const answer = 42\n" })
  expect(await read(join(made.workspace.dir, "src/main.ts"))).toMatchObject({ type: "text" })
  expect(await read("a.png")).toEqual({
    ...{ type: "binary", content: "iVBORwAB", encoding: "base64", mimeType: "image/png" },
  })
})

test("what the rules ask about, what lies outside and what is not there is refused, whatever the path looks like", async () => {
  await using made = await bench([], { files })
  await symlink("/etc", join(made.workspace.dir, "etc"))
  await symlink(".env", join(made.workspace.dir, "innocent"))
  const { refused } = await look(made)
  expect(await refused(".env")).toEqual(["denied", "missing"])
  expect((await refused("innocent"))[0]).toBe("denied")
  expect((await refused("src/../.env"))[0]).toBe("denied")
  for (const path of ["/etc/passwd", "etc/passwd", "../../../../../../etc/passwd", "etc", "~"])
    expect(await refused(path)).toEqual(["outside", "outside"])
  expect(await refused("none")).toEqual(["missing", "missing"])
  expect(await refused("a\0b")).toEqual(["invalid_arguments", "invalid_arguments"])
  expect((await refused("src"))[0]).toBe("directory")
})

test("a rule of the user opens what lies outside, and closes what lies inside", async () => {
  const rules = { permission: { external_directory: { "/etc/*": "allow" }, read: { "src/*": "deny" } } }
  await using made = await bench([], { files, config: rules })
  const { refused } = await look(made)
  expect((await refused("/etc/passwd"))[0]).toBe("ok")
  expect((await refused("src/main.ts"))[0]).toBe("denied")
})

test("git tells the branch, what changed, and by how many lines", async () => {
  await using made = await bench([], { files: { "a.txt": "one\ntwo\n", "gone.txt": "x\n", ".env": "A=1\n" } })
  const vcs = await made.engine.vcs()
  const { branch } = await vcs.info()
  expect(branch).toMatch(/^\w+$/)
  expect(await value(vcs.status())).toEqual([])
  await made.workspace.write("a.txt", "one\n2\nthree\n")
  await made.workspace.write("new.txt", "n\n")
  await made.workspace.write(".env", "A=2\n")
  await made.workspace.git(["rm", "-q", "gone.txt"])
  await made.workspace.write("b.bin", new Uint8Array([0, 1]))
  expect(await value(vcs.status())).toEqual([
    // What may not be read without asking is named, and no more.
    { file: ".env", additions: 0, deletions: 0, status: "modified" },
    { file: "a.txt", additions: 2, deletions: 1, status: "modified" },
    { file: "b.bin", additions: 0, deletions: 0, status: "added" },
    { file: "gone.txt", additions: 0, deletions: 1, status: "deleted" },
    { file: "new.txt", additions: 1, deletions: 0, status: "added" },
  ])
  const [, changed] = await value(vcs.diff("git", 0))
  expect(changed?.patch).toBe("--- a.txt\n+++ a.txt\n@@ -2 +2,2 @@\n-two\n+2\n+three\n")
  await made.workspace.git(["add", "-A"])
  await made.workspace.git(["commit", "-qm", "more"])
  expect(await value(vcs.status())).toEqual([])
})

test("a branch is compared with where it left the default one", async () => {
  await using made = await bench([], { files: { "a.txt": "one\n" } })
  const { git, write } = made.workspace
  await git(["branch", "-M", "main"])
  await git(["checkout", "-qb", "work"])
  await write("a.txt", "two\n")
  await git(["commit", "-qam", "work"])
  await git(["checkout", "-q", "main"])
  await write("other.txt", "x\n")
  await git(["add", "-A"])
  await git(["commit", "-qm", "meanwhile"])
  await git(["checkout", "-q", "work"])
  await write("here.txt", "y\n")
  const vcs = await made.engine.vcs()
  expect(await vcs.info()).toEqual({ branch: "work", default_branch: "main" })
  const names = (await value(vcs.diff("branch"))).map(({ file, status }) => [file, status])
  expect(names).toEqual([
    ["a.txt", "modified"],
    ["here.txt", "added"],
  ])
})

test("no program that a repository names is run to tell what changed", async () => {
  await using made = await bench([], { files: { "a.txt": "one\n", ".gitattributes": "*.txt diff=evil\n" } })
  const { git, write, dir, exists } = made.workspace
  await git(["config", "diff.evil.textconv", `touch ${join(dir, "ran")};cat`])
  await git(["config", "diff.external", `touch ${join(dir, "ran")}`])
  await git(["config", "core.fsmonitor", `touch ${join(dir, "ran")}`])
  await write("a.txt", "two\n")
  const vcs = await made.engine.vcs()
  expect(await value(vcs.diff("git"))).toMatchObject([{ file: "a.txt", additions: 1, deletions: 1 }])
  expect(await exists("ran")).toBe(false)
})

test("outside of git nothing differs", async () => {
  await using made = await bench([])
  const { rm } = await import("node:fs/promises")
  await rm(join(made.workspace.dir, ".git"), { recursive: true })
  await made.restart()
  const vcs = await made.engine.vcs()
  expect([await vcs.info(), await value(vcs.status())]).toEqual([{}, []])
})

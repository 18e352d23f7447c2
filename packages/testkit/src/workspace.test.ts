import { expect, test } from "bun:test"
import { stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { tempWorkspace } from "./workspace.ts"

test("holds the files it was given, under a real path", async () => {
  await using workspace = await tempWorkspace({ files: { "src/a.ts": "one", "b.bin": new Uint8Array([0, 255]) } })
  expect(await workspace.read("src/a.ts")).toBe("one")
  expect(await workspace.exists("b.bin")).toBe(true)
  expect(await workspace.exists("src/none.ts")).toBe(false)
  await workspace.write("deep/er/c.txt", "two")
  expect(await workspace.read(join(workspace.dir, "deep/er/c.txt"))).toBe("two")
})

test("is gone after use, with its home", async () => {
  let dir = ""
  {
    await using workspace = await tempWorkspace({ files: { a: "x" } })
    dir = workspace.dir
    expect(dirname(workspace.home)).toBe(dirname(dir))
  }
  expect(
    await stat(dirname(dir)).then(
      () => "there",
      () => "gone",
    ),
  ).toBe("gone")
})

test("a repository starts with one commit, the same on every machine", async () => {
  const heads: string[] = []
  for (let round = 0; round < 2; round++) {
    await using workspace = await tempWorkspace({ files: { "a.txt": "a\n" }, git: true })
    heads.push(await workspace.git(["rev-parse", "HEAD"]))
    expect(await workspace.git(["status", "--porcelain"])).toBe("")
    expect(await workspace.git(["log", "--format=%an <%ae>"])).toBe("Test <test@example.invalid>\n")
  }
  expect(heads[0]).toBe(heads[1] as string)
})

test("a git that fails says why", async () => {
  await using workspace = await tempWorkspace()
  const failure = await workspace.git(["log"]).catch((error: unknown) => String(error))
  expect(failure).toContain("not a git repository")
})

test("the environment points every per-user directory into the home", async () => {
  await using workspace = await tempWorkspace()
  const child = Bun.spawn(["sh", "-c", "env"], { env: workspace.env, stdout: "pipe" })
  const env = Object.fromEntries((await child.stdout.text()).split("\n").map((line) => line.split("=", 2)))
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GIT_CONFIG_GLOBAL"]) {
    expect(env[name]).toStartWith(`${workspace.home}/`)
  }
  expect(env.HOME).toBe(workspace.home)
  expect((await stat(env.TMPDIR as string)).isDirectory()).toBe(true)
})

import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, open, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { contains, resolvePath } from "./paths.ts"

let root = ""
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-paths-")))
  await mkdir(`${root}/proj/src`, { recursive: true })
  await mkdir(`${root}/proj-evil`)
  await writeFile(`${root}/proj/src/a.ts`, "a")
})
afterEach(() => rm(root, { recursive: true, force: true }))

const real = async (input: string, base = `${root}/proj`) => (await resolvePath(input, base)).real

test("relative and absolute paths lead to the same file", async () => {
  for (const input of ["src/a.ts", "./src//a.ts", "src/../src/a.ts", `${root}/proj/src/a.ts`, "src/a.ts/"]) {
    const resolved = await resolvePath(input, `${root}/proj`)
    expect(resolved).toEqual({ asked: input, real: `${root}/proj/src/a.ts`, exists: true, links: [] })
  }
})

test("a leading ~/ is the home directory, a ~ elsewhere is a name", async () => {
  expect((await resolvePath("~/x", root, `${root}/proj`)).real).toBe(`${root}/proj/x`)
  expect((await resolvePath("~", root, `${root}/proj`)).real).toBe(`${root}/proj`)
  expect(await real("a~/~b")).toBe(`${root}/proj/a~/~b`)
})

test("a missing path keeps its missing names below the real parent", async () => {
  await symlink(`${root}/proj-evil`, `${root}/proj/out`)
  expect(await resolvePath("out/new/deep.txt", `${root}/proj`)).toEqual({
    asked: "out/new/deep.txt",
    real: `${root}/proj-evil/new/deep.txt`,
    exists: false,
    links: [`${root}/proj/out`],
  })
})

test("parent steps come after links, as the system has it", async () => {
  await mkdir(`${root}/proj-evil/deep`)
  await symlink(`${root}/proj-evil/deep`, `${root}/proj/link`)
  expect(await real("link/../x")).toBe(`${root}/proj-evil/x`)
  expect(await real("../../../../../../../../..")).toBe("/")
})

test("a dangling link leads to its target, a relative one from where it lies", async () => {
  await symlink("../../outside.txt", `${root}/proj/src/dangling`)
  const resolved = await resolvePath("src/dangling", `${root}/proj`)
  expect(resolved.real).toBe(`${root}/outside.txt`)
  expect(resolved.exists).toBe(false)
})

test("links that go in a circle are a problem, not a hang", async () => {
  await symlink(`${root}/two`, `${root}/one`)
  await symlink(`${root}/one`, `${root}/two`)
  const resolved = await resolvePath("one/x", root)
  expect(resolved.problem?.kind).toBe("refused")
  expect(resolved.exists).toBe(false)
})

test("a path that no system call takes is a problem", async () => {
  for (const input of ["", "a\0b", `${"x".repeat(256)}/a`, "a/".repeat(3000)]) {
    expect((await resolvePath(input, root)).problem?.kind).toBe("invalid_arguments")
  }
  expect((await resolvePath("é".repeat(127), root)).problem).toBeUndefined()
})

test("a file where a directory should be does not exist and is no error here", async () => {
  expect(await resolvePath("src/a.ts/below", `${root}/proj`)).toMatchObject({
    real: `${root}/proj/src/a.ts/below`,
    exists: false,
  })
})

test("names with spaces, line ends and dashes are names", async () => {
  for (const name of [" ", "-rf", "a\nb", "*?[x]", "..."]) {
    await writeFile(`${root}/proj/${name}`, "")
    expect(await resolvePath(name, `${root}/proj`)).toMatchObject({ real: `${root}/proj/${name}`, exists: true })
  }
})

test("containment is by component", () => {
  expect(contains("/a/proj", "/a/proj")).toBe(true)
  expect(contains("/a/proj", "/a/proj/b")).toBe(true)
  expect(contains("/a/proj", "/a/proj-evil")).toBe(false)
  expect(contains("/a/proj", "/a")).toBe(false)
  expect(contains("/", "/a")).toBe(true)
})

test("resolving agrees with the system for every existing path", async () => {
  await symlink("proj", `${root}/l1`)
  await symlink(`${root}/l1/src`, `${root}/proj/l2`)
  await symlink("..", `${root}/proj/src/up`)
  const step = fc.constantFrom("proj", "src", "l1", "l2", "up", "..", ".", "", "a.ts", "proj-evil")
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const input = steps.join("/").replace(/^\/+/, "")
      if (input === "") return
      const resolved = await resolvePath(input, root)
      const expected = await openedPath(`${root}/${input}`)
      if (expected !== undefined) expect(resolved).toMatchObject({ real: expected, exists: true })
      // Resolving again changes nothing: a real path is its own real path.
      expect((await resolvePath(resolved.real, root)).real).toBe(resolved.real)
      expect(resolved.real.split("/")).not.toContain("..")
    }),
    { numRuns: 150 },
  )
})

/** Where the kernel arrives when it opens the text as it stands; undefined when it does not. */
async function openedPath(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    return process.platform === "linux" ? await readlink(`/proc/self/fd/${file.fd}`) : undefined
  } finally {
    await file.close()
  }
}

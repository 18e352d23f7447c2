import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { readToken } from "./token-file.ts"

test("the first start makes a token that only its user can read, and the others find it", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "state/cairn/token")
  const tokens = await Promise.all(Array.from({ length: 8 }, () => readToken(file)))
  const written = (await readFile(file, "utf8")).trim()
  expect(written).toMatch(/^[\w-]{43}$/)
  for (const token of tokens) expect(token).toEqual({ ok: true, value: written })
  expect(await readToken(file)).toEqual({ ok: true, value: written })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test("a token that others can read is taken from them", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "token")
  await writeFile(file, "a-token-of-some-length-at-all\n", { mode: 0o644 })
  await chmod(file, 0o644)
  expect(await readToken(file)).toEqual({ ok: true, value: "a-token-of-some-length-at-all" })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test.each(["", "short", "two words in one line here"])("%j is no token, and that is said", async (text) => {
  await using space = await tempWorkspace()
  const file = join(space.home, "token")
  await writeFile(file, text)
  const read = await readToken(file)
  expect(read).toMatchObject({ ok: false, error: { kind: "data_directory" } })
  expect(read.ok ? "" : read.error.message).toContain("it holds no token")
})

test("a link in its place is not followed", async () => {
  await using space = await tempWorkspace({ files: { elsewhere: "a-token-of-some-length-at-all" } })
  const file = join(space.home, "token")
  await symlink(join(space.dir, "elsewhere"), file)
  expect(await readToken(file)).toMatchObject({ ok: false, error: { message: expect.stringContaining("no file") } })
})

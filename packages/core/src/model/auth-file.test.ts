import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { createAuthFile } from "./auth-file.ts"

const api = (key: string) => ({ type: "api" as const, key })

test("keys are kept beside each other, for the current user alone, and forgotten one by one", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "data/cairn/auth.json")
  const auth = createAuthFile(file)
  expect(auth.key("anthropic")).toBeUndefined()
  expect(await auth.save("anthropic", api("k1"))).toEqual({ ok: true, value: undefined })
  await auth.save("openai", api("k2"))
  await auth.save("copilot", { type: "oauth", refresh: "r", access: "a", expires: 1 })
  expect(["anthropic", "openai", "copilot", "none", "toString"].map(auth.key)).toEqual([
    ...["k1", "k2", undefined, undefined, undefined],
  ])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await auth.save("anthropic", undefined)
  expect([auth.key("anthropic"), auth.key("openai")]).toEqual([undefined, "k2"])
  expect(JSON.parse(await readFile(file, "utf8"))).toHaveProperty("copilot")
  expect(await readdir(join(space.home, "data/cairn"))).toEqual(["auth.json"])
})

test("what another process kept is seen, and entries of kinds that we do not know stay", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "auth.json")
  const [ours, theirs] = [createAuthFile(file), createAuthFile(file)]
  await writeFile(file, JSON.stringify({ odd: { type: "new", x: 1 } }))
  expect(ours.key("odd")).toBeUndefined()
  await theirs.save("a", api("from there"))
  expect(ours.key("a")).toBe("from there")
  await ours.save("b", api("from here"))
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    ...{ odd: { type: "new", x: 1 }, a: api("from there"), b: api("from here") },
  })
})

test.each(["", "{", "[]", "null"])("a file with %j gives no key and is not written over", async (text) => {
  await using space = await tempWorkspace()
  const file = join(space.home, "auth.json")
  await writeFile(file, text)
  const auth = createAuthFile(file)
  expect(auth.key("a")).toBeUndefined()
  const saved = await auth.save("a", api("k"))
  expect(saved).toMatchObject({ ok: false, error: { kind: "data_directory" } })
  expect(await readFile(file, "utf8")).toBe(text)
})

test("a name that is no plain one is a name all the same", async () => {
  await using space = await tempWorkspace()
  const auth = createAuthFile(join(space.home, "auth.json"))
  await auth.save("__proto__", api("k"))
  expect([auth.key("__proto__"), auth.key("x")]).toEqual(["k", undefined])
})

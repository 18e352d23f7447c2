import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { configFileIn, saveConfig } from "./save.ts"

const done = { ok: true as const, value: undefined }

test("keys are put where they belong; comments and everything else stay as they are", async () => {
  await using space = await tempWorkspace()
  const file = join(space.dir, "cairn.jsonc")
  const before = `{
  "odd": [1, 2],
  // What I like
  "model": "a/b", // fast
  "provider": { "a": { "options": { "apiKey": "k", "timeout": 5 } } },
}
`
  await writeFile(file, before)
  const change = { model: "c/d", provider: { a: { options: { timeout: 9 } } }, instructions: ["x.md"] }
  expect(await saveConfig(file, change)).toEqual(done)
  const after = await readFile(file, "utf8")
  for (const piece of ["// What I like", `"model": "c/d", // fast`, `"apiKey": "k"`, `"timeout": 9`, `"odd": [1, 2]`])
    expect(after).toContain(piece)
  expect(after).toContain(`"instructions"`)
})

test("a secret that was shown hidden is not written back over the real one", async () => {
  await using space = await tempWorkspace()
  const file = join(space.dir, "cairn.json")
  await writeFile(file, `{"provider":{"a":{"options":{"apiKey":"real"}}}}`)
  const shown = { provider: { a: { name: "A", options: { apiKey: "[redacted]", baseURL: "https://[redacted]@x/" } } } }
  expect(await saveConfig(file, shown)).toEqual(done)
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    provider: { a: { name: "A", options: { apiKey: "real" } } },
  })
})

test("a file that is not there is made for its user alone; one that is there keeps its bits", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "new/cairn.json")
  expect(await saveConfig(file, { username: "ada" })).toEqual(done)
  expect([JSON.parse(await readFile(file, "utf8")), (await stat(file)).mode & 0o777]).toEqual([
    { username: "ada" },
    0o600,
  ])
  const shared = join(space.dir, "cairn.json")
  await writeFile(shared, "{}", { mode: 0o644 })
  await saveConfig(shared, { username: "ada" })
  expect((await stat(shared)).mode & 0o777).toBe(0o644)
})

test.each(["{", "[]", `{"a": }`, "no"])("a file with %j is left alone", async (text) => {
  await using space = await tempWorkspace()
  const file = join(space.dir, "cairn.json")
  await writeFile(file, text)
  expect(await saveConfig(file, { username: "ada" })).toMatchObject({ ok: false, error: { kind: "config" } })
  expect(await readFile(file, "utf8")).toBe(text)
})

test("a value in the way of an object is not written through", async () => {
  await using space = await tempWorkspace()
  const file = join(space.dir, "cairn.json")
  await writeFile(file, `{"provider":"x"}`)
  expect(await saveConfig(file, { provider: { a: { name: "A" } } })).toMatchObject({ ok: false })
  expect(await readFile(file, "utf8")).toBe(`{"provider":"x"}`)
})

test("the file that is there is the one that is changed", async () => {
  await using space = await tempWorkspace()
  expect(await configFileIn(space.dir)).toBe(join(space.dir, "cairn.json"))
  await mkdir(join(space.dir, "sub"))
  await writeFile(join(space.dir, "cairn.jsonc"), "{}")
  expect(await configFileIn(space.dir)).toBe(join(space.dir, "cairn.jsonc"))
})

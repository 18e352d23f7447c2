import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listThemes, loadTheme } from "./load.ts"

let folder = ""
const directories = () => [join(folder, "user"), join(folder, "project")]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cairn-theme-"))
  for (const directory of directories()) await mkdir(directory)
  await writeFile(join(folder, "user/mine.json"), '{ "theme": { "text": "#111111" } } // a comment')
  await writeFile(join(folder, "project/mine.json"), '{ "theme": { "text": "#222222", }, }')
  await writeFile(join(folder, "user/nord.json"), '{ "theme": { "text": "#333333" } }')
  await writeFile(join(folder, "user/broken.json"), '{ "theme": { "text": ')
  await writeFile(join(folder, "user/bad.json"), '{ "theme": { "text": "wat" } }')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each([
  ["mine", [34, 34, 34]],
  ["nord", [51, 51, 51]],
])("%s is the user's, the nearest first", async (name, rgb) => {
  const theme = await loadTheme(name, directories())
  expect(theme.ok && theme.value.dark.text).toEqual({ rgb: rgb as never })
})

test("one that comes with the program needs no directory", async () => {
  expect(await loadTheme("gruvbox", [])).toMatchObject({ ok: true, value: { name: "gruvbox" } })
})

test.each([
  ["nothing", 'no theme "nothing" (there are cairn,'],
  ["broken", "broken.json: "],
  ["bad", "bad.json: theme.text is no colour"],
  ["../user/mine", 'no theme "../user/mine"'],
])("%s: the reason is said, with the file", async (name, reason) => {
  expect(await loadTheme(name, directories())).toEqual({ ok: false, error: expect.stringContaining(reason) })
})

test("all names, once each", async () => {
  const names = await listThemes(directories())
  expect(names).toHaveLength(15)
  expect(names).toContain("mine")
})

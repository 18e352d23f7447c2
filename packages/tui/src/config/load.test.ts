import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultConfig, settings } from "./define.ts"
import { loadConfig } from "./load.ts"

let folder = ""
let file = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cairn-tui-config-"))
})
beforeEach(() => {
  file = join(folder, "tui.jsonc")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function load(text: string) {
  await writeFile(file, text)
  return loadConfig([file])
}

test("no file, no problem: the defaults", async () => {
  expect(await loadConfig([join(folder, "none.json"), join(folder, "a/b/tui.json")])).toEqual({
    config: defaultConfig,
    problems: [],
  })
})

test("values are taken, groups are merged, comments and commas at the end are allowed", async () => {
  const { config, problems } = await load(`{
    // mine
    "theme": "nord", "vim": true, "wrap": 80, "ascii": true,
    "fold": { "bash": 12, },
    "notify": ["done", "done"],
    "keybinds": { "leader": "ctrl+a", "session_list": ["f5", "<leader>s"], "app.quit": false },
  }`)
  expect(problems).toEqual([])
  expect(config).toEqual({
    ...defaultConfig,
    theme: "nord",
    vim: true,
    wrap: 80,
    ascii: true,
    fold: { reasoning: true, bash: 12, edit: 20 },
    notify: ["done"],
    keybinds: { leader: "ctrl+a", session_list: "f5,<leader>s", "app.quit": "none" },
  })
})

test("a later file goes over an earlier one, value by value", async () => {
  const other = join(folder, "project.json")
  await writeFile(file, '{ "theme": "nord", "fold": { "bash": 3, "edit": 4 }, "keybinds": { "a": "x", "b": "y" } }')
  await writeFile(other, '{ "theme": "github", "fold": { "edit": 9 }, "keybinds": { "b": "z" } }')
  const { config } = await loadConfig([file, other])
  expect([config.theme, config.fold, config.keybinds]).toEqual([
    "github",
    { reasoning: true, bash: 3, edit: 9 },
    { a: "x", b: "z" },
  ])
})

describe("what is wrong is said with its line, and the default stays", () => {
  test.each([
    ['{\n  "wrap": 5\n}', 2, "wrap: expected a number from 20 to 1000"],
    ['{\n"mode": "blue" }', 2, 'mode: expected "auto", "dark", "light"'],
    ['{ "fold": {\n"bash": "many" } }', 2, "fold.bash: expected a number from 1 to 200"],
    ['{ "fold": 3 }', 1, "fold: there is no such setting"],
    ['{ "them": "nord" }', 1, "them: there is no such setting"],
    ['{ "notify": ["sometimes"] }', 1, 'notify: expected a list of "ask", "question", "error", "done"'],
    ['{ "keybinds": {\n\n"leader": 7 } }', 3, 'keybinds.leader: expected keys, for example "ctrl+x" or "none"'],
    ['{ "constructor": 1 }', 1, "constructor: there is no such setting"],
    ['{ "__proto__": { "x": 1 } }', 1, "__proto__: there is no such setting"],
    ["[]", undefined, "it is no object"],
  ])("%s", async (text, line, message) => {
    const { config, problems } = await load(text)
    expect(problems).toEqual([{ file, line, message }])
    expect({ ...config, keybinds: {} }).toEqual(defaultConfig)
  })

  test("a file that is none", async () => {
    const { config, problems } = await load('{ "theme": ')
    expect(problems).toEqual([{ file, line: undefined, message: expect.stringMatching(/\S/) }])
    expect(config).toEqual(defaultConfig)
  })

  test("a directory in its place", async () => {
    const directory = join(folder, "directory.json")
    await mkdir(directory)
    expect((await loadConfig([directory])).problems).toEqual([
      { file: directory, line: undefined, message: expect.stringContaining("EISDIR") },
    ])
  })
})

test("the original's keys are understood, those without meaning here are passed over", async () => {
  const { config, problems } = await load(`{
    "leader_timeout": 500, "scroll_speed": 0.5, "diff_style": "stacked", "attention": { "enabled": false, "sound": true },
    "prompt": { "max_height": 6 }, "cursor": { "style": "block" }, "$schema": "https://x", "keybinds": { "input_undo": "ctrl+z" }
  }`)
  expect(problems).toEqual([])
  expect(config).toEqual({
    ...defaultConfig,
    ...{ leaderTimeout: 500, scrollSpeed: 1, diff: "unified", notify: [], keybinds: { input_undo: "ctrl+z" } },
  })
})

test("every default is a value that its setting takes", () => {
  const values = new Map<string, unknown>(Object.entries(defaultConfig))
  for (const [name, value] of Object.entries(defaultConfig.fold)) values.set(`fold.${name}`, value)
  for (const [path, setting] of Object.entries(settings)) {
    const value = values.get(path)
    if (path === "$schema" || value === undefined) continue
    expect([path, setting.read(value)]).toEqual([path, { value }])
  }
})

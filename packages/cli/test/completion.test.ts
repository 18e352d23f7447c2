import { describe, expect, test } from "bun:test"
import { text } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"
import { offersOf, shells, type Shell } from "./shell/offers.ts"

/** Without what a shell puts before a value of `--flag=`, or after a directory. */
const bare = (offers: string[]) => [...new Set(offers.map((offer) => offer.replace(/^--\w+=/, "").replace(/\/$/, "")))]

const cases: [line: string, offered: string[]][] = [
  ["cairn run --mo", ["--model"]],
  ["cairn session sh", ["show"]],
  ["cairn session ren", ["rename"]],
  ["cairn mod", ["models"]],
  ["cairn help session sh", ["show"]],
  ["cairn completion z", ["zsh"]],
  ["cairn run --format j", ["json"]],
  ["cairn run --format=j", ["json"]],
  ["cairn session export --format m", ["markdown"]],
  ["cairn run --file notes.t", ["notes.txt"]],
  ["cairn run --dir inn", ["inner"]],
  ["cairn run --agent pl", ["plan"]],
  ["cairn run -a pl", ["plan"]],
  ["cairn run --model dem", ["demo/tour"]],
  ["cairn run --model=dem", ["demo/tour"]],
  ["cairn run -- --mo", []],
  ["cairn nothing of ours ", []],
]

const state = (shell: Shell) => (Bun.which(shell) === null ? "is not installed: skipped" : "is installed")

describe.each(shells.map((shell) => [shell, state(shell)] as const))("%s %s", (shell) => {
  const missing = Bun.which(shell) === null

  test.skipIf(missing)(
    "completes commands, flags and values",
    async () => {
      await using space = await tempWorkspace({ files: { "notes.txt": "", "inner/x": "" } })
      const offers = await offersOf(space, shell)
      const found = []
      for (const [line] of cases) found.push([line, bare(await offers(line))])
      expect(found).toEqual(cases)
    },
    60_000,
  )

  test.skipIf(missing)(
    "asks for models by what is typed, with a key and without",
    async () => {
      await using space = await tempWorkspace()
      const without = await offersOf(space, shell)
      expect(await without("cairn run --model anthropic/claude-sonnet-4-")).toContain("anthropic/claude-sonnet-4-5")
      const models = { small: {}, "big:free": {} }
      const provider = {
        box: { npm: "@ai-sdk/openai-compatible", options: { baseURL: "http://127.0.0.1:9/v1" }, models },
      }
      const configured = await offersOf(space, shell, { CAIRN_CONFIG_CONTENT: JSON.stringify({ provider }) })
      expect((await configured("cairn run -m bo")).toSorted()).toEqual(["box/big:free", "box/small"])
    },
    30_000,
  )

  test.skipIf(missing)(
    "asks for the sessions of the directory that is meant",
    async () => {
      await using space = await tempWorkspace({ files: { "other/x": "" } })
      await using server = await startModelServer([[text("Hello.")]])
      const run = await cairn(space, ["run", "--format", "json", "hello"], { server })
      const id = String(run.result()["sessionID"])
      const offers = await offersOf(space, shell)
      expect(await offers("cairn session show ses_")).toEqual([id])
      expect(await offers("cairn session delete --yes ses_")).toEqual([id])
      expect(await offers("cairn run --session ")).toEqual([id])
      expect(await offers(`cairn run --dir ${space.dir}/none --session `)).toEqual([])
    },
    30_000,
  )
})

test("bash: what stands behind a flag that takes free text is its value", async () => {
  await using space = await tempWorkspace()
  const offers = await offersOf(space, "bash")
  expect(await offers("cairn run --title --mo")).toEqual([])
  expect(await offers("cairn run --title x --mo")).toEqual(["--model"])
})

test("bash: what stands behind a colon is put behind it", async () => {
  await using space = await tempWorkspace()
  const models = { "big:free": {}, "big:full": {} }
  const provider = { box: { npm: "@ai-sdk/openai-compatible", options: { baseURL: "http://127.0.0.1:9/v1" }, models } }
  const offers = await offersOf(space, "bash", { CAIRN_CONFIG_CONTENT: JSON.stringify({ provider }) })
  expect(await offers("cairn run --model box/big:fr")).toEqual(["free"])
  expect(await offers("cairn run --model=box/big:")).toEqual(["free", "full"])
})

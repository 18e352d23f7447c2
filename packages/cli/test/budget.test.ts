import { expect, test } from "bun:test"
import { text, toolCall, usage, type Scenario } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"

const work: Scenario = [
  [toolCall("bash", { command: "echo one" }), usage({ input: 1_000, output: 0 })],
  [toolCall("bash", { command: "echo two" }), usage({ input: 1_000, output: 0 })],
  [text("Done.")],
]
/** The scripted model with a price of 100 dollars a million tokens in: 0.10 a step here. */
const priced = (more: Record<string, unknown> = {}) => ({
  provider: { scripted: { models: { model: { cost: { input: 100, output: 0 } } } } },
  ...more,
})

async function run(argv: readonly string[], config: Record<string, unknown> = {}) {
  await using space = await tempWorkspace()
  await using server = await startModelServer(work)
  // The file lies below what `run-cairn` gives as CAIRN_CONFIG_CONTENT, and its objects merge.
  await space.write(`${space.home}/.config/cairn/cairn.json`, JSON.stringify(config))
  const ended = await cairn(space, ["run", ...argv, "go"], { server })
  return { ...ended, calls: server.requests.length }
}

test("tokens: the run ends before the next call with exit code 5, and says what to do", async () => {
  const { code, err, calls } = await run(["--budget", "1500tokens"])
  expect([code, calls]).toEqual([5, 2])
  expect(err).toContain("The token budget for this run is used up (2000 of 1500).")
  expect(err).toContain("--budget 50000tokens")
  expect(err).toContain("stopped: the budget is spent")
})

test("money: as JSON the result line says it too", async () => {
  const { code, calls, result } = await run(["--budget=0.05", "--format", "json"], priced())
  expect([code, calls]).toEqual([5, 1])
  expect(result()).toMatchObject({ exitCode: 5, reason: "budget", cost: 0.1 })
  expect(String(result()["message"])).toContain("($0.1000 of $0.05)")
})

test("money alone bounds no model without a price; with tokens beside it the run goes", async () => {
  const alone = await run(["--budget", "1"])
  expect([alone.code, alone.calls]).toEqual([5, 0])
  expect(alone.err).toContain("The price of this model is not known")
  const both = await run(["--budget", "1", "--budget", "90000tokens"])
  expect([both.code, both.out, both.calls]).toEqual([0, "Done.\n", 3])
})

test("the flag stands in place of the config's limit of its kind, and leaves the others", async () => {
  const raised = await run(["--budget", "1"], priced({ budget: { run: { money: 0.05 } } }))
  expect([raised.code, raised.calls]).toEqual([0, 3])
  const other = await run(["--budget", "1"], priced({ budget: { run: { tokens: 1_000 } } }))
  expect([other.code, other.calls]).toEqual([5, 1])
})

test.each([
  [["--budget", "$5"], "expected dollars, for example 0.50, or tokens, for example 20000tokens"],
  [["--budget", "1", "--budget", "2"], "--budget was given twice for money"],
  [["--budget"], "expected dollars"],
])("%j is a mistake on the command line", async (argv, message) => {
  const { code, out, err, calls } = await run(argv)
  expect([code, out, calls]).toEqual([2, "", 0])
  expect(err).toContain(message)
})

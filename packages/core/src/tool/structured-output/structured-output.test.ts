import { expect, test } from "bun:test"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import { parseArguments, toolSchema } from "../registry.ts"
import { compileSchema } from "./schema-check.ts"
import { createStructuredOutputTool } from "./structured-output.ts"

async function setup(schema: Record<string, unknown>) {
  const check = await compileSchema(schema)
  if (!check.ok) throw new Error(check.error.message)
  const answers: unknown[] = []
  const tool = createStructuredOutputTool({ schema, check: check.value, answer: (value) => answers.push(value) })
  return { tool, answers }
}
const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name"],
}

test("the model sees the schema itself, and what fits is taken", async () => {
  await using bench = await createToolBench()
  const { tool, answers } = await setup(person)
  expect(toolSchema(tool).parameters).toEqual(person)
  expect(shownResult(await runTool(tool, bench, { name: "A", age: 3 }))).toBe("Taken.")
  expect(answers).toEqual([{ name: "A", age: 3 }])
  expect(bench.asks).toEqual([])
})

test("what does not fit is refused with its places, and not taken", async () => {
  await using bench = await createToolBench()
  const { tool, answers } = await setup(person)
  const refused = await runTool(tool, bench, { age: "old" })
  expect(refused).toMatchObject({ ok: false, error: { kind: "invalid_arguments" } })
  expect(shownResult(refused)).toContain("- the value: must have required property 'name'\n- /age: must be integer")
  expect(shownResult(refused)).toContain("call structured_output again")
  expect(answers).toEqual([])
})

test("what can be meant in one way only is mended; what fits as it is is left alone", async () => {
  await using bench = await createToolBench()
  const { tool, answers } = await setup(person)
  await runTool(tool, bench, { name: "A", age: "3" })
  await runTool(tool, bench, { name: "3", Age: "x" })
  expect(answers).toEqual([
    { name: "A", age: 3 },
    { name: "3", Age: "x" },
  ])
})

test("what is no object stands in a field", async () => {
  await using bench = await createToolBench()
  const { tool, answers } = await setup({ type: "array", items: { type: "number" } })
  expect(shownResult(await runTool(tool, bench, { value: [1, 2] }))).toBe("Taken.")
  expect(shownResult(await runTool(tool, bench, {}))).toContain("value: the result stands in this field")
  expect(shownResult(await runTool(tool, bench, { value: ["x"] }))).toContain("/0: must be number")
  expect(answers).toEqual([[1, 2]])
})

test("arguments arrive as every call's do: malformed JSON is mended or refused", async () => {
  const { tool } = await setup(person)
  expect(parseArguments(tool, '```json\n{"name": "A",}\n```')).toEqual({ ok: true, value: { name: "A" } })
  expect(parseArguments(tool, '{"name": "A')).toMatchObject({ ok: false, error: { kind: "invalid_arguments" } })
  expect(parseArguments(tool, "")).toEqual({ ok: true, value: {} })
})

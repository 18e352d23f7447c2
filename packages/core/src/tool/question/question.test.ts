import { expect, test } from "bun:test"
import { err, ok } from "@cairn/kernel/result"
import type { QuestionInfo } from "@cairn/schema/question"
import { createToolBench, runTool, shownResult } from "../../../test/support/tool-context.ts"
import { parseArguments } from "../registry.ts"
import { createQuestionTool, type QuestionDeps } from "./question.ts"

const options = [
  { label: "SQLite", description: "One file" },
  { label: "Postgres", description: "A server" },
]
const questions = [
  { question: "Which database?", header: "Database", options },
  { question: "Which parts?", header: "Parts", options: [], multiple: true },
]

function tool(answer: Awaited<ReturnType<QuestionDeps["ask"]>>) {
  const asked: (readonly QuestionInfo[])[] = []
  const ask: QuestionDeps["ask"] = async (given) => {
    asked.push(given)
    return answer
  }
  return { asked, made: createQuestionTool({ ask }) }
}

test("the answers stand below their questions", async () => {
  await using bench = await createToolBench()
  const { asked, made } = tool(ok([["SQLite"], []]))
  const done = await runTool(made, bench, { questions })
  expect(shownResult(done)).toBe("Which database?\n→ SQLite\n\nWhich parts?\n→ (no answer: decide yourself)")
  expect(done.ok && done.value).toMatchObject({ title: "2 questions", metadata: { answers: [["SQLite"], []] } })
  expect(asked).toEqual([questions])
  expect(bench.asks).toMatchObject([{ permission: "question", patterns: ["*"] }])
})

test("what the rules deny is not asked; a refusal is passed on", async () => {
  await using bench = await createToolBench()
  const refusal = { kind: "rejected", message: "dismissed" } as const
  const { asked, made } = tool(err(refusal))
  expect(await runTool(made, bench, { questions })).toEqual(err(refusal))
  bench.answer = () => err({ kind: "denied", message: "no" })
  expect(shownResult(await runTool(made, bench, { questions }))).toBe("denied: no")
  expect(asked).toHaveLength(1)
})

test("arguments: at least one question, bounded texts", () => {
  const { made } = tool(ok([]))
  const accepts = (value: unknown) => parseArguments(made, JSON.stringify({ questions: value })).ok
  expect(accepts(questions)).toBe(true)
  expect(accepts([])).toBe(false)
  expect(accepts(Array.from({ length: 11 }, () => questions[0]))).toBe(false)
  expect(accepts([{ ...questions[0], question: "x".repeat(2_001) }])).toBe(false)
  expect(accepts([{ ...questions[0], options: undefined }])).toBe(false)
  expect(made.attended).toBe(true)
})

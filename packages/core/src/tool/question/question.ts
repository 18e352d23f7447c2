import { ok, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { QuestionAnswer, QuestionInfo } from "@cairn/schema/question"
import { z } from "zod"
import { defineTool } from "../define.ts"
import type { Tool, ToolContext } from "../define.ts"
import description from "./question.md" with { type: "text" }

export interface QuestionDeps {
  /** Resolves with an answer for each question, in order. Rejects with the signal's reason when interrupted. */
  ask(questions: readonly QuestionInfo[], context: ToolContext): Promise<Result<readonly QuestionAnswer[], ToolFailure>>
}

const parameters = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().min(1).max(2_000),
        header: z.string().min(1).max(100).describe("Two or three words"),
        options: z.array(z.object({ label: z.string().min(1).max(200), description: z.string().max(1_000) })).max(20),
        multiple: z.boolean().optional().describe("More than one option may be chosen"),
      }),
    )
    .min(1)
    .max(10),
})

/** Asks the user. Interruption settles the question and rejects with the reason. */
export function createQuestionTool(deps: QuestionDeps): Tool<typeof parameters> {
  return defineTool({
    name: "question",
    description,
    parameters,
    attended: true,
    async execute({ questions }, context) {
      const allowed = await context.ask({ permission: "question", patterns: ["*"], always: ["*"] })
      if (!allowed.ok) return allowed
      const asked = questions.map((one): QuestionInfo => {
        const { multiple, ...rest } = one
        return multiple === undefined ? rest : { ...rest, multiple }
      })
      const answered = await deps.ask(asked, context)
      if (!answered.ok) return answered
      const lines = asked.map(({ question }, index) => `${question}\n→ ${shown(answered.value[index] ?? [])}`)
      return ok({
        title: asked.length === 1 ? (asked[0]?.header ?? "") : `${asked.length} questions`,
        output: lines.join("\n\n"),
        metadata: { answers: answered.value },
      })
    },
  })
}

const shown = (answer: QuestionAnswer): string =>
  answer.length === 0 ? "(no answer: decide yourself)" : answer.join("; ")

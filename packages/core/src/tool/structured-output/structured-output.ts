import { err, ok } from "@cairn/kernel/result"
import { z } from "zod"
import type { Tool } from "../define.ts"
import { defineTool } from "../define.ts"
import { repairArguments } from "../repair-arguments.ts"
import type { SchemaCheck } from "./schema-check.ts"
import description from "./structured-output.md" with { type: "text" }
import { wireSchema } from "./wire-schema.ts"

export interface StructuredOutputDeps {
  /** What the user asked for, as it is, and its check. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly check: SchemaCheck
  /** Takes the result; a later one replaces it. */
  answer(value: unknown): void
}

const structuredOutputName = "structured_output"

const parameters = z.record(z.string(), z.unknown())

/** Takes the result of a turn whose prompt asked for a form. What does not fit is refused, place by place. */
export function createStructuredOutputTool({ schema, check, answer }: StructuredOutputDeps): Tool<typeof parameters> {
  const wire = wireSchema(schema)
  return defineTool({
    name: structuredOutputName,
    description,
    parameters,
    schema: wire.schema,
    async execute(args) {
      const problems = take(args)
      if (problems.length === 0) return ok({ title: "", output: "Taken.", metadata: {} })
      const shown = problems.map((problem) => `- ${problem}`).join("\n")
      return err({
        kind: "invalid_arguments",
        message: `The result does not fit its schema:\n${shown}\nCorrect it and call ${structuredOutputName} again.`,
      })
    },
  })

  /** Takes what fits, also after a repair that can be meant in one way only. */
  function take(args: Record<string, unknown>): string[] {
    const problems = problemsOf(args)
    if (problems.length === 0) return []
    const mended = repairArguments(args, wire.schema)
    return isRecord(mended) && problemsOf(mended).length === 0 ? [] : problems
  }

  function problemsOf(args: Record<string, unknown>): string[] {
    if (wire.wrapped && !Object.hasOwn(args, "value"))
      return ["value: the result stands in this field, and it is missing"]
    const value = wire.wrapped ? args["value"] : args
    const problems = check(value)
    if (problems.length === 0) answer(value)
    return problems
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

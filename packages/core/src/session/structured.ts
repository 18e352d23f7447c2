import { type Result, err, ok } from "@cairn/kernel/result"
import type { MessageError, SetupError } from "@cairn/schema/error"
import type { OutputFormat } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { Tool } from "../tool/define.ts"
import type { SettledCall } from "./tool-run.ts"

/** The form that the result of a turn must have, and what the model has given so far. */
export interface Structured {
  readonly tool: Tool
  /** The result that fits; undefined until there is one. */
  answer(): { readonly value: unknown } | undefined
  /** Takes the text of an answer that is the result itself. */
  read(parts: readonly Part[]): void
  /** Forgets the result: the user has said something new. */
  reset(): void
  /** Counts a step that gave no result although it should have. The error when it was one too many. */
  judge(calls: readonly SettledCall[], ended: boolean): MessageError | undefined
}

/** How often a bad result is sent back, unless the prompt says. */
const retries = 2
const mostRetries = 20
/** Characters of a text that is looked at for a result. */
const longestText = 1_000_000

/** What a prompt's `format` asks for; undefined for plain text. The error names the place in the schema. */
export async function openStructured(
  format: OutputFormat | undefined,
): Promise<Result<Structured | undefined, SetupError>> {
  if (format?.type !== "json_schema") return ok(undefined)
  const { compileSchema } = await import("../tool/structured-output/schema-check.ts")
  const check = await compileSchema(format.schema)
  if (!check.ok)
    return err({
      kind: "usage",
      message: `The schema of the answer${schemaPlace(check.error.path)} ${check.error.message}.`,
    })
  const { createStructuredOutputTool } = await import("../tool/structured-output/structured-output.ts")
  let answer: { readonly value: unknown } | undefined
  let bad = 0
  const most = Math.min(mostRetries, Math.max(0, format.retryCount ?? retries))
  const take = (value: unknown) => void (answer = { value })
  const tool = createStructuredOutputTool({ schema: format.schema, check: check.value, answer: take })
  return ok({
    tool,
    answer: () => answer,
    reset: () => void (answer = undefined),
    read(parts) {
      if (answer) return
      const found = jsonIn(parts)
      if (found && check.value(found.value).length === 0) answer = found
    },
    judge(calls, ended) {
      const refused = calls.findLast(({ part }) => part.tool === tool.name && part.state.status === "error")
      if (answer || (!refused && !ended)) return undefined
      if (++bad <= most) return undefined
      return { name: "StructuredOutputError", data: { message: noResult(refused, bad), retries: most } }
    },
  })
}

/** ` at /properties/name` */
const schemaPlace = (path: readonly string[]): string => (path.length === 0 ? "" : ` at /${path.join("/")}`)

function noResult(refused: SettledCall | undefined, times: number): string {
  const state = refused?.part.state
  const why = state?.status === "error" ? state.error.replace(/\nCorrect it[^\n]*$/, "") : "It answered in words."
  return `The model gave no result that fits the schema, ${times === 1 ? "once" : `${times} times`}. ${why}`
}

/** The JSON that is the whole text of an answer, bare or in a fence. */
function jsonIn(parts: readonly Part[]): { value: unknown } | undefined {
  const texts = parts.flatMap((part) => (part.type === "text" && !part.ignored && !part.synthetic ? [part.text] : []))
  const text = texts.join("\n").trim()
  if (text === "" || text.length > longestText) return undefined
  const bare = /^```(?:json)?\s*\n([^]*)\n```$/.exec(text)?.[1] ?? text
  try {
    return { value: JSON.parse(bare) }
  } catch {
    return undefined // words
  }
}

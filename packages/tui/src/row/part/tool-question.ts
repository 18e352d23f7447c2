import type { ToolPart } from "@cairn/schema/part"
import { sanitizeLine, ui } from "../../terminal/sanitize.ts"
import type { Line } from "../text/span.ts"
import { barred, inside, muted, type PartContext, paragraphs, row, spread } from "./context.ts"
import { ended, failureRows } from "./tool-look.ts"

/** What was asked, and what the user said: a line each. */
export function questionRows(part: ToolPart, context: PartContext): Line[] {
  const { state } = part
  const questions = Array.isArray(state.input["questions"]) ? state.input["questions"] : []
  const asked = questions.map((each: unknown) => sanitizeLine(wordOf(each, "question")))
  const tone = state.status === "error" ? "error" : "accent"
  const head = spread(
    [{ text: ui`? `, style: { tone } }, { text: asked[0] ?? ui`a question` }],
    ended(part, context),
    context,
  )
  if (state.status === "error") return [head, ...failureRows(part, context)]
  const answers = "metadata" in state && Array.isArray(state.metadata?.["answers"]) ? state.metadata["answers"] : []
  const rows = asked.flatMap((question, at): Line[] => {
    const own: unknown = answers[at]
    const said = Array.isArray(own)
      ? sanitizeLine(own.filter((each) => typeof each === "string").join(", "))
      : undefined
    const before = at === 0 ? [] : paragraphs(question, undefined, inside(context))
    if (said === undefined) return before
    return [
      ...before,
      row([muted(ui`${context.glyphs.arrow} `), { text: said === "" ? ui`no answer` : said }], inside(context)),
    ]
  })
  return [head, ...barred(rows, context)]
}

function wordOf(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null) return ""
  const word = (value as Record<string, unknown>)[name]
  return typeof word === "string" ? word : ""
}

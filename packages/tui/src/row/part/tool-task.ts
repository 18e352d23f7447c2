import type { ToolPart } from "@cairn/schema/part"
import { sanitize, sanitizeLine, ui } from "../../terminal/sanitize.ts"
import type { Line } from "../text/span.ts"
import { barred, inside, muted, numberOf, type PartContext, paragraphs, spread, textOf } from "./context.ts"
import { ended, failureRows } from "./tool-look.ts"
import { plural } from "./words.ts"

/** A subagent: who, what for, how much it did; at the end the first line of what it found. */
export function taskRows(part: ToolPart, context: PartContext): Line[] {
  const { state } = part
  const { glyphs } = context
  const metadata = "metadata" in state ? state.metadata : undefined
  const tools =
    numberOf(metadata, "tools") ?? (Array.isArray(metadata?.["summary"]) ? metadata["summary"].length : undefined)
  const mark = state.status === "completed" ? glyphs.yes : state.status === "error" ? glyphs.no : glyphs.turning[0]
  const agent = sanitizeLine(textOf(state.input, "subagent_type") || "task")
  const head = spread(
    [
      { text: ui`${mark} ${agent}`, style: { tone: state.status === "error" ? "error" : "accent" } },
      muted(ui` ${glyphs.dot} `),
      { text: sanitizeLine(textOf(state.input, "description")) },
      ...(tools === undefined ? [] : [muted(ui` ${glyphs.dot} ${plural(tools, ui`tool`)}`)]),
    ],
    ended(part, context),
    context,
  )
  if (state.status === "error") return [head, ...failureRows(part, context)]
  if (state.status !== "completed") return [head]
  const lines = sanitize(state.output)
    .trim()
    .split("\n")
    .filter((line) => !/^<\/?\w+|^\s*$/.test(line))
  const shown = (context.isOpen ? lines : lines.slice(0, 1)).join("\n") as ReturnType<typeof ui>
  return shown === "" ? [head] : [head, ...barred(paragraphs(shown, { tone: "muted" }, inside(context)), context)]
}

import type { ToolPart } from "@cairn/schema/part"
import { type Safe, sanitizeLine, ui } from "../../terminal/sanitize.ts"
import { countChanges, diffRows, type FileDiff, parseDiff } from "../diff.ts"
import type { Line, Span } from "../text/span.ts"
import { barred, inside, muted, type PartContext, spread, textOf } from "./context.ts"
import { ended, failureRows } from "./tool-look.ts"
import { plural, shownPath } from "./words.ts"

const openLimit = 2_000

/** edit, write, apply_patch: what was changed, at the size it deserves. */
export function editRows(part: ToolPart, context: PartContext): Line[] {
  const { state } = part
  const metadata = "metadata" in state ? state.metadata : undefined
  const files = parseDiff(patchOf(metadata))
  const isFailed = state.status === "error"
  const mark = isFailed ? context.glyphs.no : context.glyphs.pen
  const verb = verbOf(part)
  const left: Span[] = [
    { text: ui`${mark} ${verb} `, style: { tone: isFailed ? "error" : "accent" } },
    { text: target(part, files, context) },
    ...counts(files, context),
  ]
  const head = spread(left, writing(part) ?? ended(part, context), context)
  if (isFailed) return [head, ...failureRows(part, context)]
  const limit = context.isOpen ? openLimit : context.fold.edit
  const within = inside(context)
  let room = limit
  const rows = files.flatMap((file) => {
    const name =
      files.length > 1 ? [spread([{ text: shownPath(file.file, context), style: { bold: true } }], [], within)] : []
    const drawn = diffRows(file, { ...within, limit: room })
    room = Math.max(0, room - file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0))
    return [...name, ...drawn]
  })
  return [head, ...barred(rows, context)]
}

function patchOf(metadata: Readonly<Record<string, unknown>> | undefined): string {
  const diff = textOf(metadata, "diff")
  if (diff !== "") return diff
  const file = metadata?.["filediff"]
  return typeof file === "object" && file !== null ? textOf(file as Record<string, unknown>, "patch") : ""
}

function verbOf({ tool, state }: ToolPart): Safe {
  if (tool === "apply_patch" || tool === "patch") return ui`patch`
  if (tool !== "write") return ui`edit`
  return "metadata" in state && state.metadata?.["exists"] === false ? ui`create` : ui`write`
}

function target({ tool, state }: ToolPart, files: readonly FileDiff[], context: PartContext): Safe {
  const path = textOf(state.input, "filePath", "path")
  if (path !== "") return shownPath(path, context)
  if (files.length === 1) return shownPath(files[0]?.file ?? "", context)
  if (files.length > 1) return plural(files.length, ui`file`)
  const named = [...textOf(state.input, "patchText").matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)]
  return sanitizeLine(named.map((match) => match[1]).join(", ") || (tool === "" ? "?" : ""))
}

function counts(files: readonly FileDiff[], { glyphs }: PartContext): Span[] {
  if (files.length === 0) return []
  const { added, removed } = countChanges(files)
  return [
    { text: ui`  +${added}`, style: { tone: "ok" } },
    { text: ui` ${glyphs.minus}${removed}`, style: { tone: "error" } },
  ]
}

/** What a model writes is nothing yet: only how much it is. */
function writing({ state }: ToolPart): Span[] | undefined {
  if (state.status !== "pending" || state.raw === "") return undefined
  return [muted(ui`writes ${Math.ceil(state.raw.length / 1_000)} kB`)]
}

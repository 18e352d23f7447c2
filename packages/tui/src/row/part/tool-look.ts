import type { ToolPart } from "@cairn/schema/part"
import { sanitizeLine, sanitize, ui } from "../../terminal/sanitize.ts"
import type { Line, Span } from "../text/span.ts"
import { barred, inside, muted, numberOf, type PartContext, paragraphs, spread, textOf } from "./context.ts"
import { duration, plural, shownPath } from "./words.ts"

/** Lines of a failure that are shown of a folded part. */
const errorLines = 3
/** Lines of what was read or found that are shown of an opened part. */
const openLines = 40

/** One line for what looks at things: read, list, glob, grep, webfetch and tools that we do not know. */
export function lookRows(part: ToolPart, context: PartContext): Line[] {
  const { verb, target, detail } = described(part, context)
  const { state } = part
  const tone = state.status === "error" ? "error" : "muted"
  const mark = state.status === "error" ? context.glyphs.no : isSettled(part) ? context.glyphs.dot : context.glyphs.open
  const left: Span[] = [
    { text: ui`${mark} ${verb} `, style: { tone } },
    ...target,
    ...(detail === "" ? [] : [muted(ui` ${detail}`)]),
  ]
  const head = spread(left, ended(part, context), context)
  if (state.status === "error") return [head, ...failureRows(part, context)]
  if (!context.isOpen || state.status !== "completed") return [head]
  const lines = sanitize(state.output).split("\n")
  const shown = lines.slice(0, openLines).join("\n") as typeof verb
  const rows = paragraphs(shown, { tone: "muted" }, inside(context))
  const gone = lines.length - openLines
  const rest =
    gone > 0 ? paragraphs(ui`${context.glyphs.more} ${gone} more lines`, { tone: "muted" }, inside(context)) : []
  return [head, ...barred([...rows, ...rest], context)]
}

const isSettled = ({ state }: ToolPart) => state.status === "completed" || state.status === "error"

function described(part: ToolPart, context: PartContext) {
  const { input } = part.state
  const metadata = "metadata" in part.state ? part.state.metadata : undefined
  const file = textOf(input, "filePath", "path")
  const counted = numberOf(metadata, "count")
  switch (part.tool) {
    case "read":
      return { verb: ui`read`, target: [pathSpan(file, context)], detail: readDetail(input, metadata) }
    case "list":
      return {
        verb: ui`list`,
        target: [pathSpan(file || context.directory, context)],
        detail: counted === undefined ? ui`` : plural(counted, ui`entry`, ui`entries`),
      }
    case "glob":
      return {
        verb: ui`glob`,
        target: searched(input, context),
        detail: counted === undefined ? ui`` : plural(counted, ui`file`),
      }
    case "grep": {
      const matches = numberOf(metadata, "matches")
      return {
        verb: ui`grep`,
        target: searched(input, context),
        detail: matches === undefined ? ui`` : plural(matches, ui`match`, ui`matches`),
      }
    }
    case "webfetch":
      return {
        verb: ui`fetch`,
        target: [{ text: sanitizeLine(textOf(input, "url")), style: { tone: "link" } as const }],
        detail: ui``,
      }
    case "skill":
      return { verb: ui`skill`, target: [{ text: sanitizeLine(textOf(input, "name")) }], detail: ui`` }
    default:
      return { verb: sanitizeLine(part.tool), target: [{ text: argumentsText(input) }], detail: ui`` }
  }
}

const pathSpan = (file: string, context: PartContext): Span => ({ text: shownPath(file, context) })

function readDetail(input: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> | undefined) {
  const display = metadata?.["display"]
  const shown = typeof display === "object" && display !== null ? (display as Record<string, unknown>) : undefined
  const first = numberOf(shown, "offset") ?? numberOf(input, "offset")
  const count = numberOf(shown, "lines") ?? numberOf(input, "limit")
  const whole = first === 1 && count !== undefined && count === numberOf(shown, "totalLines")
  if (whole) return plural(count, ui`line`)
  if (first === undefined) return ui``
  return count === undefined ? ui`from line ${first}` : ui`${first}–${first + count - 1}`
}

function searched(input: Readonly<Record<string, unknown>>, context: PartContext): Span[] {
  const places = [
    textOf(input, "path") === "" ? undefined : shownPath(textOf(input, "path"), context),
    sanitizeLine(textOf(input, "include")),
  ]
  const where = places.flatMap((place) => (place === undefined || place === "" ? [] : [place]))
  const pattern: Span = { text: ui`"${sanitizeLine(textOf(input, "pattern"))}"` }
  if (where.length === 0) return [pattern]
  return [
    pattern,
    muted(ui` in `),
    ...where.flatMap((place, at) => (at === 0 ? [{ text: place }] : [muted(ui`, `), { text: place }])),
  ]
}

/** Arguments of a tool that we know nothing about. */
function argumentsText(input: Readonly<Record<string, unknown>>) {
  const pairs = Object.entries(input).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return sanitizeLine(pairs.join(" ").slice(0, 1_000))
}

/** How long it takes or took, where that is worth a word, and that it waits. */
export function ended(part: ToolPart, { now }: PartContext): Span[] {
  const { state } = part
  if (state.status === "pending") return [muted(ui`waits`)]
  if (state.status === "running")
    return now === undefined ? [muted(ui`runs`)] : [muted(duration(now - state.time.start))]
  const took = state.time.end - state.time.start
  return took < 1_000 ? [] : [muted(duration(took))]
}

const refused: Readonly<Record<string, ReturnType<typeof ui>>> = {
  denied: ui`denied`,
  rejected: ui`rejected`,
  interrupted: ui`interrupted`,
}

/** What went wrong, in red and in words. */
export function failureRows(part: ToolPart, context: PartContext): Line[] {
  if (part.state.status !== "error") return []
  const word = refused[part.state.kind ?? ""] ?? ui`failed`
  const lines = sanitize(part.state.error).trimEnd().split("\n")
  const shown = context.isOpen ? lines : lines.slice(0, errorLines)
  const text = ui`${word}: ${shown.join("\n") as typeof word}`
  const rows = paragraphs(text, { tone: "error" }, inside(context))
  const gone = lines.length - shown.length
  const rest =
    gone > 0
      ? paragraphs(ui`${context.glyphs.more} ${plural(gone, ui`more line`)}`, { tone: "muted" }, inside(context))
      : []
  return barred([...rows, ...rest], context, "error")
}

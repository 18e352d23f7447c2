import path from "node:path"
import type { ToolPart } from "@cairn/schema/part"
import type { Look, Style } from "../terminal/look.ts"
import { sanitise, sanitiseLine } from "../terminal/sanitise.ts"
import { truncate } from "../terminal/width.ts"
import { diffCounts, diffLines } from "./diff.ts"
import { plural } from "./format.ts"
import { todoLines, todosIn } from "./todo.ts"

/** How lines about tools are drawn. */
export interface ToolView {
  readonly style: Style
  readonly look: Look
  /** Paths below it are shown relative to it. */
  readonly directory: string
  /** Lines of a diff that are shown; 0 for none. */
  readonly diffLimit: number
}

/** Lines of a failed command's output that are shown. */
const tailLines = 10
const longestDetail = 200
/** Lines of a command that are shown. */
const commandLimit = 10
/** What of an error is shown: it says what to do, so it may wrap. */
const longestError = { lines: 3, columns: 400 }

/** What a settled call did: a headline, then its diff, the end of a failed command's output, or a task list. */
export function toolLines(part: ToolPart, view: ToolView): string[] {
  const head = [headline(part, view), ...(part.tool === "bash" ? indent(moreOfCommand(part, view)) : [])]
  return [...head, ...outcomeLines(part, view)]
}

function outcomeLines(part: ToolPart, view: ToolView): string[] {
  const { style } = view
  if (part.state.status === "error") return errorLines(part.state.error, part.state.kind, view)
  if (part.state.status !== "completed") return []
  const { metadata, output, input } = part.state
  if (part.tool === "bash") return commandLines(metadata, output, view)
  if (part.tool === "todowrite")
    return indent(todoLines(todosIn(metadata["todos"]) ?? todosIn(input["todos"]) ?? [], style))
  const diff = diffOf(metadata)
  return diff !== undefined && view.diffLimit > 0 ? indent(diffLines(diff, style, view.diffLimit)) : []
}

/** The lines of a command after the first, which stands in the headline. */
function moreOfCommand(part: ToolPart, view: ToolView): string[] {
  const [, ...more] = commandOf(part)
  const shown = more.slice(0, commandLimit - 1).map((line) => truncate(line, view.look.width - 2))
  const gone = more.length - shown.length
  return [...shown, ...(gone > 0 ? [view.style.dim(`… ${plural(gone, "more line", "more lines")}`)] : [])]
}

const commandHead = ([first = "", ...more]: readonly string[]): Description => ({
  subject: first,
  detail: more.length === 0 ? "" : plural(more.length + 1, "line"),
})

function commandOf(part: ToolPart): string[] {
  const lines = sanitise(text(part.state.input["command"])).trim().split("\n")
  return lines.map((line) => line.replaceAll("\t", "  ").trimEnd())
}

/** One line that names the call, as far as its arguments are known: `read src/a.ts (lines 1-40)`, `$ npm test`. */
export function headline(part: ToolPart, view: ToolView): string {
  const { style } = view
  const { subject, detail } = describe(part, view)
  const mark = part.tool === "bash" ? "$" : sanitiseLine(part.tool)
  const room = view.look.width - mark.length - 1
  const shown = truncate(subject, room)
  const tail = detail === "" ? "" : ` (${truncate(detail, longestDetail)})`
  const paint = part.state.status === "error" ? style.bad : style.mark
  return [paint(mark), shown].filter((text) => text !== "").join(" ") + style.dim(tail)
}

interface Description {
  readonly subject: string
  readonly detail: string
}

function describe(part: ToolPart, view: ToolView): Description {
  const { input } = part.state
  const metadata = part.state.status === "completed" ? part.state.metadata : {}
  const file = () => relative(text(input["filePath"]) || text(input["path"]), view.directory)
  switch (part.tool) {
    case "read":
      return { subject: file(), detail: lineRange(input) }
    case "edit":
    case "write":
      return { subject: file(), detail: changeCounts(metadata) }
    case "apply_patch":
      return { subject: patchedFiles(text(input["patchText"])), detail: changeCounts(metadata) }
    case "bash":
      return commandHead(commandOf(part))
    case "glob":
      return { subject: searched(input, view), detail: found(metadata["count"], "file") }
    case "grep":
      return { subject: searched(input, view), detail: found(metadata["matches"], "match", "matches") }
    case "list":
      return { subject: file(), detail: "" }
    case "task":
      return { subject: sanitiseLine(text(input["description"])), detail: sanitiseLine(text(input["subagent_type"])) }
    case "todowrite":
      return { subject: "", detail: "" }
    default:
      return { subject: pairs(input), detail: "" }
  }
}

function lineRange(input: Record<string, unknown>): string {
  const offset = typeof input["offset"] === "number" ? input["offset"] : undefined
  const limit = typeof input["limit"] === "number" ? input["limit"] : undefined
  if (offset === undefined && limit === undefined) return ""
  const first = Math.max(1, offset ?? 1)
  return limit === undefined ? `from line ${first}` : `lines ${first}-${first + limit - 1}`
}

function changeCounts(metadata: Record<string, unknown>): string {
  const diff = diffOf(metadata)
  if (diff === undefined) return ""
  const { added, removed } = diffCounts(diff)
  return `+${added} -${removed}`
}

function diffOf(metadata: Record<string, unknown>): string | undefined {
  if (typeof metadata["diff"] === "string" && metadata["diff"] !== "") return metadata["diff"]
  const filediff = metadata["filediff"]
  if (typeof filediff !== "object" || filediff === null || !("patch" in filediff)) return undefined
  return typeof filediff.patch === "string" && filediff.patch !== "" ? filediff.patch : undefined
}

function patchedFiles(patch: string): string {
  const names = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map((match) => match[1] ?? "")
  return sanitiseLine(names.join(", "))
}

function searched(input: Record<string, unknown>, view: ToolView): string {
  const pattern = JSON.stringify(sanitiseLine(text(input["pattern"])))
  const where = [
    text(input["path"]) && relative(text(input["path"]), view.directory),
    sanitiseLine(text(input["include"])),
  ]
  const places = where.filter((place) => place !== "")
  return places.length === 0 ? pattern : `${pattern} in ${places.join(", ")}`
}

function found(value: unknown, one: string, many?: string): string {
  return typeof value === "number" ? plural(value, one, many) : ""
}

function commandLines(metadata: Record<string, unknown>, output: string, view: ToolView): string[] {
  const exit = metadata["exit"]
  if (exit === 0) return []
  const lastLines = typeof metadata["output"] === "string" ? metadata["output"] : output
  const status = typeof exit === "number" ? `exit ${exit}` : "no exit code"
  return indent([...tail(lastLines, view), view.style.bad(status)])
}

/** The last lines of an output. */
function tail(output: string, view: ToolView): string[] {
  // Colours of the command's own are of no use here; whatever else is an escape becomes visible.
  const lines = sanitise(Bun.stripANSI(output)).trimEnd().split("\n")
  const shown = lines.slice(-tailLines).map((line) => view.style.dim(truncate(line, view.look.width - 4)))
  const gone = lines.length - shown.length
  return [...(gone > 0 ? [view.style.dim(`… ${plural(gone, "line")} before`)] : []), ...shown].filter(
    (line) => line !== "",
  )
}

function errorLines(error: string, kind: string | undefined, view: ToolView): string[] {
  const word = kind === "denied" || kind === "rejected" ? `${kind}: ` : "failed: "
  const lines = (word + sanitise(error).trimEnd()).split("\n").slice(0, longestError.lines)
  return indent(lines.map((line) => view.style.bad(truncate(line, longestError.columns))))
}

/** Arguments of a tool that we know nothing about. */
function pairs(input: Record<string, unknown>): string {
  const shown = Object.entries(input).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  return truncate(sanitiseLine(shown.join(" ")), longestDetail)
}

/** The path as it is shown: relative to the directory when it lies below it. */
export function relative(file: string, directory: string): string {
  const short = path.isAbsolute(file) ? path.relative(directory, file) : file
  const outside = short === ".." || short.startsWith(`..${path.sep}`)
  return sanitiseLine(short === "" ? "." : outside ? file : short)
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}

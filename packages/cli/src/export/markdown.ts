import type { MessageWithParts } from "@cairn/schema/message"
import type { Part, ToolPart } from "@cairn/schema/part"
import { money, tokens } from "../render/format.ts"
import { partLines } from "../render/part.ts"
import { headline, type ToolView } from "../render/tool.ts"
import { errorText, failure, joined, moment, speaker, takeOverText } from "../render/transcript.ts"
import { styleOf } from "../terminal/look.ts"
import { sanitise, sanitiseLine } from "../terminal/sanitise.ts"
import type { Exported } from "./sanitize-session.ts"

/** The session as a Markdown document: who said what, and each call with its result folded away. */
export function markdown({ info, messages }: Exported): string {
  const view = { style: styleOf(false), look: plain, directory: info.directory, diffLimit: 0 }
  const spent = [info.tokens && tokens(info.tokens), money(info.cost ?? 0)].filter(Boolean).join(", ")
  const head = [
    `# ${sanitiseLine(info.title)}`,
    [
      `- session: ${info.id}`,
      `- directory: ${sanitiseLine(info.directory)}`,
      `- created: ${moment(info.time.created)} UTC`,
      ...(spent === "" ? [] : [`- used: ${spent}`]),
    ].join("\n"),
  ]
  const blocks = joined(messages).flatMap((message) => messageBlocks(message, view))
  return `${[...head, ...blocks].join("\n\n")}\n`
}

const plain = { color: false, live: false, width: Infinity }

function messageBlocks(message: MessageWithParts, view: ToolView): string[] {
  const error = failure(message)
  const blocks = [
    ...message.parts.flatMap((part) => partBlocks(part, view)),
    ...(error === undefined ? [] : [`**Error:** ${sanitiseLine(errorText(error))}`]),
  ]
  const fallback = message.info.role === "assistant" ? message.info.fallback : undefined
  const instead = fallback ? [`*${sanitiseLine(takeOverText(fallback)).replaceAll("*", "\\*")}*`] : []
  return blocks.length === 0 ? [] : [`## ${speaker(message)}`, ...instead, ...blocks]
}

function partBlocks(part: Part, view: ToolView): string[] {
  if (part.type === "tool") return [toolBlock(part, view)]
  const lines = partLines(part, view)
  if (lines.length === 0) return []
  if (part.type === "text") return [lines.join("\n")]
  if (part.type === "reasoning") return [lines.map((line) => `> ${line}`.trimEnd()).join("\n")]
  return [lines.map((line) => `*${line.replaceAll("*", "\\*")}*`).join("\n")]
}

function toolBlock(part: ToolPart, view: ToolView): string {
  const { state } = part
  // A command may be many lines; it stands whole below.
  const line = headline(part, view)
  const title = `**${line.replaceAll("*", "\\*").replaceAll("`", "\\`")}**`
  if (state.status === "error") return `${title}\n\n${fenced(state.error, "text")}`
  if (state.status !== "completed") return `${title} (not finished)`
  const command = part.tool === "bash" ? state.input["command"] : undefined
  const diff = state.metadata["diff"]
  const inside = [
    ...(typeof command === "string" && command.includes("\n") ? [fenced(command, "sh")] : []),
    ...(typeof diff === "string" && diff !== "" ? [fenced(diff, "diff")] : [fenced(state.output, "text")]),
  ]
  return `${title}\n\n<details><summary>result</summary>\n\n${inside.join("\n\n")}\n\n</details>`
}

/** The text between fences that are longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${sanitise(text).replace(/\n+$/, "")}\n${fence}`
}

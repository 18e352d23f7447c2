import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { UserMessage } from "@cairn/schema/message"
import type { FilePart, Part } from "@cairn/schema/part"
import { reminder } from "../prompt/reminder.ts"
import { mediaType } from "../tool/read/media.ts"
import { pictureProblem } from "./picture-problem.ts"
import type { Target, UserContent } from "./target.ts"

/** A user message as the model gets it; none when nothing of it is left. */
export function convertUser(info: UserMessage, parts: readonly Part[], target: Target): LanguageModelV4Message[] {
  const content = parts.flatMap((part) => convertPart(part, target))
  const steered = info.metadata?.["delivery"] === "steer" ? asSteer(content) : content
  return steered.length === 0 ? [] : [{ role: "user", content: steered }]
}

function convertPart(part: Part, target: Target): UserContent[] {
  if (part.type === "text") return part.ignored || part.text.trim() === "" ? [] : [{ type: "text", text: part.text }]
  if (part.type === "file") return [convertFile(part, target)]
  if (part.type === "agent") return [{ type: "text", text: `The user mentions the agent "${part.name}".` }]
  return []
}

/** A file as bytes, as text where it is text, or as a note where the model cannot take it. */
export function convertFile(part: Pick<FilePart, "mime" | "url" | "filename">, target: Target): UserContent {
  const name = part.filename ?? "attachment"
  const data = dataOf(part.url)
  if (data === undefined)
    return { type: "text", text: `[The file ${name} could not be attached: ${part.url.slice(0, 200)}]` }
  if (isText(part.mime)) return { type: "text", text: `<file name=${JSON.stringify(name)}>\n${decode(data)}\n</file>` }
  if (data.length === 0) return { type: "text", text: `[The file ${name} is empty]` }
  // A file that is not what it is called would be refused, now and in every later request.
  const found = mediaType(Buffer.from(data.slice(0, 64), "base64"))
  const why = leftOut(part.mime, found, target) ?? pictureProblem(found ?? "", data)
  if (found === undefined || why !== undefined)
    return { type: "text", text: `[The file ${name} (${part.mime}) was left out: ${why}]` }
  return { type: "file", mediaType: found, filename: name, data: { type: "data", data } }
}

function leftOut(declared: string, found: string | undefined, target: Target): string | undefined {
  if (!target.accepts(found ?? declared)) return "this model does not take such files"
  return found === undefined ? "it is no picture or document that can be read" : target.withoutFiles
}

function asSteer(content: UserContent[]): UserContent[] {
  const text = content.filter((part) => part.type === "text").map((part) => part.text)
  const files = content.filter((part) => part.type === "file")
  if (text.length === 0) return files
  return [{ type: "text", text: reminder("steer", text.join("\n")) }, ...files]
}

/** Base64 payload of a `data:` URL. */
function dataOf(url: string): string | undefined {
  const comma = url.indexOf(",")
  if (!url.startsWith("data:") || comma < 0) return undefined
  const payload = url.slice(comma + 1)
  return url.slice(0, comma).endsWith(";base64") ? payload : Buffer.from(unescaped(payload)).toString("base64")
}

/** A stored message must convert whatever is in it: text that is no percent-encoding is taken as it stands. */
function unescaped(payload: string): string {
  try {
    return decodeURIComponent(payload)
  } catch {
    return payload
  }
}

const decode = (base64: string) => Buffer.from(base64, "base64").toString("utf8")
const isText = (mime: string) =>
  mime.startsWith("text/") || /^application\/(json|xml|javascript|typescript|x-sh|toml|yaml)\b/.test(mime)

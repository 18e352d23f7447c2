import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider"
import type { AssistantMessage } from "@cairn/schema/message"
import type { Part, ToolPart } from "@cairn/schema/part"
import type { CallIDs } from "./call-ids.ts"
import { convertFile } from "./convert-user.ts"
import type { Target } from "./target.ts"
import { interruptedText } from "./tool-run.ts"

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]

const cleared = "[Old tool result content cleared]"

/**
 * An assistant message and the results of its calls. Repairs what a provider would refuse: calls without a result get
 * one, names and inputs that no protocol takes are replaced, empty content is dropped.
 */
export function convertAssistant(
  info: AssistantMessage,
  parts: readonly Part[],
  target: Target,
  ids: CallIDs,
): LanguageModelV4Message[] {
  const own = info.providerID === target.providerID && info.modelID === target.modelID
  const results: LanguageModelV4ToolResultPart[] = []
  const content = parts.flatMap((part) => {
    if (part.type !== "tool") return convertPart(part, own)
    if (isProviderExecuted(part) && !own) return []
    const id = ids(part, own && (target.callIDs?.test(part.callID) ?? true))
    if (!isProviderExecuted(part)) results.push(result(part, id, target))
    return convertCall(part, id, own)
  })
  // Reasoning alone is no answer: nothing follows from it, and some providers refuse it.
  if (!content.some((part) => part.type !== "reasoning")) return []
  const messages: LanguageModelV4Message[] = [{ role: "assistant", content }]
  if (results.length > 0) messages.push({ role: "tool", content: results })
  return messages
}

function convertPart(part: Part, own: boolean): AssistantContent {
  if (part.type === "text") {
    if (part.ignored || part.text.trim() === "") return []
    return [{ type: "text", text: part.text, ...options(part.metadata, own) }]
  }
  if (part.type === "reasoning") {
    if (!own || part.metadata?.["unfinished"] === true) return []
    return [{ type: "reasoning", text: part.text, ...options(part.metadata, own) }]
  }
  return []
}

function convertCall(part: ToolPart, id: string, own: boolean): AssistantContent {
  const executed = isProviderExecuted(part)
  const call = {
    type: "tool-call" as const,
    toolCallId: id,
    toolName: wireName(part.tool),
    input: part.state.input,
    ...(executed && { providerExecuted: true }),
    ...options(part.metadata, own),
  }
  return executed ? [call, { ...base(part, id), output: output(part) }] : [call]
}

const base = (part: ToolPart, id: string) =>
  ({ type: "tool-result", toolCallId: id, toolName: wireName(part.tool) }) as const

function result(part: ToolPart, id: string, target: Target): LanguageModelV4ToolResultPart {
  const { state } = part
  if (state.status !== "completed" || state.time.compacted !== undefined || !state.attachments?.length)
    return { ...base(part, id), output: output(part) }
  const attached = state.attachments.map((file) => convertFile(file, target))
  const files = attached.filter((piece) => piece.type === "file")
  // One text, whatever it consists of: some packages make an answer of its own of every piece.
  const notes = attached.flatMap((piece) => (piece.type === "text" ? [piece.text] : []))
  const text = [state.output, ...notes].join("\n")
  if (files.length === 0) return { ...base(part, id), output: { type: "text", value: text } }
  return { ...base(part, id), output: { type: "content", value: [{ type: "text", text }, ...files] } }
}

function output({ state }: ToolPart): LanguageModelV4ToolResultOutput {
  if (state.status === "completed")
    return { type: "text", value: state.time.compacted === undefined ? state.output : cleared }
  return { type: "error-text", value: state.status === "error" ? state.error : interruptedText }
}

/** Metadata that the provider gave with a part (its values are objects) goes back to that provider, and to nobody else. */
function options(
  metadata: Record<string, unknown> | undefined,
  own: boolean,
): { providerOptions?: SharedV4ProviderOptions } {
  const given = Object.entries(metadata ?? {}).filter(([, value]) => typeof value === "object" && value !== null)
  return own && given.length > 0 ? { providerOptions: Object.fromEntries(given) as SharedV4ProviderOptions } : {}
}

const isProviderExecuted = (part: Part) => part.type === "tool" && part.metadata?.["providerExecuted"] === true

/** A name as every protocol takes it. A model may make one up that its own provider would refuse to read again. */
const wireName = (name: string) => (/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? name : "invalid")

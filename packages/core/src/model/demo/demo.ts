import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import type { ResolvedModel } from "../define.ts"
import { observations, request } from "./observe.ts"
import { type Move, nextMove } from "./tour.ts"

export const demoProviderID = "demo"
const tourID = "tour"
const deltaLength = 24

/** The scripted model `demo/tour`: runs in this process, needs no key, opens no connection. */
export function demoModel(modelID: string): ResolvedModel | undefined {
  if (modelID !== tourID) return undefined
  return {
    ref: { providerID: demoProviderID, modelID },
    name: "Scripted tour (no language model)",
    providerName: "Demo",
    npm: "demo",
    apiID: tourID,
    optionsKey: "demo",
    limits: { context: 128_000, output: 8_000, known: true },
    cost: { input: 0, output: 0, cache: { read: 0, write: 0 }, tiers: [] },
    capabilities: {
      attachment: false,
      image: false,
      pdf: false,
      reasoning: false,
      toolcall: true,
      temperature: false,
      interleaved: false,
    },
    quirks: [],
    options: {},
    variants: {},
    timeouts: { connect: false, firstByte: false, silence: false, total: false },
    baseURL: undefined,
    keySource: "none",
    open: () => Promise.resolve(scripted),
  }
}

const scripted: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: demoProviderID,
  modelId: tourID,
  supportedUrls: {},
  async doGenerate(options) {
    const content = contentOf(moveFor(options))
    return { content, finishReason: finishOf(content), usage: usageOf(options, content), warnings: [] }
  },
  async doStream(options) {
    options.abortSignal?.throwIfAborted()
    const content = contentOf(moveFor(options))
    return { stream: streamOf(parts(options, content)) }
  },
}

/** The tour's next move; calls without tools are side calls, for a title or a summary. */
function moveFor({ prompt, tools, toolChoice }: LanguageModelV4CallOptions): Move {
  const names = (tools ?? []).map((tool) => tool.name)
  const asked = request(prompt)
  if (names.length > 0 && toolChoice?.type !== "none") return nextMove(asked, observations(prompt), names)
  const system = prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n")
  if (/\btitle\b/i.test(system)) return { text: titleOf(asked), calls: [] }
  const calls = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []))
  const count = calls.filter((part) => part.type === "tool-call").length
  const messages = prompt.filter((message) => message.role !== "system").length
  const text = `Summary by the scripted model demo/tour: ${messages} messages and ${count} tool calls so far.`
  return { text, calls: [] }
}

function titleOf(asked: string): string {
  const line =
    asked
      .replace(/<system-reminder[\s\S]*?<\/system-reminder>/g, "")
      .trim()
      .split("\n")[0] ?? ""
  return line.length > 50 ? `${line.slice(0, 49)}…` : line || "Tour"
}

function contentOf(move: Move): LanguageModelV4Content[] {
  return [
    { type: "text", text: move.text },
    ...move.calls.map(({ tool, input }) => ({
      type: "tool-call" as const,
      toolCallId: `tour_${crypto.randomUUID().slice(0, 12)}`,
      toolName: tool,
      input: JSON.stringify(input),
    })),
  ]
}

function streamOf(source: Iterator<LanguageModelV4StreamPart>): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    pull(controller) {
      const next = source.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}

function* parts(
  options: LanguageModelV4CallOptions,
  content: readonly LanguageModelV4Content[],
): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] }
  for (const item of content) {
    if (item.type === "text") {
      yield { type: "text-start", id: "text" }
      for (const delta of pieces(item.text)) yield { type: "text-delta", id: "text", delta }
      yield { type: "text-end", id: "text" }
    }
    if (item.type === "tool-call") {
      yield { type: "tool-input-start", id: item.toolCallId, toolName: item.toolName }
      for (const delta of pieces(item.input)) yield { type: "tool-input-delta", id: item.toolCallId, delta }
      yield { type: "tool-input-end", id: item.toolCallId }
      yield item
    }
  }
  yield { type: "finish", finishReason: finishOf(content), usage: usageOf(options, content) }
}

function pieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${deltaLength}}`, "gu")) ?? []
}

function finishOf(content: readonly LanguageModelV4Content[]): LanguageModelV4FinishReason {
  const unified = content.some((item) => item.type === "tool-call") ? "tool-calls" : "stop"
  return { unified, raw: unified }
}

/** A script has no tokens: bytes ÷ 4 of what came and what goes. */
function usageOf(
  { prompt, tools }: LanguageModelV4CallOptions,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4Usage {
  const count = (value: unknown) => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 4)
  const input = count({ prompt, tools })
  const output = count(content)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}

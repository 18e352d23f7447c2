import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import { abortable, TaskGroup, until } from "@cairn/kernel/task"
import type { Net } from "../net/net.ts"
import { markCache } from "./cache-marks.ts"
import { CallFailure } from "./call-failure.ts"
import type { ResolvedModel } from "./define.ts"
import { createStreamEnd } from "./stream-end.ts"
import { createKnownOnly } from "./strange-events.ts"
import { thinkingRoom } from "./thinking.ts"
import { filesAfterResults } from "./tool-files.ts"
import { watchedFetch } from "./watchdog.ts"

export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON schema of the arguments. */
  readonly inputSchema: JSONSchema7
}

/** One call, in canonical form: cache markers are added here and belong to no prefix. */
export interface ModelRequest {
  /** Blocks of the system prompt; the first is the static one. */
  readonly system: readonly string[]
  readonly messages: readonly LanguageModelV4Message[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice?: LanguageModelV4ToolChoice
  readonly maxOutputTokens: number
  readonly temperature?: number
  readonly topP?: number
  /** Names the conversation, so that the service finds what it cached of it. */
  readonly cacheKey?: string
  /** By options key; wins over the model's own options. */
  readonly providerOptions?: SharedV4ProviderOptions
}

export interface CallContext {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly net: Net
  readonly log: Log
}

/**
 * Calls the model and yields what it streams. Every failure (refused, timed out, cut) comes as a part of type `error`,
 * to be given to `classify`; when the stream never gets to its `finish`, such a part is the last one. Interruption
 * throws the signal's reason at once, also when the provider ignores it, and aborts the request.
 */
export async function* callModel(
  model: ResolvedModel,
  request: ModelRequest,
  { signal, clock, net, log }: CallContext,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  signal.throwIfAborted()
  await using group = new TaskGroup(signal)
  const { timeouts } = model
  const stopTotal =
    timeouts.total === false
      ? () => {}
      : clock.timer(timeouts.total, () =>
          group.cancel(
            new CallFailure(
              "timeout_total",
              `the answer took longer than ${Math.round(Number(timeouts.total) / 1000)} s`,
            ),
          ),
        )
  try {
    const language = await abortable(model.open(watchFor(model, { clock, net, group, log })), group.signal)
    const { stream } = await abortable(
      (async () => language.doStream(callOptions(model, request, group.signal)))(),
      group.signal,
    )
    let complete = false
    const known = createKnownOnly((error) =>
      log.warn("an event of an answer is not understood and was passed over", { model: model.apiID, error }),
    )
    const came = until(stream, group.signal)
    const plain = model.quirks.length === 0
    for await (const each of plain ? came : await meant(model, request, knownOf(came, known))) {
      // Here and not in a stream of its own: each costs every delta a wait.
      const part = plain ? known(each) : each
      if (!part) continue
      complete ||= part.type === "finish" || part.type === "error"
      if (part.type === "stream-start" && part.warnings.length > 0)
        log.warn("model warnings", { model: model.apiID, warnings: part.warnings })
      yield part
    }
    if (!complete) throw new CallFailure("stream_cut", "the answer ended before it was complete")
  } catch (error) {
    signal.throwIfAborted()
    yield { type: "error", error: group.signal.aborted ? group.signal.reason : error }
  } finally {
    stopTotal()
  }
}

type Parts = AsyncIterable<LanguageModelV4StreamPart>

async function* knownOf(stream: Parts, known: ReturnType<typeof createKnownOnly>) {
  for await (const each of stream) {
    const part = known(each)
    if (part) yield part
  }
}

/** The stream without what is peculiar to weak models; others never load the code for it. */
async function meant(
  { quirks }: ResolvedModel,
  { tools, toolChoice, messages }: ModelRequest,
  stream: Parts,
): Promise<Parts> {
  const { applyQuirks } = await import("./weak/apply-quirks.ts")
  return applyQuirks(quirks, stream, toolChoice?.type === "none" ? [] : tools, messages)
}

type Watch = Pick<CallContext, "clock" | "net" | "log"> & { readonly group: TaskGroup }

function watchFor(model: ResolvedModel, { clock, net, group, log }: Watch) {
  if (model.baseURL === undefined) return undefined
  const fetch = net.client({ origin: new URL(model.baseURL).origin })
  const streamEnd = () =>
    createStreamEnd(model.optionsKey, () =>
      log.warn("what came behind the end of an answer was ignored", { model: model.apiID }),
    )
  return watchedFetch(fetch, { clock, timeouts: model.timeouts, group, probe: net.probe, streamEnd })
}

function callOptions(
  model: ResolvedModel,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { capabilities, optionsKey, cacheKeyOption } = model
  const own = request.providerOptions?.[optionsKey]
  const cached = cacheKeyOption && request.cacheKey ? { [cacheKeyOption]: request.cacheKey } : {}
  const merged = { ...cached, ...model.options, ...own } as SharedV4ProviderOptions[string]
  const room = thinkingRoom(optionsKey, merged, request.maxOutputTokens)
  const providerOptions = { ...request.providerOptions, [optionsKey]: room.options }
  const tools = request.tools.map((tool): LanguageModelV4FunctionTool => ({ type: "function", ...tool }))
  const spoken = capabilities.interleaved ? request.messages : withoutReasoning(request.messages)
  const messages = optionsKey === "compat" ? filesAfterResults(spoken) : spoken
  const system = request.system
    .filter((text) => text !== "")
    .map((content): LanguageModelV4Message => ({ role: "system", content }))
  const marked = optionsKey === "anthropic" ? markCache({ system, messages, tools }) : { system, messages, tools }
  return {
    prompt: [...marked.system, ...marked.messages],
    ...(tools.length > 0 ? { tools: [...marked.tools] } : {}),
    ...(tools.length > 0 && request.toolChoice ? { toolChoice: request.toolChoice } : {}),
    maxOutputTokens: room.maxOutputTokens,
    ...(request.temperature !== undefined && capabilities.temperature ? { temperature: request.temperature } : {}),
    ...(request.topP === undefined ? {} : { topP: request.topP }),
    providerOptions,
    abortSignal,
  }
}

/** Servers that did not ask for their reasoning may refuse a message that has it. */
function withoutReasoning(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return messages.flatMap((message) => {
    if (message.role !== "assistant" || !message.content.some((part) => part.type === "reasoning")) return [message]
    const content = message.content.filter((part) => part.type !== "reasoning")
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

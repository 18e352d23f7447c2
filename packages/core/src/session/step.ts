import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Log } from "@cairn/kernel/log"
import { TaskGroup, until } from "@cairn/kernel/task"
import type { AssistantMessage } from "@cairn/schema/message"
import type { ReasoningPart, TextPart, ToolPart } from "@cairn/schema/part"
import { createDeltaFlow, type DeltaFlow } from "./delta-flow.ts"
import type { Run } from "./run.ts"
import type { CallRunner, SettledCall } from "./tool-run.ts"

type StreamFinish = Extract<LanguageModelV4StreamPart, { type: "finish" }>

/** What a step gave, once its stream has ended and its calls have settled. */
export interface StepResult {
  /** Absent when the stream broke before it said how it ended. */
  readonly finish?: StreamFinish
  /** What the stream threw or reported. */
  readonly failure?: { readonly error: unknown }
  readonly calls: readonly SettledCall[]
  /** Some text, reasoning or call came. */
  readonly answered: boolean
  /** Some text came. */
  readonly text: boolean
}

interface StepDeps {
  readonly run: Run
  readonly log: Log
  readonly message: AssistantMessage
  readonly calls: CallRunner
  /** The name of the tool that is meant by a name the model wrote; the same name when there is none. */
  nameOf(name: string): string
}

/**
 * Takes one model call's stream apart into stored parts, and starts each tool as soon as its call is complete. Returns
 * when the stream has ended, broken or been interrupted, and every call has settled. What the stream left open
 * stays open: the caller closes it.
 */
export async function takeStep(deps: StepDeps, stream: AsyncIterable<LanguageModelV4StreamPart>): Promise<StepResult> {
  const flow = createDeltaFlow(deps.run)
  const taker = createTaker(deps, flow)
  await using tools = new TaskGroup()
  let failure: StepResult["failure"]
  try {
    for await (const part of until(stream, deps.run.signal)) {
      if (part.type === "error") throw part.error
      taker.take(part, tools)
    }
  } catch (error) {
    failure = { error: deps.run.signal.aborted ? new Interrupted() : error }
  }
  try {
    if (failure) flow.flush()
    await tools.join()
  } finally {
    flow.stop()
  }
  return { ...taker.result(), failure: failure ?? (taker.result().finish ? undefined : { error: new StreamCut() }) }
}

/** The stream ended without saying how: the connection was cut. */
export class StreamCut extends Error {
  override readonly name = "StreamCut"
  constructor() {
    super("the provider's answer broke off before its end")
  }
}

function createTaker(deps: StepDeps, flow: DeltaFlow) {
  const { run, message, log } = deps
  const texts = new Map<string, TextPart | ReasoningPart>()
  const inputs = new Map<string, ToolPart>()
  const callIDs = new Set<string>()
  const calls: SettledCall[] = []
  let finish: StreamFinish | undefined
  let text = false
  let answered = false

  const put = (part: TextPart | ReasoningPart | ToolPart) =>
    // A copy: the text of an open part goes on growing here.
    run.write({
      type: "message.part.updated",
      properties: { sessionID: run.sessionID, part: { ...part }, time: run.clock.now() },
    })
  const base = () => ({ id: run.partID(), sessionID: run.sessionID, messageID: message.id })

  const open = (id: string, type: "text" | "reasoning", metadata?: SharedV4ProviderMetadata) => {
    const key = `${type}:${id}`
    const known = texts.get(key)
    if (known) return known
    const part = { ...base(), type, text: "", time: { start: run.clock.now() }, ...(metadata && { metadata }) }
    texts.set(key, part)
    put(part)
    answered = true
    return part
  }
  const grow = (id: string, type: "text" | "reasoning", delta: string, metadata?: SharedV4ProviderMetadata) => {
    if (delta === "" && !metadata) return
    const part = open(id, type, metadata)
    part.text += delta
    if (metadata) part.metadata = { ...part.metadata, ...metadata }
    if (type === "text" && delta.trim() !== "") text = true
    if (delta !== "") flow.add(message.id, part.id, delta)
  }
  const close = (id: string, type: "text" | "reasoning", metadata?: SharedV4ProviderMetadata) => {
    const part = texts.get(`${type}:${id}`) ?? (metadata && open(id, type, metadata))
    if (!part) return
    texts.delete(`${type}:${id}`)
    flow.settle(part.id)
    put({
      ...part,
      ...((metadata ?? part.metadata) && { metadata: { ...part.metadata, ...metadata } }),
      time: { start: part.time?.start ?? run.clock.now(), end: run.clock.now() },
    } as TextPart | ReasoningPart)
  }
  const openCall = (id: string, tool: string, executed?: boolean, metadata?: SharedV4ProviderMetadata): ToolPart => {
    answered = true
    const marks = { ...metadata, ...(executed && { providerExecuted: true }) }
    const part: ToolPart = {
      ...base(),
      type: "tool",
      callID: unused(callIDs, id),
      tool: executed ? tool : deps.nameOf(tool),
      state: { status: "pending", input: {}, raw: "" },
      ...(Object.keys(marks).length > 0 && { metadata: marks }),
    }
    inputs.set(id, part)
    put(part)
    return part
  }
  const call = (part: LanguageModelV4ToolCall, tools: TaskGroup) => {
    const known = inputs.get(part.toolCallId) ?? openCall(part.toolCallId, part.toolName, part.providerExecuted, part.providerMetadata)
    const tool = { ...known, ...(part.providerMetadata && { metadata: { ...known.metadata, ...part.providerMetadata } }) }
    if (part.providerExecuted) {
      const running = { ...tool, state: { status: "running" as const, input: objectOf(part.input), time: { start: run.clock.now() } } }
      inputs.set(part.toolCallId, running)
      put(running)
      return
    }
    inputs.delete(part.toolCallId)
    void tools.run(async () => calls.push(await deps.calls.start(tool, part.input)))
  }
  const providerResult = (id: string, result: unknown, failed: boolean) => {
    const known = inputs.get(id)
    if (!known) return
    inputs.delete(id)
    const output = typeof result === "string" ? result : JSON.stringify(result ?? null)
    const time = { start: known.state.status === "running" ? known.state.time.start : run.clock.now(), end: run.clock.now() }
    const { input } = known.state
    put({
      ...known,
      state: failed
        ? { status: "error", input, error: output, time }
        : { status: "completed", input, output, title: known.tool, metadata: {}, time },
    })
  }

  const take = (part: LanguageModelV4StreamPart, tools: TaskGroup): void => {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        if (part.providerMetadata) open(part.id, part.type === "text-start" ? "text" : "reasoning", part.providerMetadata)
        return
      case "text-delta":
        return grow(part.id, "text", part.delta, part.providerMetadata)
      case "reasoning-delta":
        return grow(part.id, "reasoning", part.delta, part.providerMetadata)
      case "text-end":
        return close(part.id, "text", part.providerMetadata)
      case "reasoning-end":
        return close(part.id, "reasoning", part.providerMetadata)
      case "tool-input-start":
        return void openCall(part.id, part.toolName, part.providerExecuted, part.providerMetadata)
      case "tool-call":
        return call(part, tools)
      case "tool-result":
        return providerResult(part.toolCallId, part.result, part.isError === true)
      case "finish":
        for (const key of [...texts.keys()]) close(key.slice(key.indexOf(":") + 1), key.startsWith("text") ? "text" : "reasoning")
        finish = part
        return
      case "stream-start":
        if (part.warnings.length > 0) log.warn("the provider package warns", { warnings: part.warnings })
        return
      case "tool-approval-request":
        return log.warn("a provider-side approval was asked and is not given", { toolCallId: part.toolCallId })
      default:
        return // input deltas, sources, files, pings and the like: nothing that a later request needs
    }
  }
  return { take, result: () => ({ finish, calls, answered, text }) }
}

/** Some servers give every call the same id; results are matched by id, so it must be unique in its message. */
function unused(taken: Set<string>, id: string): string {
  let free = id
  for (let n = 2; taken.has(free) || free === ""; n++) free = `${id || "call"}-${n}`
  taken.add(free)
  return free
}

function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : { value }
  } catch {
    return { raw: json }
  }
}

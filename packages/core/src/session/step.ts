import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { Interrupted } from "@cairn/kernel/interrupted"
import type { Log } from "@cairn/kernel/log"
import { TaskGroup, until } from "@cairn/kernel/task"
import { type CallTaker, createCallTaker } from "./call-taker.ts"
import { createDeltaFlow } from "./delta-flow.ts"
import type { Run } from "./run.ts"
import { createTextTaker, type TextTaker } from "./text-taker.ts"
import type { CallRunner, SettledCall } from "./tool-run.ts"

type StreamFinish = Extract<LanguageModelV4StreamPart, { type: "finish" }>

/** What a step gave, once its stream has ended and its calls have settled. */
export type StepResult = {
  /** In the order in which they settled. */
  readonly calls: readonly SettledCall[]
  /** Some text, reasoning or call came. */
  readonly answered: boolean
} & (
  | { readonly finish: StreamFinish; readonly failure?: undefined }
  | { readonly failure: { readonly error: unknown } }
)

interface StepDeps {
  readonly run: Run
  readonly log: Log
  readonly messageID: string
  readonly runner: CallRunner
  /** The ids of all calls of the session; new ones join them. */
  readonly callIDs: Set<string>
  nameOf(name: string): string
}

/**
 * Takes one model call's stream apart into stored parts, and starts each tool as soon as its call is complete. Returns
 * when the stream has ended, broken or been interrupted, and every call has settled. What the stream left open
 * stays open, with its text durable: the caller closes it.
 */
export async function takeStep(deps: StepDeps, stream: AsyncIterable<LanguageModelV4StreamPart>): Promise<StepResult> {
  const { run, messageID } = deps
  const flow = createDeltaFlow(run)
  const texts = createTextTaker(run, messageID, flow)
  const calls = createCallTaker(deps)
  await using tools = new TaskGroup()
  let finish: StreamFinish | undefined
  let failure: { error: unknown } | undefined
  try {
    for await (const part of until(stream, run.signal)) {
      if (part.type === "error") throw part.error
      if (part.type === "finish") finish = part
      takePart(part, { texts, calls, tools, log: deps.log })
    }
  } catch (error) {
    failure = { error: run.signal.aborted ? new Interrupted() : error }
  }
  try {
    if (failure) flow.flush()
    await tools.join()
  } finally {
    flow.stop()
  }
  const given = { calls: calls.settled, answered: texts.any || calls.any }
  if (failure) return { ...given, failure }
  if (!finish) throw new Error("the model's stream ended without a finish or an error")
  return { ...given, finish }
}

interface Takers {
  readonly texts: TextTaker
  readonly calls: CallTaker
  readonly tools: TaskGroup
  readonly log: Log
}

function takePart(part: LanguageModelV4StreamPart, { texts, calls, tools, log }: Takers): void {
  switch (part.type) {
    case "text-start":
      return texts.start("text", part.id, part.providerMetadata)
    case "text-delta":
      return texts.grow("text", part.id, part.delta, part.providerMetadata)
    case "text-end":
      return texts.close("text", part.id, part.providerMetadata)
    case "reasoning-start":
      return texts.start("reasoning", part.id, part.providerMetadata)
    case "reasoning-delta":
      return texts.grow("reasoning", part.id, part.delta, part.providerMetadata)
    case "reasoning-end":
      return texts.close("reasoning", part.id, part.providerMetadata)
    case "tool-input-start":
      return calls.begin({
        id: part.id,
        tool: part.toolName,
        ...(part.providerExecuted && { executed: true }),
        ...(part.providerMetadata && { metadata: part.providerMetadata }),
      })
    case "tool-call":
      return calls.complete(part, tools)
    case "tool-result":
      return calls.result(part)
    case "finish":
      return texts.closeAll()
    case "stream-start":
      if (part.warnings.length > 0) log.warn("the provider package warns", { warnings: part.warnings })
      return
    case "tool-approval-request":
      return log.warn("a provider asks to approve a call that it runs itself; it is not given", {
        callID: part.toolCallId,
      })
    default:
      return // input deltas, sources, files, pings and the like: nothing that a later request needs
  }
}

import type { LanguageModelV4ToolCall, LanguageModelV4ToolResult, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type { TaskGroup } from "@cairn/kernel/task"
import type { ToolPart } from "@cairn/schema/part"
import type { Run } from "./run.ts"
import type { CallRunner, SettledCall } from "./tool-run.ts"

interface Begin {
  readonly id: string
  readonly tool: string
  /** The provider runs it itself: we only write down what it says. */
  readonly executed?: boolean
  readonly metadata?: SharedV4ProviderMetadata
}

/** Calls of one stream as stored parts; ours start as soon as they are complete, in `tools`. */
export interface CallTaker {
  begin(call: Begin): void
  complete(call: LanguageModelV4ToolCall, tools: TaskGroup): void
  /** The result of a call that the provider ran. */
  result(result: LanguageModelV4ToolResult): void
  readonly settled: readonly SettledCall[]
  readonly any: boolean
}

interface CallTakerDeps {
  readonly run: Run
  readonly messageID: string
  readonly runner: CallRunner
  /** The ids of all calls of the session; new ones join them. */
  readonly callIDs: Set<string>
  /** The name of the tool that is meant by a name the model wrote; the same name when there is none. */
  nameOf(name: string): string
}

export function createCallTaker({ run, messageID, runner, callIDs, nameOf }: CallTakerDeps): CallTaker {
  const open = new Map<string, ToolPart>()
  let any = false
  const settled: SettledCall[] = []

  const put = (part: ToolPart) =>
    run.write({ type: "message.part.updated", properties: { sessionID: run.sessionID, part, time: run.clock.now() } })
  const begin = ({ id, tool, executed, metadata }: Begin): ToolPart => {
    const marks = { ...metadata, ...(executed && { providerExecuted: true }) }
    const part: ToolPart = {
      ...{ id: run.partID(), sessionID: run.sessionID, messageID, type: "tool" },
      callID: unused(callIDs, id),
      tool: executed ? tool : nameOf(tool),
      state: { status: "pending", input: {}, raw: "" },
      ...(Object.keys(marks).length > 0 && { metadata: marks }),
    }
    open.set(id, part)
    any = true
    put(part)
    return part
  }
  return {
    begin: (call) => void begin(call),
    complete({ toolCallId: id, toolName: tool, input, providerExecuted: executed, providerMetadata: metadata }, tools) {
      const known = open.get(id) ?? begin({ id, tool, ...(executed && { executed }), ...(metadata && { metadata }) })
      const part = metadata ? { ...known, metadata: { ...known.metadata, ...metadata } } : known
      if (executed) {
        const running = {
          ...part,
          state: { status: "running" as const, input: objectOf(input), time: { start: run.clock.now() } },
        }
        open.set(id, running)
        return put(running)
      }
      open.delete(id)
      void tools.run(async () => settled.push(await runner.start(part, input)))
    },
    result({ toolCallId: id, result, isError, preliminary }) {
      const known = open.get(id)
      // A preliminary result is replaced by a final one.
      if (!known || preliminary) return
      open.delete(id)
      const output = typeof result === "string" ? result : JSON.stringify(result)
      const start = known.state.status === "running" ? known.state.time.start : run.clock.now()
      const time = { start, end: run.clock.now() }
      const { input } = known.state
      put({
        ...known,
        state: isError
          ? { status: "error", input, error: output, time }
          : { status: "completed", input, output, title: known.tool, metadata: {}, time },
      })
    },
    settled,
    get any() {
      return any
    },
  }
}

/** Some servers count calls anew in every answer, or give all the same id; results are matched by id, in the whole prompt. */
function unused(taken: Set<string>, id: string): string {
  let free = id || "call"
  for (let n = 2; taken.has(free); n++) free = `${id || "call"}-${n}`
  taken.add(free)
  return free
}

/** Arguments of a call that the provider ran, for display. */
function objectOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : { value }
  } catch {
    return { raw: json } // the provider understood it, so we only show it
  }
}

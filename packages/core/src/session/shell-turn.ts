import { ok } from "@cairn/kernel/result"
import type { TurnOutcome } from "@cairn/schema/engine"
import type { ToolPart } from "@cairn/schema/part"
import type { Tool } from "../tool/define.ts"
import { beginMessage } from "./attempt.ts"
import { createCallRunner } from "./tool-run.ts"
import { ending, finish } from "./turn.ts"
import type { Turn, TurnDeps } from "./turn-state.ts"

/**
 * Runs a command line that the user typed, as a turn without a model. It is the user's own: nothing is asked. The bounds of
 * the sandbox hold, and what it changes in files can be undone. Interruption ends it, and is recorded.
 */
export function runShell(deps: TurnDeps, turn: Turn, { command, tool }: ShellCall): Promise<TurnOutcome> {
  return ending(deps, turn, async () => {
    const { run, agent, parse, accepts, span } = turn
    const { sessionID } = run
    const message = beginMessage(deps, turn, { tools: false })
    const input = { command }
    const id = run.partID()
    const callID = id.replace(/^prt/, "call")
    const part: ToolPart = {
      ...{ id, sessionID, messageID: message.id, type: "tool", callID, tool: tool.name },
      state: { status: "pending", input, raw: JSON.stringify(input) },
    }
    run.write({ type: "message.part.updated", properties: { sessionID, part, time: run.clock.now() } })
    const ask = async () => ok({})
    const find = () => ({ tool })
    const runner = createCallRunner({ ...deps, find, parse, accepts, ask, run, span, agent: agent.name })
    await runner.start(part, JSON.stringify(input))
    run.signal.throwIfAborted()
    run.write({ type: "message.updated", properties: { sessionID, info: { ...message, finish: "stop" } } })
    return finish(deps, turn, "done")
  })
}

interface ShellCall {
  readonly command: string
  /** What runs it. */
  readonly tool: Tool
}

import { planFacts, withLosses } from "../../permission/command.ts"
import { createReadLine } from "../../permission/read-line.ts"
import type { SandboxState } from "../../process/sandbox/sandbox.ts"
import { dialectOf } from "../../process/shell.ts"
import type { CommandJournal } from "../../workspace/history/command-journal.ts"
import { temporaryIn } from "../../workspace/project-bounds.ts"
import type { BashOptions } from "./bash.ts"
import { boundedPlan } from "./bounded-plan.ts"
import type { ConfineDeps } from "./confine.ts"

export interface PlanLineDeps extends Omit<ConfineDeps, "temp"> {
  /** Path of the shell that will read the line. */
  readonly shell: string
  readonly commands: Pick<CommandJournal, "losses">
  /** What cannot be read of a line follows the rules; else it is asked for. */
  readonly unbounded: boolean
  /** May an agent only look? */
  isReadOnly(sessionID: string, agent: string): boolean
  /** What bounds commands here. */
  sandbox(signal: AbortSignal): Promise<SandboxState>
}

/** Turns command lines into asks. Much code: whoever needs it imports it when a line has come. */
export function createPlanLine(deps: PlanLineDeps): BashOptions["plan"] {
  const { env, home, worktree, places, shell } = deps
  const confining = { ...deps, temp: temporaryIn(env) }
  const readLine = createReadLine()
  const environmentNames = Object.keys(env)
  return async (command, cwd, { signal, sessionID, agent, callID }, outside) => {
    const context = { cwd, worktree, home, places, environmentNames }
    const facts = await readLine(dialectOf(shell), command, context, signal)
    const plan = (unbounded: boolean) => planFacts(facts, command, { ...context, unbounded })
    const planned = boundedPlan(confining, await deps.sandbox(signal), plan, {
      ...{ cwd, callID, outside, unbounded: deps.unbounded, readOnly: deps.isReadOnly(sessionID, agent) },
    })
    const { threats = [] } = planned
    const losses = threats.length > 0 ? await deps.commands.losses(threats, signal) : new Map<string, string>()
    return { ...planned, asks: withLosses(planned.asks, losses) }
  }
}

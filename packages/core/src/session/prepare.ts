import type { Clock } from "@cairn/kernel/clock"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { Agents } from "../agent/agents.ts"
import type { Models } from "../model/registry.ts"
import { agentReminder, dateOf, dateReminder, interruptedReminder } from "../prompt/reminder.ts"
import type { Store } from "../store/store.ts"
import { type Admission, titleOf } from "./admit.ts"
import { dateFragment } from "./date-fact.ts"
import { agentIn } from "./inherited-rules.ts"
import { rulesAfter } from "./session-rules.ts"
import { lineUpOf } from "./line-up.ts"
import { untitled } from "./sessions.ts"
import type { Prepared } from "./turn-runner.ts"

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly models: Models
  readonly agents: Agents
  /** `model_fallback` of the config. */
  readonly fallback: readonly string[] | undefined
}

/** What has to be known of a prompt before it becomes a turn. */
export interface Preparer {
  /** The agent and the model that a prompt names, ready to use in the session. */
  prepare(sessionID: string, admission: Pick<Admission, "agent" | "model">): Result<Prepared, SetupError>
  /** Texts that go before the user's own: the date when it is new, and what the agent wants said. */
  facts(sessionID: string, admission: Admission): readonly string[]
  /** What the prompt changes of its session: the title of a new one, the agent and model used last, its tools. */
  sessionChanges(sessionID: string, admission: Admission): readonly DurableEvent[]
}

export function createPreparer({ store, clock, models, agents, fallback }: Deps): Preparer {
  return {
    prepare(sessionID, { agent: name, model: ref }) {
      const agent = agents.get(name)
      if (!agent.ok) return agent
      const model = models.resolve(ref)
      if (!model.ok) return model
      if (model.value.capabilities.toolcall) {
        const lined = lineUpOf(models, agent.value, fallback, model.value)
        return lined.ok ? ok({ agent: agentIn(store.read, agents, sessionID, agent.value), ...lined.value }) : lined
      }
      const message = `The model ${ref.providerID}/${ref.modelID} cannot call tools, so it cannot do the work. Choose another one.`
      return err({ kind: "model", message })
    },
    facts(sessionID, { agent: name }) {
      const date = dateOf(store.read.localDay(clock.now()))
      const said = store.read.lastFact(sessionID, dateFragment)
      const agent = agents.get(name)
      const own = agent.ok && agent.value.reminder !== undefined ? [agentReminder(agent.value.reminder)] : []
      if (cutOff.has(store.read.lastEnd(sessionID))) own.unshift(interruptedReminder())
      if (said === dateReminder(date) || said === dateReminder(date, true)) return own
      return [dateReminder(date, said !== undefined), ...own]
    },
    sessionChanges(sessionID, admission) {
      const session = store.read.session(sessionID)
      if (!session) return []
      const { providerID, modelID, variant } = admission.model
      const info = {
        ...session,
        title: session.title === untitled ? titleOf(admission) || untitled : session.title,
        agent: admission.agent,
        model: { id: modelID, providerID, ...(variant !== undefined && { variant }) },
        ...(admission.tools && { permission: rulesAfter(session.permission ?? [], admission.tools) }),
        time: { ...session.time, updated: clock.now() },
      }
      return [{ type: "session.updated", properties: { sessionID, info } }]
    },
  }
}

/** Ends after which the model must not take its last words for finished work. */
const cutOff = new Set<string | undefined>(["aborted", "interrupted_by_restart"])

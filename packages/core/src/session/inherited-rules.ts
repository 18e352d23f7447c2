import type { Session } from "@cairn/schema/session"
import type { Agent } from "../agent/define.ts"
import type { Agents } from "../agent/agents.ts"
import { ceiling } from "../permission/layers.ts"
import type { Reader } from "../store/read.ts"

type Sessions = Pick<Reader, "session">

/** Ids of the sessions above one, the nearest first. */
export function sessionsAbove(read: Sessions, sessionID: string): string[] {
  const above = new Set<string>()
  let next = read.session(sessionID)?.parentID
  while (next !== undefined && next !== sessionID && !above.has(next)) {
    above.add(next)
    next = read.session(next)?.parentID
  }
  return [...above]
}

/** The agent as it is in a session: with the rules of the session itself, and never freer than the sessions above it. */
export function agentIn(read: Sessions, agents: Agents, sessionID: string, agent: Agent): Agent {
  const own = agents.within(agent, read.session(sessionID)?.permission ?? [])
  const parents = sessionsAbove(read, sessionID).map((id) => roomIn(agents, read.session(id)))
  if (parents.length === 0) return own
  return {
    ...own,
    readOnly: own.readOnly || parents.some((parent) => parent.readOnly),
    rules: ceiling(
      parents.flatMap(({ rules }) => rules),
      own.rules,
    ),
  }
}

/** What a session above may do, by the agent that it used last. When nobody knows it any more, everything is asked for. */
function roomIn(agents: Agents, session: Session | undefined): Pick<Agent, "rules" | "readOnly"> {
  const agent = session && (session.agent === undefined ? agents.primary() : agents.get(session.agent))
  return agent?.ok ? agents.within(agent.value, session?.permission ?? []) : { rules: [[]], readOnly: true }
}

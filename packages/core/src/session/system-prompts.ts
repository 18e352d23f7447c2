import type { Agent } from "../agent/define.ts"
import type { Instructions } from "../instruction/instructions.ts"
import type { ResolvedModel } from "../model/define.ts"
import { editFormatOf } from "../model/edit-format.ts"
import { reachOf } from "../net/address.ts"
import type { ModelFacts } from "../prompt/base.ts"
import { systemPrompt } from "../prompt/system.ts"
import type { Admission } from "./admit.ts"
import type { Location } from "../workspace/project.ts"

interface Deps {
  readonly location: Location
  readonly instructions: Instructions
  readonly platform: string
}

/** The system prompt of a session, an agent and a model, and of the prompt that is answered. */
export type SystemPrompts = (
  sessionID: string,
  agent: Agent,
  model: ResolvedModel,
  own: Pick<Admission, "system" | "format">,
  signal: AbortSignal,
) => Promise<readonly string[]>

/**
 * Instructions are read when a session first needs them and hold while the process lives: a prompt that changes
 * under a session would change everything after it. An interruption ends a wait for the net, with what there is.
 */
export function createSystemPrompts({ location, instructions, platform }: Deps): SystemPrompts {
  const { directory, worktree, commonDir } = location
  return async (sessionID, agent, model, { system: own, format }, signal) =>
    systemPrompt({
      model: `${model.ref.providerID}/${model.ref.modelID}`,
      facts: factsOf(model),
      agent,
      directory,
      worktree,
      platform,
      git: commonDir !== undefined,
      instructions: await instructions.of(sessionID, signal),
      ...(own !== undefined && { own }),
      structured: format?.type === "json_schema",
    })
}

/** What decides how a model is spoken to. */
export function factsOf({ apiID, family, profile, limits, baseURL }: ResolvedModel): ModelFacts {
  const loopback = baseURL !== undefined && reachOf(new URL(baseURL).hostname) === "loopback"
  return {
    ...{ apiID, limits, loopback, format: editFormatOf(apiID) },
    ...(family !== undefined && { family }),
    ...(profile !== undefined && { profile }),
  }
}

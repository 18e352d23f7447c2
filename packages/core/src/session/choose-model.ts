import { ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { ModelRef } from "@cairn/schema/model"
import type { Session } from "@cairn/schema/session"
import type { Agent } from "../agent/define.ts"
import type { ResolvedModel } from "../model/define.ts"
import type { Models } from "../model/registry.ts"

/** What is named for a prompt. */
export interface ModelWish {
  readonly model?: string | ModelRef
  readonly variant?: string
}

/**
 * The model that answers: the named one, the agent's own, the one that the session used last, the configured default.
 * A variant that is named, or that an agent has beside its own model, must exist; the session's and that of an agent
 * without a model hold where the model has it.
 */
export function chooseModel(
  models: Pick<Models, "resolve">,
  agent: Pick<Agent, "model" | "variant">,
  wish: ModelWish,
  session: Pick<Session, "model"> | undefined,
): Result<ResolvedModel, SetupError> {
  const before = lastModel(session)
  const { variant: _, ...last } = before ?? { providerID: "", modelID: "" }
  const model = models.resolve(wish.model ?? agent.model ?? (before && last))
  if (!model.ok) return model
  const own = wish.model === undefined && agent.model !== undefined
  const resumed = wish.model === undefined && !own
  const wanted = wish.variant ?? model.value.ref.variant ?? (own ? agent.variant : undefined)
  if (wanted !== undefined) return models.resolve({ ...model.value.ref, variant: wanted })
  const perhaps = [resumed ? before?.variant : undefined, agent.variant].find(
    (variant) => variant !== undefined && Object.hasOwn(model.value.variants, variant),
  )
  return perhaps === undefined ? ok(model.value) : models.resolve({ ...model.value.ref, variant: perhaps })
}

function lastModel(session: Pick<Session, "model"> | undefined): ModelRef | undefined {
  if (!session?.model) return undefined
  const { id: modelID, providerID, variant } = session.model
  return { providerID, modelID, ...(variant !== undefined && { variant }) }
}

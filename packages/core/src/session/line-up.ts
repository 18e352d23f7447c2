import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Agent } from "../agent/define.ts"
import type { ResolvedModel } from "../model/define.ts"
import type { Models } from "../model/registry.ts"
import { type LineUp, modelName } from "./fallback.ts"

interface Lined {
  readonly lineUp: LineUp
  /** Models that are named but can never take over here, and why. */
  readonly notes: readonly string[]
}

/**
 * The chosen model, and those of the agent's `model_fallback`, else of the config's. A name that means nothing is an
 * error to mend first, like that of the model itself; one without a key is left out and said, since others may have it.
 */
export function lineUpOf(
  models: Pick<Models, "resolve">,
  agent: Pick<Agent, "name" | "modelFallback">,
  configured: readonly string[] | undefined,
  chosen: ResolvedModel,
): Result<Lined, SetupError> {
  const own = agent.modelFallback !== undefined
  const key = own ? `agent.${agent.name}.model_fallback` : "model_fallback"
  const lineUp: [ResolvedModel, ...ResolvedModel[]] = [chosen]
  const notes: string[] = []
  for (const named of agent.modelFallback ?? configured ?? []) {
    const found = models.resolve(named)
    if (!found.ok && found.error.kind !== "key")
      return err({ ...found.error, message: `${key}: ${found.error.message}` })
    if (!found.ok) notes.push(`${key}: ${nameOf(named)} will not take over. ${found.error.message}`)
    else if (!found.value.capabilities.toolcall)
      notes.push(`${key}: ${modelName(found.value)} will not take over, since it cannot call tools.`)
    else if (!lineUp.some((model) => modelName(model) === modelName(found.value)))
      lineUp.push(likeChosen(models, found.value, chosen))
  }
  return ok({ lineUp, notes })
}

/** The model in the variant of the chosen one, if it has one of that name. */
function likeChosen(models: Pick<Models, "resolve">, model: ResolvedModel, { ref }: ResolvedModel): ResolvedModel {
  if (ref.variant === undefined || !Object.hasOwn(model.variants, ref.variant)) return model
  const found = models.resolve({ ...model.ref, variant: ref.variant })
  return found.ok ? found.value : model
}

const nameOf = (named: NonNullable<Agent["modelFallback"]>[number] | string): string =>
  typeof named === "string" ? named : modelName({ ref: named })

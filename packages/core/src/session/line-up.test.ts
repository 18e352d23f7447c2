import { expect, test } from "bun:test"
import { err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { ModelRef } from "@cairn/schema/model"
import type { ResolvedModel } from "../model/define.ts"
import { demoModel } from "../model/demo/demo.ts"
import { modelName } from "./fallback.ts"
import { lineUpOf } from "./line-up.ts"

const demo = demoModel("tour")!
const variants = { high: {} }
const chosen: ResolvedModel = { ...demo, ref: { providerID: "a", modelID: "chosen" }, variants }
const problems: Record<string, SetupError> = {
  "a/gone": { kind: "model", message: "There is no model." },
  "a/barred": { kind: "config", message: "It is excluded." },
  "a/keyless": { kind: "key", message: "Set A_KEY." },
}

/** Knows every name but those with problems. `a/mute` has no tools, `a/plain` no variants. */
const models = {
  resolve(wanted?: string | ModelRef) {
    const [providerID = "", ...rest] = typeof wanted === "string" ? wanted.split("/") : []
    const ref = typeof wanted === "object" ? wanted : { providerID, modelID: rest.join("/") }
    const problem = problems[modelName({ ref })]
    if (problem) return err(problem)
    const toolcall = ref.modelID !== "mute"
    const own = ref.modelID === "plain" ? {} : variants
    return ok({ ...demo, ref, variants: own, capabilities: { ...demo.capabilities, toolcall } })
  },
}
const build = { name: "build" }
const line = (agent: Parameters<typeof lineUpOf>[1], configured?: readonly string[], first = chosen) => {
  const found = lineUpOf(models, agent, configured, first)
  if (!found.ok) return found.error
  return { names: found.value.lineUp.map(modelName), notes: found.value.notes, lineUp: found.value.lineUp }
}

test("the chosen model leads, each other one follows once", () => {
  expect(line(build)).toMatchObject({ names: ["a/chosen"], notes: [] })
  expect(line(build, ["b/x/y", "a/chosen", "b/x/y", "c/z"])).toMatchObject({
    names: ["a/chosen", "b/x/y", "c/z"],
    notes: [],
  })
})

test("an agent's own list stands instead of the config's, also when it is empty", () => {
  const own = { ...build, modelFallback: [{ providerID: "d", modelID: "own" }] }
  expect(line(own, ["b/x"])).toMatchObject({ names: ["a/chosen", "d/own"] })
  expect(line({ ...build, modelFallback: [] }, ["b/x"])).toMatchObject({ names: ["a/chosen"] })
})

test("a name that means nothing is an error that says where it stands", () => {
  expect(line(build, ["b/x", "a/gone"])).toEqual({ kind: "model", message: "model_fallback: There is no model." })
  expect(line(build, ["a/barred"])).toEqual({ kind: "config", message: "model_fallback: It is excluded." })
  expect(line({ ...build, modelFallback: [{ providerID: "a", modelID: "gone" }] })).toMatchObject({
    message: "agent.build.model_fallback: There is no model.",
  })
})

test("what cannot work here is left out, with a note", () => {
  expect(line(build, ["a/keyless", "a/mute", "b/x"])).toMatchObject({
    names: ["a/chosen", "b/x"],
    notes: [
      "model_fallback: a/keyless will not take over. Set A_KEY.",
      "model_fallback: a/mute will not take over, since it cannot call tools.",
    ],
  })
  const own = { ...build, modelFallback: [{ providerID: "a", modelID: "keyless" }] }
  expect(line(own)).toMatchObject({ notes: ["agent.build.model_fallback: a/keyless will not take over. Set A_KEY."] })
})

test("who takes over is called in the chosen one's variant where it has it", () => {
  const high = { ...chosen, ref: { ...chosen.ref, variant: "high" } }
  const found = line(build, ["b/x", "b/plain"], high)
  expect("lineUp" in found && found.lineUp.map(({ ref }) => ref.variant)).toEqual(["high", "high", undefined])
})

import { expect, test } from "bun:test"
import { ok } from "@cairn/kernel/result"
import type { ModelRef } from "@cairn/schema/model"
import type { ResolvedModel } from "../model/define.ts"
import { chooseModel } from "./choose-model.ts"

/** Models that have every variant of `variants`, and say what was asked for. */
const models = (variants: readonly string[]) => ({
  resolve(wanted?: string | ModelRef) {
    const [providerID = "", modelID = ""] = typeof wanted === "string" ? wanted.split("/") : []
    const ref =
      typeof wanted === "object"
        ? wanted
        : wanted === undefined
          ? { providerID: "d", modelID: "d" }
          : { providerID, modelID }
    if (ref.variant !== undefined && !variants.includes(ref.variant))
      return { ok: false as const, error: { kind: "model" as const, message: ref.variant } }
    return ok({ ref, variants: Object.fromEntries(variants.map((name) => [name, {}])) } as unknown as ResolvedModel)
  },
})
const session = { model: { id: "last", providerID: "s", variant: "low" } }
const own = { model: { providerID: "a", modelID: "own" }, variant: "high" }

test.each<
  [string, Parameters<typeof chooseModel>[1], Parameters<typeof chooseModel>[2], typeof session | undefined, string]
>([
  ["the default", {}, {}, undefined, "d/d"],
  ["the session's last, as it was called", {}, {}, session, "s/last low"],
  ["the agent's own before the session's", own, {}, session, "a/own high"],
  ["the named one before all, with the agent's variant", own, { model: "n/n" }, session, "n/n high"],
  ["a named variant of the session's last", {}, { variant: "high" }, session, "s/last high"],
  ["a named variant of the agent's own", own, { variant: "low" }, session, "a/own low"],
  [
    "a variant that came with the model",
    own,
    { model: { providerID: "n", modelID: "n", variant: "low" } },
    session,
    "n/n low",
  ],
  ["an agent without a model, in a new session", { variant: "high" }, {}, undefined, "d/d high"],
  ["the session's variant before that of an agent without a model", { variant: "high" }, {}, session, "s/last low"],
])("%s", (_, agent, wish, last, expected) => {
  const found = chooseModel(models(["low", "high"]), agent, wish, last)
  if (!found.ok) throw new Error(found.error.message)
  const { providerID, modelID, variant } = found.value.ref
  expect([`${providerID}/${modelID}`, variant].filter((text) => text !== undefined).join(" ")).toBe(expected)
})

test("what must exist is refused, what only would be nice is left out", () => {
  expect(chooseModel(models([]), own, {}, session)).toMatchObject({ ok: false, error: { message: "high" } })
  expect(chooseModel(models([]), {}, { variant: "x" }, session)).toMatchObject({ ok: false, error: { message: "x" } })
  for (const [agent, wish] of [
    [{}, {}],
    [{ variant: "high" }, {}],
    [own, { model: "n/n" }],
  ] as const) {
    const found = chooseModel(models([]), agent, wish, session)
    expect(found.ok && found.value.ref.variant).toBeUndefined()
  }
})

import { describe, expect, test } from "bun:test"
import type { PromptInput } from "@cairn/schema/engine"
import { checkInput } from "./check-input.ts"

const words = { type: "text", text: "hi" } as const
const circle: Record<string, unknown> = {}
circle["self"] = circle

describe("a prompt in a form that is not known is refused, with the place", () => {
  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /form that is understood/],
    ["no session", { parts: [words] }, /at sessionID/],
    ["no parts", { sessionID: "s" }, /at parts/],
    ["parts that are null", { sessionID: "s", parts: null }, /at parts/],
    ["a null part", { sessionID: "s", parts: [words, null] }, /at parts\.1/],
    ["a part of an unknown type", { sessionID: "s", parts: [{ type: "hologram" }] }, /at parts\.0\.type/],
    ["a text that is a number", { sessionID: "s", parts: [{ type: "text", text: 7 }] }, /at parts\.0\.text/],
    ["a file without an address", { sessionID: "s", parts: [{ type: "file", mime: "image/png" }] }, /at parts\.0\.url/],
    [
      "a schema that is true",
      { sessionID: "s", parts: [words], format: { type: "json_schema", schema: true } },
      /at format\.schema/,
    ],
    ["a format of an unknown type", { sessionID: "s", parts: [words], format: { type: "yaml" } }, /at format\.type/],
    ["half a model", { sessionID: "s", parts: [words], model: { modelID: "m" } }, /at model\.providerID/],
    ["a tool that is neither on nor off", { sessionID: "s", parts: [words], tools: { bash: "no" } }, /at tools\.bash/],
    ["an unknown delivery", { sessionID: "s", parts: [words], delivery: "pigeon" }, /at delivery/],
    ["an unknown kind of asks", { sessionID: "s", parts: [words], asks: "maybe" }, /at asks/],
    ["a system text that is a list", { sessionID: "s", parts: [words], system: ["x"] }, /at system/],
    ["what is no JSON", { sessionID: "s", parts: [{ ...words, metadata: { circle } }] }, /cannot be stored as JSON/],
    [
      "a number that is too large",
      { sessionID: "s", parts: [{ ...words, metadata: { n: 1n } }] },
      /cannot be stored as JSON/,
    ],
  ])("%s", async (_, input, message) => {
    const checked = await checkInput(input as PromptInput)
    expect(checked).toMatchObject({ ok: false, error: { kind: "usage", message: expect.stringMatching(message) } })
  })
})

test("plain words are taken at once", () => {
  const model = { providerID: "p", modelID: "m", variant: "high" }
  const input: PromptInput = { sessionID: "s", parts: [words], model, agent: "build", delivery: "queue", asks: "deny" }
  expect(checkInput(input)).toEqual({ ok: true, value: input })
  const more: PromptInput = { ...input, tools: { bash: false }, system: "Be brief.", noReply: true, variant: "high" }
  expect(checkInput(more)).toEqual({ ok: true, value: more })
})

test("everything else that the schema knows is taken as it is, without what it does not name", async () => {
  const file = { type: "file", mime: "image/png", url: "data:image/png;base64,", filename: "a.png" } as const
  const input = {
    ...{ sessionID: "s", parts: [{ ...words, synthetic: true }, file, { type: "agent", name: "explore" } as const] },
    ...{ tools: { bash: false }, system: "Be brief.", noReply: true, variant: "high" },
    format: { type: "json_schema", schema: { type: "object" }, retryCount: 1 } as const,
  }
  const more = { ...input, agent: undefined, secret: 1, parts: [...input.parts, { ...words, id: "prt_other" }] }
  expect(await checkInput(more as unknown as PromptInput)).toEqual({
    ok: true,
    value: { ...input, parts: [...input.parts, words] },
  })
})

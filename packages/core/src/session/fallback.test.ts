import { describe, expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { createCooldowns } from "../model/cooldown.ts"
import type { ModelCapabilities, ModelLimits, ResolvedModel } from "../model/define.ts"
import { demoModel } from "../model/demo/demo.ts"
import {
  type Demand,
  type Failed,
  type LineUp,
  fallsOver,
  firstReady,
  mediaIn,
  modelName,
  noneLeft,
  takes,
  unfit,
} from "./fallback.ts"

const demo = demoModel("tour")!
function model(name: string, can: Partial<ModelCapabilities> = {}, limits: Partial<ModelLimits> = {}): ResolvedModel {
  const [providerID = "", modelID = ""] = name.split("/")
  return {
    ...demo,
    ref: { providerID, modelID },
    baseURL: `https://${providerID}.test`,
    capabilities: { ...demo.capabilities, toolcall: true, image: false, pdf: false, ...can },
    limits: { context: 100_000, output: 8_000, known: true, ...limits },
  }
}
const demand = (over: Partial<Demand> = {}): Demand => ({ tokens: 1_000, usable: 150_000, media: new Set(), ...over })

describe("a model takes over only if", () => {
  test("it calls tools", () => {
    expect(unfit(model("a/m"), demand())).toBeUndefined()
    expect(unfit(model("a/m", { toolcall: false }), demand())).toContain("cannot call tools")
  })

  test("it takes the images and documents of the conversation", () => {
    const media = new Set(["image/png", "application/pdf"])
    expect(unfit(model("a/m", { image: true, pdf: true }), demand({ media }))).toBeUndefined()
    expect(unfit(model("a/m", { image: true }), demand({ media }))).toContain("application/pdf")
    expect(unfit(model("a/m", { pdf: true }), demand({ media }))).toContain("image/png")
    expect(takes(model("a/m", { image: true, pdf: true }), "audio/wav")).toBe(false)
  })

  test("the conversation fits without being compacted", () => {
    // Usable is 100,000 − 8,000.
    expect(unfit(model("a/m"), demand({ tokens: 92_000 }))).toBeUndefined()
    expect(unfit(model("a/m"), demand({ tokens: 92_001 }))).toContain("92001 tokens is too long")
    expect(unfit(model("a/m", {}, { input: 50_000 }), demand({ tokens: 42_000 }))).toBeUndefined()
    expect(unfit(model("a/m", {}, { input: 50_000 }), demand({ tokens: 50_001 }))).toContain("too long")
    expect(unfit(model("a/m", {}, { input: 60_000 }), demand({ tokens: 55_000, reserved: 1_000 }))).toBeUndefined()
  })

  test("or, where a compaction comes anyway, it can read what is to be summed up", () => {
    const full = (tokens: number, usable: number) => demand({ tokens, usable })
    expect(unfit(model("a/m"), full(99_000, 95_000))).toBeUndefined()
    expect(unfit(model("a/m"), full(100_001, 95_000))).toContain("too long")
    expect(unfit(model("a/m", {}, { input: 50_000 }), full(60_000, 55_000))).toContain("too long")
    // One that is no smaller than the one that has it now does no worse.
    expect(unfit(model("a/m"), full(200_000, 92_000))).toBeUndefined()
    expect(unfit(model("a/m"), full(200_000, 92_001))).toContain("too long")
  })
})

test("files are found in what the user sent and in what tools gave", () => {
  const data = { type: "data" as const, data: "AA==" }
  const result = { type: "tool-result" as const, toolCallId: "c", toolName: "read" }
  const kinds = mediaIn([
    { role: "system", content: "image/gif" },
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "file", mediaType: "image/png", data },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "yes" }] },
    {
      role: "tool",
      content: [
        { ...result, output: { type: "content", value: [{ type: "file", mediaType: "application/pdf", data }] } },
        { ...result, output: { type: "text", value: "image/webp" } },
      ],
    },
  ])
  expect([...kinds]).toEqual(["image/png", "application/pdf"])
})

test("only what passes by itself makes another model take over; one that stands in is passed over for more", () => {
  const classes = [
    "retryable",
    "rate_limit",
    "overflow",
    "auth",
    "fatal",
    "content_filter",
    "aborted",
    undefined,
  ] as const
  expect(classes.filter((kind) => fallsOver(kind, false))).toEqual(["retryable", "rate_limit"])
  expect(classes.filter((kind) => fallsOver(kind, true))).toEqual(["retryable", "rate_limit", "auth", "fatal"])
})

describe("of a line-up", () => {
  const lineUp: LineUp = [model("a/first"), model("b/small", {}, { context: 10_000 }), model("c/third")]
  function lookout(failed: Record<string, Failed> = {}, wanted = demand()) {
    const clock = new TestClock()
    const cooldowns = createCooldowns(clock)
    return { clock, cooldowns, failed: new Map(Object.entries(failed)), demand: () => wanted }
  }
  const name = (found: ResolvedModel | undefined) => found && modelName(found)
  const busy: Failed = { message: "A (HTTP 529): overloaded.", class: "retryable" }

  test("the first is taken, whatever is asked of it, without looking at the request", () => {
    const looked = { ...lookout(), demand: () => expect.unreachable() }
    expect(name(firstReady(lineUp, looked))).toBe("a/first")
    expect(name(firstReady(lineUp, lookout({}, demand({ tokens: 1e9 }))))).toBe("a/first")
  })

  test("then the next that neither failed, nor rests, nor is unfit", async () => {
    const state = lookout({ "a/first": busy })
    expect(name(firstReady(lineUp, state))).toBe("b/small")
    expect(name(firstReady(lineUp, { ...state, demand: () => demand({ tokens: 20_000 }) }))).toBe("c/third")
    state.cooldowns.fail(lineUp[1]!, { message: "no" })
    expect(name(firstReady(lineUp, state))).toBe("c/third")
    state.cooldowns.fail(lineUp[2]!, { message: "no" })
    expect(firstReady(lineUp, state)).toBeUndefined()
    await state.clock.advance(60_000)
    expect(name(firstReady(lineUp, state))).toBe("b/small")
  })

  test("the first again once it has rested", async () => {
    const state = lookout()
    state.cooldowns.fail(lineUp[0]!, { message: "no" })
    expect(name(firstReady(lineUp, state))).toBe("b/small")
    await state.clock.advance(60_000)
    expect(name(firstReady(lineUp, state))).toBe("a/first")
  })

  test("when none is left each is named with its reason", async () => {
    const models: LineUp = [...lineUp, model("d/fourth")]
    const refused: Failed = { message: "C (HTTP 401): bad key. Check it.", class: "auth" }
    const state = lookout(
      { "a/first": { ...busy, class: "rate_limit" }, "c/third": refused },
      demand({ tokens: 20_000 }),
    )
    state.cooldowns.fail(models[3]!, { message: "D is busy." })
    await state.clock.advance(20_500)
    const { error, class: kind } = noneLeft(models, state, state.clock.now())
    expect(kind).toBe("rate_limit")
    expect((error.data as { message: string }).message.split("\n")).toEqual([
      "No model could answer; model_fallback has no further one.",
      "- a/first: A (HTTP 529): overloaded.",
      "- b/small: not tried, since the conversation of 20000 tokens is too long for it.",
      "- c/third: C (HTTP 401): bad key. Check it.",
      "- d/fourth: left alone for 40 s more, since it failed: D is busy.",
    ])
  })
})

import { describe, expect, test } from "bun:test"
import { silentLog } from "@cairn/kernel/log"
import type { MessageWithParts } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import { TestClock } from "@cairn/testkit/clock"
import { createCooldowns } from "../model/cooldown.ts"
import type { ResolvedModel } from "../model/define.ts"
import { demoModel } from "../model/demo/demo.ts"
import type { Classified } from "../model/errors.ts"
import { createContext } from "./context.ts"
import { type LineUp, modelName } from "./fallback.ts"
import { answeredBy, fallOver, hasHeir, settleModel } from "./take-over.ts"
import type { Footing, Turn, TurnDeps } from "./turn-state.ts"

const demo = demoModel("tour")!
const model = (name: string, baseURL: string, context = 100_000): ResolvedModel => {
  const [providerID = "", modelID = ""] = name.split("/")
  const limits = { context, output: 8_000, known: true }
  return { ...demo, ref: { providerID, modelID }, baseURL, limits }
}
const lineUp: LineUp = [
  model("a/first", "https://a.test"),
  model("a/second", "https://a.test"),
  model("b/third", "https://b.test", 50_000),
]
const busy: Classified = { class: "retryable", providerID: "a", message: "busy" }

/** A turn of the line-up in an empty session, as far as a change of model looks at it. */
function turnOf(models: LineUp, controller = { aborted: false }) {
  const clock = new TestClock()
  const cooldowns = createCooldowns(clock)
  const history = { opening: [], tail: [], since: [] }
  const footingOf = (one: ResolvedModel): Footing => {
    const target = { providerID: one.ref.providerID, modelID: one.ref.modelID, accepts: () => false }
    const find = () => ({ unknown: "none" })
    return {
      model: one,
      target,
      system: [modelName(one)],
      tools: [],
      find,
      parse: () => expect.unreachable(),
      ...target,
    }
  }
  const signal = {
    throwIfAborted() {
      if (controller.aborted) throw new Error("interrupted")
    },
  }
  const footing = footingOf(models[0])
  const turn = {
    ...footing,
    lineUp: models,
    failed: new Map(),
    context: createContext(footing.target, history),
    run: { sessionID: "ses_1", clock, signal },
    log: silentLog,
    overflows: 2,
    compactions: 2,
  } as unknown as Turn
  const deps = {
    cooldowns,
    compaction: { prompt: "" },
    store: { read: { summaries: () => [], messages: () => [] } },
    footing: async (one: ResolvedModel) => footingOf(one),
  } as unknown as TurnDeps
  return { clock, cooldowns, turn, deps, name: () => modelName(turn.model) }
}
const failure = (cause: Classified) => ({ error: { name: "UnknownError" as const, data: { message: "" } }, cause })

describe("after a failure", () => {
  test("the next one goes on", async () => {
    const { turn, deps, name } = turnOf(lineUp)
    expect(hasHeir(deps, turn, busy)).toBe(true)
    expect(fallOver(deps, turn, failure(busy))).toBeUndefined()
    await settleModel(deps, turn)
    expect(name()).toBe("a/second")
    expect(turn).toMatchObject({ system: ["a/second"], overflows: 0, compactions: 0 })
    expect(turn.standsInFor).toMatchObject({ providerID: "a", modelID: "first", message: "busy" })
  })

  test("of the connection, one at another address", async () => {
    const { turn, deps, name } = turnOf(lineUp)
    const refused: Classified = { ...busy, network: "refused" }
    expect(hasHeir(deps, turnOf([lineUp[0], lineUp[1]!]).turn, refused)).toBe(false)
    expect(hasHeir(deps, turn, refused)).toBe(true)
    expect(fallOver(deps, turn, failure(refused))).toBeUndefined()
    await settleModel(deps, turn)
    expect(name()).toBe("b/third")
  })

  test("that is the user's to mend, or without a fallback, nobody", () => {
    const { turn, deps } = turnOf(lineUp)
    const refused = failure({ ...busy, class: "auth" })
    expect(hasHeir(deps, turn, refused.cause)).toBe(false)
    expect(fallOver(deps, turn, refused)).toBe(refused)
    expect(turn.failed.size).toBe(0)
    const own = { error: refused.error }
    expect(fallOver(deps, turn, own)).toBe(own)
    const alone = turnOf([lineUp[0]])
    expect(hasHeir(alone.deps, alone.turn, busy)).toBe(false)
    const failed = failure(busy)
    expect(fallOver(alone.deps, alone.turn, failed)).toBe(failed)
  })

  test("of one that stands in, also for a key of its own", async () => {
    const { turn, deps, name } = turnOf(lineUp)
    fallOver(deps, turn, failure(busy))
    await settleModel(deps, turn)
    expect(hasHeir(deps, turn, { ...busy, class: "auth" })).toBe(true)
    expect(fallOver(deps, turn, failure({ ...busy, class: "auth", message: "bad key" }))).toBeUndefined()
    await settleModel(deps, turn)
    expect(name()).toBe("b/third")
    expect(turn.standsInFor).toMatchObject({ modelID: "first", message: "busy" })
    expect(hasHeir(deps, turn, busy)).toBe(false)
    const last = fallOver(deps, turn, failure(busy))
    expect(JSON.stringify(last?.error)).toContain("a/second: bad key")
  })
})

describe("between two steps", () => {
  test("nothing changes while the model that answers may go on", async () => {
    const { turn, deps, name } = turnOf(lineUp)
    const { context } = turn
    await settleModel(deps, turn)
    expect(turn.context).toBe(context)
    expect(name()).toBe("a/first")
  })

  test("the chosen one is back when it has rested; between others there is no change for the sake of order", async () => {
    const { turn, deps, name, clock, cooldowns } = turnOf(lineUp)
    cooldowns.fail(lineUp[0], { message: "limit", retryAfterMs: 3_600_000 })
    cooldowns.fail(lineUp[1]!, { message: "busy" })
    await settleModel(deps, turn)
    expect(name()).toBe("b/third")
    answeredBy(deps, turn)
    await clock.advance(60_000)
    await settleModel(deps, turn)
    expect(name()).toBe("b/third")
    await clock.advance(3_600_000)
    await settleModel(deps, turn)
    expect(name()).toBe("a/first")
    expect(turn.standsInFor).toBeUndefined()
  })

  test("a model that failed in this turn is not asked again before another one answered, however long that takes", async () => {
    const { turn, deps, name, clock } = turnOf([lineUp[0], lineUp[2]!])
    fallOver(deps, turn, failure(busy))
    await clock.advance(3_600_000)
    await settleModel(deps, turn)
    expect(name()).toBe("b/third")
    answeredBy(deps, turn)
    await settleModel(deps, turn)
    expect(name()).toBe("a/first")
  })

  test("an answer makes the next failure the first one again", async () => {
    const { turn, deps, clock, cooldowns } = turnOf([lineUp[0], lineUp[2]!])
    fallOver(deps, turn, failure(busy))
    await clock.advance(60_000)
    answeredBy(deps, turn)
    fallOver(deps, turn, failure(busy))
    expect(cooldowns.resting(lineUp[0])?.until).toBe(clock.now() + 60_000)
  })

  test("what was counted before results were cleared counts no more", async () => {
    const tokens = { ...noTokens(), total: 40_000 }
    const info = {
      role: "assistant",
      id: "msg_1",
      time: { created: 1, completed: 2 },
      tokens,
      providerID: "a",
      modelID: "first",
    }
    const answer = { info, parts: [{ type: "text", id: "prt_1", text: "Said." }] } as unknown as MessageWithParts
    const since = { opening: [], tail: [], since: [answer] }
    for (const counted of [true, false]) {
      const { turn, deps } = turnOf(lineUp)
      Object.assign(deps.store.read, { messages: () => [answer] })
      turn.context = createContext(turn.target, since, { counted })
      fallOver(deps, turn, failure(busy))
      await settleModel(deps, turn)
      expect(turn.context.counted).toBe(counted)
    }
  })

  test("an interruption while the next one is prepared leaves the turn as it was", async () => {
    const controller = { aborted: false }
    const { turn, deps, name } = turnOf(lineUp, controller)
    fallOver(deps, turn, failure(busy))
    controller.aborted = true
    await expect(settleModel(deps, turn)).rejects.toThrow("interrupted")
    expect(name()).toBe("a/first")
    expect(turn.standsInFor).toBeUndefined()
  })
})

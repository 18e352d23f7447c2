import { expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { createCooldowns } from "./cooldown.ts"

const minute = 60_000
const model = (modelID: string, providerID = "p", baseURL = `https://${providerID}.test/v1`) => ({
  ref: { providerID, modelID },
  baseURL,
})
const busy = { message: "P (HTTP 529): overloaded." }

test("a model rests a minute after a failure, and no other one with it", async () => {
  const clock = new TestClock()
  const cooldowns = createCooldowns(clock)
  expect(cooldowns.resting(model("m"))).toBeUndefined()
  cooldowns.fail(model("m"), busy)
  expect(cooldowns.resting(model("m"))).toEqual({ message: busy.message, until: clock.now() + minute })
  expect(cooldowns.resting({ ...model("m"), ref: { ...model("m").ref, variant: "high" } })).toBeDefined()
  expect(cooldowns.resting(model("other"))).toBeUndefined()
  await clock.advance(minute - 1)
  expect(cooldowns.resting(model("m"))).toBeDefined()
  await clock.advance(1)
  expect(cooldowns.resting(model("m"))).toBeUndefined()
})

test("what the provider asks for counts when it is longer; a short wish was of no use before", async () => {
  const clock = new TestClock()
  const cooldowns = createCooldowns(clock)
  cooldowns.fail(model("long"), { ...busy, retryAfterMs: 3 * 60 * minute })
  cooldowns.fail(model("short"), { ...busy, retryAfterMs: 5 })
  expect(cooldowns.resting(model("long"))?.until).toBe(clock.now() + 3 * 60 * minute)
  expect(cooldowns.resting(model("short"))?.until).toBe(clock.now() + minute)
})

test("failures in a row double the rest, up to half an hour, until it answers", async () => {
  const clock = new TestClock()
  const cooldowns = createCooldowns(clock)
  const rests: number[] = []
  for (let failure = 0; failure < 7; failure++) {
    cooldowns.fail(model("m"), busy)
    const ms = cooldowns.resting(model("m"))!.until - clock.now()
    rests.push(ms / minute)
    await clock.advance(ms)
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 30, 30])
  cooldowns.clear(model("m"))
  cooldowns.fail(model("m"), busy)
  expect(cooldowns.resting(model("m"))?.until).toBe(clock.now() + minute)
})

test("an address that nobody answers at rests with all its models, until one of them answers", () => {
  const clock = new TestClock()
  const cooldowns = createCooldowns(clock)
  cooldowns.fail(model("m"), { message: "refused", network: "refused" })
  expect(cooldowns.resting(model("other"))?.message).toBe("refused")
  expect(cooldowns.resting(model("m", "q"))).toBeUndefined()
  cooldowns.clear(model("other"))
  expect(cooldowns.resting(model("third"))).toBeUndefined()
  expect(cooldowns.resting(model("m"))?.message).toBe("refused")
})

test("the wall clock set back does not prolong a rest", async () => {
  const clock = new TestClock()
  const cooldowns = createCooldowns(clock)
  cooldowns.fail(model("m"), busy)
  clock.setNow(0)
  await clock.advance(minute)
  expect(cooldowns.resting(model("m"))).toBeUndefined()
})

test("a model of this process has no address to share", () => {
  const cooldowns = createCooldowns(new TestClock())
  const own = (modelID: string) => ({ ref: { providerID: "demo", modelID }, baseURL: undefined })
  cooldowns.fail(own("a"), { message: "gone", network: "probe" })
  expect(cooldowns.resting(own("a"))).toBeDefined()
  expect(cooldowns.resting(own("b"))).toBeUndefined()
})

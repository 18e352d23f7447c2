import { expect, test } from "bun:test"
import fc from "fast-check"
import { seeded } from "@cairn/testkit/random"
import { World } from "../../test/event/world.ts"

const long = process.env["CAIRN_TEST_LONG"] !== undefined

/** What clients see is what is stored, whatever happens to them. */
async function check(seed: number, steps: readonly number[]): Promise<void> {
  const random = seeded(seed)
  using world = new World(random)
  for (let n = 0; n < 3; n++) world.join()
  for (const step of steps) {
    if (step < 70) world.happen()
    else if (step < 80) await world.sources.clock.advance(random.pick([1, 16, 250]))
    else if (step < 98) await world.disturb(random.pick(world.clients))
    else world.join()
  }
  await world.settle()
  expect(world.differences()).toEqual([])
  for (const client of world.clients) await client.leave()
  expect([world.hub.size, world.sources.clock.pending]).toEqual([0, 0])
}

test(
  "whoever comes, goes, hangs and comes back from wherever sees what is stored, and is told nothing twice",
  async () => {
    const steps = fc.array(fc.nat({ max: 99 }), { maxLength: 150, size: "max" })
    const settings = long ? { numRuns: 1_500 } : { numRuns: 15, seed: 7 }
    await fc.assert(fc.asyncProperty(fc.nat(), steps, check), settings)
  },
  long ? 1_800_000 : 60_000,
)

import {
  eventCount,
  interrupted,
  turns,
  type InterruptDriver,
  type InterruptOptions,
  type LongCall,
  type Plan,
} from "./interrupt-run.ts"
import { seeded, type Random } from "./random.ts"
import { chunked, cutStream, hang, reasoning, text, toolCall, type Step } from "./scenario.ts"

/**
 * `n` prompts with random answers (text, reasoning, calls out of `calls`, breaks, hangs), each interrupted after a
 * random number of events and turns of the event loop. Gives the problems, each with the seed that repeats it alone.
 */
export async function randomInterrupts(
  driver: InterruptDriver,
  n: number,
  seed: number,
  calls: readonly LongCall[],
  options: InterruptOptions = {},
): Promise<string[]> {
  const { troubles } = options
  const problems: string[] = []
  for (let round = 0; round < n; round++) {
    const random = seeded(seed + round)
    const events = random.below(40)
    const pause = random.below(10)
    const plan: Plan = {
      reply: () => (troubles && random.below(3) === 0 ? random.pick(troubles) : randomReply(random, calls)),
      anyEnd: true,
      async interrupt(run, bound) {
        await bound(eventCount(run, events))
        await turns(pause)
      },
      deaf: random.below(4) === 0,
    }
    const found = await interrupted(driver, plan, options)
    problems.push(...found.map((problem) => `seed ${seed + round}, after ${events} events: ${problem}`))
  }
  return problems
}

function randomReply(random: Random, calls: readonly LongCall[]): Step[] {
  const steps: Step[] = random.below(4) === 0 ? [chunked(7)] : []
  for (let left = 1 + random.below(4); left > 0; left--) {
    const kind = random.below(4)
    if (kind === 0)
      steps.push(reasoning("I think about it. ".repeat(3), { signature: "c2ln", chunks: 1 + random.below(20) }))
    else if (kind === 1 || calls.length === 0)
      steps.push(text("Some words. ".repeat(3), { chunks: 1 + random.below(30) }))
    else
      for (let many = 1 + random.below(3); many > 0; many--) {
        const call = random.pick(calls)
        steps.push(toolCall(call.name, call.args, { chunks: 1 + random.below(5) }))
      }
  }
  const end = random.below(8)
  if (end === 0) steps.push(cutStream())
  if (end === 1) steps.push(hang())
  return steps
}

import { describe, expect, test } from "bun:test"
import type { LogEntry } from "@cairn/schema/event"
import type { Part } from "@cairn/schema/part"
import { gate } from "@cairn/testkit/gate"
import { type Bound, type InterruptRun, type Plan, interrupted, unlessOver } from "@cairn/testkit/interrupt-run"
import { processesWith } from "@cairn/testkit/process-tree"
import { randomInterrupts } from "@cairn/testkit/random-interrupts"
import type { CapturedRequest } from "@cairn/testkit/request"
import { userTexts } from "@cairn/testkit/request"
import { type Reply, type Step, cutStream, hang, status, text, toolCall, usage, waitFor } from "@cairn/testkit/scenario"
import { type Driven, interruptDriver, longSleep } from "./interrupt-driver.ts"

const limit = { context: 16_000, output: 4_000 }
const compaction = { preserve_recent_tokens: 0 }
const asksForSummary = (request: CapturedRequest) => userTexts(request).at(-1)?.includes("## Relevant files") === true
const sleeps = toolCall("bash", { command: `sleep ${longSleep}` })
const later = (seconds: number) => status(429, { headers: { "retry-after": String(seconds) } })
const atOnce = status(529, { headers: { "retry-after-ms": "1" } })

/** Resolves at the first event, or now, after which the log has an entry that `wanted` picks. */
async function logged(run: InterruptRun, bound: Bound, wanted: (entry: LogEntry) => boolean): Promise<void> {
  const seen = gate()
  const look = () => {
    if (!seen.isOpen && run.log().some(wanted)) seen.open()
  }
  const stop = run.subscribe(look)
  look()
  await bound(unlessOver(run, seen.opened)).finally(stop)
}

const partIs =
  (wanted: (part: Part) => boolean) =>
  ({ event }: LogEntry) =>
    event.type === "message.part.updated" && wanted(event.properties.part)
const waitsToRetry = partIs((part) => part.type === "retry")
const toolRuns = partIs((part) => part.type === "tool" && part.state.status === "running")
const answerBegan = partIs((part) => part.type === "text" && part.time !== undefined)
const isSummary = ({ event }: LogEntry, done: boolean): string | undefined => {
  if (event.type !== "message.updated") return undefined
  const { info } = event.properties
  const wanted = info.role === "assistant" && info.summary === true && (info.time.completed !== undefined) === done
  return wanted ? info.id : undefined
}
/** The text of a summary has been opened. */
const summaryBegan = (run: InterruptRun) => (entry: LogEntry) =>
  partIs((part) => part.type === "text" && run.log().some((each) => isSummary(each, false) === part.messageID))(entry)

type Arrival = (wanted: (request: CapturedRequest, index: number) => boolean) => Promise<CapturedRequest>

interface Case {
  readonly name: string
  /** What leads to the moment of the interruption; the request that asks for a summary gets `summary`. */
  readonly first: readonly Reply[]
  readonly summary?: Reply | ((request: CapturedRequest) => Reply)
  readonly deaf?: boolean
  /** `arrival` resolves with the first request that it is asked for. */
  moment(run: InterruptRun, bound: Bound, arrival: Arrival): Promise<unknown>
}

/** Interrupts one run and uses the session again, which must not remember what was only begun. */
async function judged(driver: Driven, { first, summary, deaf, moment }: Case): Promise<string[]> {
  const problems: string[] = []
  const requests: CapturedRequest[] = []
  const looks = new Set<() => void>()
  const arrival: Arrival = async (wanted) => {
    const seen = Promise.withResolvers<CapturedRequest>()
    looks.add(() => {
      const found = requests.find(wanted)
      if (found) seen.resolve(found)
    })
    for (const look of looks) look()
    return await seen.promise
  }
  let over = false
  let next = 0
  const plan: Plan = {
    goesOn: true,
    ...(deaf && { deaf }),
    reply(_, request) {
      requests.push(request)
      for (const look of looks) look()
      if (over && request.text.includes("only begun")) problems.push("what was only begun is in the conversation")
      if (asksForSummary(request))
        return over ? text("Notes.") : typeof summary === "function" ? summary(request) : (summary ?? hang())
      return over ? text("Still here.") : (first[next++] ?? hang())
    },
    async interrupt(run, bound) {
      await moment(run, bound, arrival)
      over = true
    },
  }
  return [...(await interrupted(driver, plan, {})), ...problems]
}

/** The moments of a summary's call: how it answers, and when it is interrupted. */
function momentsOfSummary(first: readonly Reply[]): Case[] {
  const arrived: Case["moment"] = (run, bound, arrival) => bound(unlessOver(run, arrival(asksForSummary)))
  const begun: Case["moment"] = (run, bound) => logged(run, bound, summaryBegan(run))
  const broken = gate()
  return [
    {
      name: "A its stream has ended",
      first,
      summary: text("Notes."),
      moment: (run, bound) => logged(run, bound, (entry) => isSummary(entry, true) !== undefined),
    },
    {
      name: "B its stream flows",
      first,
      summary: [text("only begun ".repeat(500), { chunks: 500 }), hang()],
      moment: begun,
    },
    { name: "C it hangs before the headers", first, summary: hang({ headers: false }), deaf: true, moment: arrived },
    { name: "C it hangs before the first byte", first, summary: hang(), deaf: true, moment: arrived },
    { name: "C it hangs in the answer", first, summary: [text("only begun"), hang()], deaf: true, moment: begun },
    {
      name: "F it breaks off in mid-stream",
      first,
      summary: [text("only begun"), waitFor(broken), cutStream()],
      async moment(run, bound, arrival) {
        await begun(run, bound, arrival)
        broken.open()
        const request = await arrival(asksForSummary)
        await bound(request.ended)
      },
    },
    {
      name: "its retry is waited for",
      first,
      summary: later(60),
      moment: (run, bound) => logged(run, bound, waitsToRetry),
    },
  ]
}

const bulky: Step[] = [toolCall("bash", { command: "seq 1 600" }), usage({ input: 15_500, output: 50 })]
const tooLong = status(400, {
  body: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
})

describe("a compaction is interrupted while its summary is asked for:", () => {
  for (const one of momentsOfSummary([bulky]))
    test(`at the limit, ${one.name}`, async () => {
      await using driver = await interruptDriver({ limit, config: { compaction } })
      expect(await judged(driver, one)).toEqual([])
      expect((await driver.engine.verify()).problems).toEqual([])
    })

  for (const one of momentsOfSummary([toolCall("bash", { command: "seq 1 600" }), tooLong]))
    test(`after an overflow, ${one.name}`, async () => {
      await using driver = await interruptDriver({ config: { compaction } })
      expect(await judged(driver, one)).toEqual([])
      expect((await driver.engine.verify()).problems).toEqual([])
    })

  for (const one of momentsOfSummary([text("A long answer. ".repeat(500))]).slice(1))
    test(`as the user asked for it, ${one.name}`, async () => {
      await using driver = await interruptDriver({ what: "compaction", config: { compaction } })
      expect(await judged(driver, one)).toEqual([])
      expect((await driver.engine.verify()).problems).toEqual([])
    })
})

describe("a retry is interrupted:", () => {
  const waits: Case["moment"] = (run, bound) => logged(run, bound, waitsToRetry)
  const cut = gate()
  const ran = partIs((part) => part.type === "tool" && part.state.status === "completed")
  const flow = gate()
  const cases: Case[] = [
    { name: "while it is waited for", first: [later(60)], moment: waits },
    { name: "while it is waited for, after tries at once", first: [atOnce, atOnce, later(60)], moment: waits },
    {
      name: "while it is waited for, after a stream that died behind a finished call",
      first: [[toolCall("bash", { command: "echo x" }), text("only begun"), waitFor(cut), cutStream()]],
      async moment(run, bound) {
        await logged(run, bound, ran)
        cut.open()
        await logged(run, bound, waitsToRetry)
      },
    },
    {
      name: "A while a tool of the second try runs and its stream has ended",
      first: [atOnce, sleeps],
      moment: (run, bound) => logged(run, bound, toolRuns),
    },
    {
      name: "B while a tool of the second try runs and its stream flows",
      first: [atOnce, [sleeps, waitFor(flow), text("and talk on ".repeat(200), { chunks: 200 }), hang()]],
      async moment(run, bound) {
        await logged(run, bound, toolRuns)
        flow.open()
      },
    },
    {
      name: "C while the second try hangs before its headers",
      first: [atOnce, hang({ headers: false })],
      deaf: true,
      moment: (run, bound, arrival) =>
        bound(
          unlessOver(
            run,
            arrival((_, index) => index === 1),
          ),
        ),
    },
    {
      name: "C while the second try hangs in its answer",
      first: [atOnce, [text("an answer"), hang()]],
      deaf: true,
      moment: (run, bound) => logged(run, bound, answerBegan),
    },
  ]
  for (const one of cases)
    test(one.name, async () => {
      await using driver = await interruptDriver()
      expect(await judged(driver, one)).toEqual([])
      expect((await driver.engine.verify()).problems).toEqual([])
      expect(processesWith(longSleep)).toEqual([])
    })
})

describe("a change of model is interrupted:", () => {
  const config = { model_fallback: ["chat/scripted"] }
  const limited = later(3_600)
  const second: Case["moment"] = (run, bound, arrival) =>
    bound(
      unlessOver(
        run,
        arrival((request) => request.protocol === "chat"),
      ),
    ).then(() => undefined)
  const flow = gate()
  const cut = gate()
  const cases: Case[] = [
    {
      name: "in the moment in which the first one is given up",
      first: [limited],
      moment: (run, bound) => logged(run, bound, waitsToRetry),
    },
    {
      name: "A while a tool of the second one runs",
      first: [limited, sleeps],
      moment: (run, bound) => logged(run, bound, toolRuns),
    },
    {
      name: "B while the second one's stream flows",
      first: [limited, [text("I go on ".repeat(500), { chunks: 500 }), waitFor(flow), hang()]],
      async moment(run, bound) {
        await logged(run, bound, answerBegan)
        flow.open()
      },
    },
    {
      name: "C while the second one hangs before its headers",
      first: [limited, hang({ headers: false })],
      deaf: true,
      moment: second,
    },
    {
      name: "C while the second one hangs before its first byte",
      first: [limited, hang()],
      deaf: true,
      moment: second,
    },
    {
      name: "F while the second one's stream breaks off",
      first: [limited, [text("I go on"), waitFor(cut), cutStream()]],
      async moment(run, bound, arrival) {
        await logged(run, bound, answerBegan)
        cut.open()
        const request = await arrival(({ protocol }) => protocol === "chat")
        await bound(request.ended)
      },
    },
    {
      name: "while the second one's retry is waited for",
      first: [limited, later(60)],
      moment: (run, bound) =>
        logged(
          run,
          bound,
          ({ event }) =>
            event.type === "message.part.updated" &&
            event.properties.part.type === "retry" &&
            event.properties.part.time.next !== undefined,
        ),
    },
    {
      name: "while its summary is asked of the second one",
      first: [bulky],
      summary: ({ protocol }) => (protocol === "chat" ? [text("only begun"), hang()] : limited),
      moment: second,
    },
  ]
  for (const one of cases)
    test(one.name, async () => {
      await using driver = await interruptDriver({ config: { ...config, compaction }, ...(one.summary && { limit }) })
      expect(await judged(driver, one)).toEqual([])
      expect((await driver.engine.verify()).problems).toEqual([])
      expect(processesWith(longSleep)).toEqual([])
    })
})

const rounds = process.env["CAIRN_TEST_LONG"] ? 400 : 50

test(`${rounds} random interrupts among retries, compactions and changes of model leave good logs`, async () => {
  const calls = [
    { name: "bash", args: { command: `sleep ${longSleep}` } },
    { name: "bash", args: { command: "seq 1 300" } },
  ]
  const troubles: Reply[] = [atOnce, later(60), tooLong, bulky, [text("half"), cutStream()], [text("Notes.")]]
  await using driver = await interruptDriver({ limit, config: { compaction, model_fallback: ["chat/scripted"] } })
  expect(await randomInterrupts(driver, rounds, 20_261_122, calls, { troubles })).toEqual([])
  expect((await driver.engine.verify()).problems).toEqual([])
  expect(processesWith(longSleep)).toEqual([])
}, 600_000)

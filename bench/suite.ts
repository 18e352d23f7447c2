import { stat } from "node:fs/promises"
import { join } from "node:path"
import { seedMessages } from "../packages/core/test/store/seed.ts"
import type { TempWorkspace } from "../packages/testkit/src/workspace.ts"
import { type Client, benchWorkspace, checkWork, databaseOf, prepare, stepsInLog } from "./client.ts"
import type { Matched } from "./edit-match.ts"
import { type Cost, measure, peakMemory } from "./measure.ts"
import { startScripted } from "./scripted.ts"
import type { Served } from "./server.ts"
import { type Figure, between, figure, growth, median, peak } from "./stats.ts"
import type { Row } from "./table.ts"
import { workloadNamed } from "./workload.ts"

export interface Suite {
  readonly floor: Client
  readonly cairn: Client
  /** Cairn without the sandbox. */
  readonly unbounded: Client
  /** Of the executable of Cairn. */
  readonly file: string
  /** How often each run is repeated, as a factor of the usual number. */
  readonly effort: number
  say(text: string): void
}

interface Sample extends Cost {
  readonly served: Served
}

/** What both clients gave, repetition by repetition. */
interface Samples<T> {
  readonly cairn: readonly T[]
  readonly floor: readonly T[]
}

const MB = 1024 * 1024

/** Runs everything, one after the other, and gives the rows in the order of DESIGN section 6. */
export async function runSuite(suite: Suite): Promise<Row[]> {
  return [
    ...(await startRows(suite)),
    ...(await hiRows(suite)),
    ...(await loopRows(suite)),
    ...(await sandboxRows(suite)),
    ...(await contextRows(suite)),
    ...(await deltaRows(suite)),
    ...(await memoryRows(suite)),
    ...(await matchRows(suite)),
    once("install size", "MB", (await stat(suite.file)).size, 160 * MB),
  ]
}

async function startRows(suite: Suite): Promise<Row[]> {
  await using space = await benchWorkspace()
  const program = (client: Client) => ({ argv: client.version, cwd: space.dir, env: space.env })
  const costs = await alternate(suite, "--version", 15, (client) => measure(program(client)))
  const memory = await alternate(suite, "--version, memory", 7, (client) => peakMemory(program(client)))
  return [
    row("`--version`, wall", "ms", costs, ({ wall }) => wall, 30),
    peakRow("`--version`, memory", memory, 50 * MB),
  ]
}

async function hiRows(suite: Suite): Promise<Row[]> {
  const first = await alternate(suite, "say hi in a new home", 3, async (client) => {
    await using space = await benchWorkspace()
    return await sample(space, client, "hi")
  })
  await using space = await benchWorkspace()
  const costs = await alternate(suite, "say hi", 11, (client) => sample(space, client, "hi"))
  return [
    row("say hi, wall", "ms", costs, ({ wall }) => wall, 120),
    row("say hi, CPU", "ms", costs, ({ cpu }) => cpu, 120),
    row("say hi in a new home (database made), wall", "ms", first, ({ wall }) => wall),
  ]
}

async function loopRows(suite: Suite): Promise<Row[]> {
  await using space = await benchWorkspace()
  const short = await alternate(suite, "loop of 50 steps", 5, (client) => sample(space, client, "loop-50", 50))
  const long = await alternate(suite, "loop of 200 steps", 3, (client) => sample(space, client, "loop-200", 200))
  const stepOf = ({ served: { arrivals } }: Sample) => between(arrivals, 0, arrivals.length - 1) / (arrivals.length - 1)
  const costs = { cairn: marginal(short.cairn, long.cairn, "cpu"), floor: marginal(short.floor, long.floor, "cpu") }
  const [one] = short.cairn
  if (!one?.served.first) throw new Error("the loop made no request")
  const kept = Math.min(...[...short.cairn, ...long.cairn].map(({ served }) => served.kept))
  return [
    row("tool loop of 50 steps, wall a step", "ms", short, stepOf, 5),
    row("tool loop of 200 steps, wall a step", "ms", long, stepOf, 5),
    { name: "tool loop, CPU a step (200 − 50 steps)", unit: "ms", ...costs, budget: 6 },
    row("growth: steps 181–200 to 1–20", "×", long, ({ served }) => growth(served.arrivals, 20, 0), 1.1),
    row("growth: steps 181–200 to 22–41 (warm)", "×", long, ({ served }) => growth(served.arrivals, 20, 21)),
    {
      ...once("events in the log: steps 181–200 to 1–20", "×", growth(stepsInLog(space, 201), 20, 0), 1.1),
      counted: true,
    },
    once("system prompt and tools of the first request", "tokens", one.served.first.tokens, 3000),
    { ...once("prompt bytes of request n kept in n + 1", "%", kept, 1), counted: true },
  ]
}

/** A step that runs a command, within the sandbox and (as the floor) without it. */
async function sandboxRows(suite: Suite): Promise<Row[]> {
  if (process.platform === "linux" && Bun.which("bwrap") === null) return []
  await using space = await benchWorkspace()
  const pair = { ...suite, floor: { ...suite.unbounded, name: "floor" as const } }
  const costs = await alternate(pair, "40 commands", 7, (client) => sample(space, client, "commands-40"))
  // The first command looks for the sandbox, and loads what reads a line.
  const stepOf = ({ served: { arrivals } }: Sample) => median(arrivals.slice(2).map((at, n) => at - arrivals[n + 1]!))
  const [inside, outside] = [figure(costs.cairn.map(stepOf)), figure(costs.floor.map(stepOf))]
  return [
    { name: "a command in the sandbox (floor: Cairn without it), a step", unit: "ms", cairn: inside, floor: outside },
    {
      ...{ name: "the sandbox, more a step", unit: "ms", budget: 6 },
      cairn: { min: inside.min - outside.min, median: inside.median - outside.median },
    },
  ]
}

/** What a step costs beside the start: both minima, both medians. */
function marginal(short: readonly Sample[], long: readonly Sample[], of: keyof Cost): Figure {
  const [a, b] = [figure(short.map((cost) => cost[of])), figure(long.map((cost) => cost[of]))]
  return { min: (b.min - a.min) / 150, median: (b.median - a.median) / 150 }
}

const sizes = [10, 100, 1_000, 10_000]

/** What a session costs by the messages it holds, of which all but the last few stand behind a summary. */
async function contextRows(suite: Suite): Promise<Row[]> {
  suite.say(`sessions of ${sizes.join(", ")} messages`)
  const steps = 30
  const held: { step: Figure; hi: Figure }[] = []
  for (const size of sizes) {
    await using space = await benchWorkspace()
    await sample(space, suite.cairn, "hi")
    const argv = ["--session", seedMessages(databaseOf(space), size)]
    const costs: Sample[] = []
    const start: number[] = []
    for (let turn = 0; turn < Math.max(2, Math.round(4 * suite.effort)); turn++) {
      costs.push(await sample(space, suite.cairn, `loop-${steps}`, steps, argv))
      start.push((await sample(space, suite.cairn, "hi", undefined, argv)).cpu)
    }
    held.push({
      step: figure(costs.map(({ served }) => between(served.arrivals, 1, steps) / (steps - 1))),
      hi: figure(start),
    })
  }
  const [least] = held
  const growthTo = (size: number, { step }: { step: Figure }): Row => ({
    ...{ name: `growth: a step with ${size.toLocaleString("en")} messages to one with 10`, unit: "×", budget: 1.2 },
    cairn: { min: step.min / least!.step.min, median: step.median / least!.step.median },
  })
  return [
    ...held.slice(1).map((each, n) => growthTo(sizes[n + 1]!, each)),
    ...held.map(({ hi }, n): Row => ({
      name: `say hi in a session of ${sizes[n]!.toLocaleString("en")} messages, CPU`,
      unit: "ms",
      cairn: hi,
    })),
  ]
}

async function deltaRows(suite: Suite): Promise<Row[]> {
  await using space = await benchWorkspace()
  const costs = await alternate(suite, "20,000 deltas", 5, (client) => sample(space, client, "deltas-20000"))
  return [
    row("20,000 deltas in one answer, wall", "s", costs, ({ wall }) => wall, 300),
    row("20,000 deltas in one answer, CPU", "s", costs, ({ cpu }) => cpu, 300),
  ]
}

async function memoryRows(suite: Suite): Promise<Row[]> {
  await using space = await benchWorkspace()
  const peaks = await alternate(suite, "memory of 50 steps", 2, async (client) => {
    await using scripted = await startScripted("loop-50")
    return await peakMemory(await prepare(space, client, scripted.baseURL, workloadNamed("loop-50").prompt))
  })
  return [peakRow("peak memory, loop of 50 steps", peaks, 90 * MB)]
}

async function matchRows(suite: Suite): Promise<Row[]> {
  suite.say("edit matching, 50,000 lines")
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "edit-match.ts")], { stdin: "ignore" })
  const [text, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`edit matching ended with ${code}`)
  return Object.entries(JSON.parse(text) as Record<string, Matched>).flatMap(([name, { ms, comparisons }]) => [
    once(`edit in 50,000 lines, ${name}`, "ms", ms),
    once(`edit in 50,000 lines, ${name}, comparisons`, "count", comparisons),
  ])
}

/** One run against a scripted model of its own. With `steps` the file must be as they leave it; `more` are arguments. */
async function sample(
  space: TempWorkspace,
  client: Client,
  name: string,
  steps?: number,
  more: readonly string[] = [],
): Promise<Sample> {
  const workload = workloadNamed(name)
  await using scripted = await startScripted(name)
  const program = await prepare(space, client, scripted.baseURL, workload.prompt)
  const cost = await measure({ ...program, argv: [...program.argv, ...more] })
  const served = await scripted.served()
  if (steps !== undefined) await checkWork(space, steps)
  const { arrivals, unexpected } = served
  if (unexpected.length > 0 || arrivals.length !== workload.requests)
    throw new Error(`${client.name}, ${name}: ${arrivals.length} requests. ${unexpected.join("; ")}`)
  return { ...cost, served }
}

/** Runs both in turn, so that what else the machine does meets both; the first run of each is not counted. */
async function alternate<T>(
  { floor, cairn, effort, say }: Suite,
  what: string,
  times: number,
  run: (client: Client) => Promise<T>,
): Promise<Samples<T>> {
  const wanted = Math.max(1, Math.round(times * effort))
  const samples = { cairn: [] as T[], floor: [] as T[] }
  say(`${what}, ${wanted} times`)
  for (let turn = -1; turn < wanted; turn++) {
    for (const client of [floor, cairn]) {
      const result = await run(client)
      if (turn >= 0) samples[client.name].push(result)
    }
  }
  return samples
}

function row<T>(name: string, unit: Row["unit"], samples: Samples<T>, of: (value: T) => number, budget?: number): Row {
  const { cairn, floor } = samples
  return {
    ...{ name, unit, cairn: figure(cairn.map(of)), floor: figure(floor.map(of)) },
    ...(budget === undefined ? {} : { budget }),
  }
}

function peakRow(name: string, { cairn, floor }: Samples<number>, budget: number): Row {
  return { name, unit: "MB", cairn: peak(cairn), floor: peak(floor), budget }
}

/** A row of one value, without a floor. */
function once(name: string, unit: Row["unit"], value: number, budget?: number): Row {
  return { name, unit, cairn: figure([value]), ...(budget === undefined ? {} : { budget }) }
}

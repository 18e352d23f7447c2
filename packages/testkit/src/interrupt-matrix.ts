import { gate } from "./gate.ts"
import {
  answerBegan,
  interrupted,
  toolRuns,
  unlessOver,
  type Bound,
  type InterruptDriver,
  type InterruptOptions,
  type InterruptRun,
  type LongCall,
  type Plan,
} from "./interrupt-run.ts"
import { cutStream, hang, text, toolCall, waitFor, type Step } from "./scenario.ts"

export type InterruptCase = "A" | "B" | "C" | "F"

/** Cases A, B, C and F for one tool. Gives the problems found, each with its case; empty is good. */
export async function interruptMatrix(
  driver: InterruptDriver,
  call: LongCall,
  options: InterruptOptions = {},
): Promise<string[]> {
  const problems: string[] = []
  for (const name of ["A", "B", "C", "F"] as const) problems.push(...(await interruptCase(driver, name, call, options)))
  return problems
}

/**
 * One case of the matrix:
 * A a tool runs and the stream has ended · B a tool runs and the stream flows ·
 * C the provider hangs and ignores the signal · F the provider breaks off in mid-stream.
 */
export async function interruptCase(
  driver: InterruptDriver,
  name: InterruptCase,
  call: LongCall,
  options: InterruptOptions = {},
): Promise<string[]> {
  const problems: string[] = []
  for (const [variant, plan] of plans(name, call, options)) {
    const found = await interrupted(driver, plan, options)
    problems.push(...found.map((problem) => `case ${name} (${variant}), ${call.name}: ${problem}`))
  }
  return problems
}

function plans(name: InterruptCase, call: LongCall, options: InterruptOptions): [string, Plan][] {
  const cases = { A: streamEnded, B: streamFlows, C: providerHangs, F: providerBreaksOff }
  return cases[name](toolCall(call.name, call.args), options)
}

/** What follows the first answer hangs, so that no turn can end before it is interrupted. */
const only =
  (...steps: Step[]) =>
  (index: number): Step[] =>
    index === 0 ? steps : [hang()]

async function callUnderWay(run: InterruptRun, bound: Bound, options: InterruptOptions): Promise<void> {
  await bound(unlessOver(run, toolRuns(run)))
  if (options.underWay) await bound(unlessOver(run, options.underWay(run)))
}

function streamEnded(call: Step, options: InterruptOptions): [string, Plan][] {
  const plan: Plan = {
    reply: only(text("I run it."), call),
    async interrupt(run, bound, server) {
      const request = await bound(unlessOver(run, server.received(0)))
      await bound(request.ended)
      await callUnderWay(run, bound, options)
    },
  }
  return [["the stream has ended", plan]]
}

function streamFlows(call: Step, options: InterruptOptions): [string, Plan][] {
  const flow = gate()
  const talk = text("and talk on ".repeat(200), { chunks: 400 })
  const plan: Plan = {
    reply: only(text("I run it."), call, waitFor(flow), talk, hang()),
    async interrupt(run, bound) {
      await callUnderWay(run, bound, options)
      flow.open()
    },
  }
  return [["the stream flows", plan]]
}

function providerHangs(): [string, Plan][] {
  const asked: Plan["interrupt"] = (run, bound, server) => bound(unlessOver(run, server.received(0)))
  const answering: Plan["interrupt"] = (run, bound) => bound(unlessOver(run, answerBegan(run)))
  return [
    ["before the headers", { deaf: true, reply: only(hang({ headers: false })), interrupt: asked }],
    ["before the first byte", { deaf: true, reply: only(hang()), interrupt: asked }],
    ["in the answer", { deaf: true, reply: only(text("I thi"), hang()), interrupt: answering }],
  ]
}

function providerBreaksOff(call: Step, options: InterruptOptions): [string, Plan][] {
  const breakOff = (steps: Step[], moment: (run: InterruptRun, bound: Bound) => Promise<unknown>): Plan => {
    const cut = gate()
    return {
      reply: only(...steps, waitFor(cut), cutStream()),
      async interrupt(run, bound, server) {
        await moment(run, bound)
        cut.open()
        await bound((await server.received(0)).ended)
      },
    }
  }
  const answering = (run: InterruptRun, bound: Bound) => bound(unlessOver(run, answerBegan(run)))
  const calling = (run: InterruptRun, bound: Bound) => callUnderWay(run, bound, options)
  const callsEarly = (options.protocol ?? "anthropic") === "anthropic"
  return [
    ["while a tool runs", breakOff([text("I run it."), call], callsEarly ? calling : answering)],
    ["in the answer", breakOff([text("I thi")], answering)],
  ]
}

import { describe, expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup, abortable, onAbort, until } from "@cairn/kernel/task"
import { createAnthropic } from "@ai-sdk/anthropic"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { DurableEvent, LogEntry, TurnEnd } from "@cairn/schema/event"
import type { AssistantMessage } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part, TextPart, ToolPart, ToolState } from "@cairn/schema/part"
import { interruptCase, interruptMatrix, type InterruptCase } from "./interrupt-matrix.ts"
import {
  answerBegan,
  interrupted,
  unlessOver,
  type InterruptDriver,
  type InterruptInput,
  type InterruptRun,
  type Plan,
} from "./interrupt-run.ts"
import { randomInterrupts } from "./random-interrupts.ts"
import { hang, text } from "./scenario.ts"

/** What an engine can do wrong at an interruption. */
type Fault = "tool unsettled" | "late event" | "leaked process" | "waits for the provider" | "rejects" | "early abort"

const sessionID = "ses_1"
const sleeper = { name: "bash", args: { command: "sleep 60" } }

/** An engine in small: one prompt, steps until there are no more calls, a process per call. Faults on request. */
class MiniRun implements InterruptRun {
  readonly sessionID = sessionID
  readonly done: Promise<TurnEnd>
  readonly #ids = new Ids(systemClock)
  readonly #group = new TaskGroup()
  readonly #log: LogEntry[] = []
  readonly #listeners = new Set<() => void>()
  readonly #children: number[] = []
  readonly #open = new Map<string, Part>()

  constructor(
    private readonly input: InterruptInput,
    private readonly fault: Fault | undefined,
  ) {
    this.done = this.#turn()
  }

  async abort(): Promise<void> {
    this.#group.cancel()
    if (this.fault !== "early abort") await this.done.catch(() => undefined)
  }

  log = () => this.#log
  childPids = () => this.#children
  subscribe(listener: () => void) {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose]() {
    await this.#group[Symbol.asyncDispose]()
    for (const pid of this.#children) {
      try {
        process.kill(pid, "SIGKILL")
      } catch (error) {
        expect(String(error)).toContain("ESRCH")
      }
    }
  }

  async #turn(): Promise<TurnEnd> {
    const time = 1
    this.#append({ type: "session.turn.started", properties: { sessionID, runID: "run_1", time } })
    const user = { id: this.#ids.next("message"), sessionID, role: "user" as const, time: { created: 1 } }
    const model = { providerID: "p", modelID: "m" }
    this.#append({ type: "message.updated", properties: { sessionID, info: { ...user, agent: "build", model } } })
    let reason: TurnEnd = "done"
    try {
      while ((await this.#step(user.id)) === "go on") continue
    } catch {
      reason = this.#group.signal.aborted ? "aborted" : "error"
    }
    this.#append({ type: "session.turn.ended", properties: { sessionID, runID: "run_1", time, reason } })
    if (this.fault === "late event")
      setImmediate(() => this.#append({ type: "todo.updated", properties: { sessionID, todos: [] } }))
    if (this.fault === "rejects") throw new Error("no outcome")
    return reason
  }

  async #step(parentID: string): Promise<"go on" | "end"> {
    const info: AssistantMessage = {
      id: this.#ids.next("message"),
      sessionID,
      role: "assistant",
      time: { created: 1 },
      parentID,
      modelID: "m",
      providerID: "p",
      mode: "build",
      agent: "build",
      path: { cwd: "/", root: "/" },
      cost: 0,
      tokens: noTokens(),
    }
    this.#append({ type: "message.updated", properties: { sessionID, info } })
    const tools = new TaskGroup(this.#group.signal)
    let calls = 0
    try {
      const stream = await this.#call()
      const source = this.fault === "waits for the provider" ? stream : until(stream, this.#group.signal)
      for await (const part of source) {
        if (part.type === "error") throw part.error
        if (part.type === "text-start") this.#part(this.#text(info.id))
        if (part.type === "text-end") this.#closeText()
        if (part.type !== "tool-call") continue
        calls++
        tools.run((signal) => this.#tool(info.id, part.toolCallId, part.toolName, signal)).catch(() => undefined)
      }
      await tools.join()
    } finally {
      await tools[Symbol.asyncDispose]()
      this.#closeText()
      this.#append({
        type: "message.updated",
        properties: { sessionID, info: { ...info, time: { created: 1, completed: 2 } } },
      })
    }
    this.#group.signal.throwIfAborted()
    return calls > 0 ? "go on" : "end"
  }

  async #call(): Promise<AsyncIterable<LanguageModelV4StreamPart>> {
    const provider = createAnthropic({
      baseURL: this.input.server.baseURL("anthropic"),
      apiKey: "k",
      fetch: this.input.fetch as typeof fetch,
    })
    const { signal } = this.#group
    const call = provider("claude-test").doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }],
      abortSignal: signal,
    })
    const answer = this.fault === "waits for the provider" ? await call : await abortable(Promise.resolve(call), signal)
    return answer.stream as unknown as AsyncIterable<LanguageModelV4StreamPart>
  }

  async #tool(messageID: string, callID: string, name: string, signal: AbortSignal): Promise<void> {
    const base = { id: this.#ids.next("part"), sessionID, messageID, type: "tool" as const, callID, tool: name }
    const settle = (state: ToolState) => this.#part({ ...base, state } satisfies ToolPart)
    settle({ status: "running", input: {}, time: { start: 1 } })
    const child = Bun.spawn(["sleep", "60"])
    this.#children.push(child.pid)
    const stop = onAbort(signal, () => {
      if (this.fault !== "leaked process") child.kill("SIGKILL")
    })
    if (this.fault !== "leaked process") await child.exited
    else await abortable(child.exited, signal).catch(() => undefined)
    stop()
    if (this.fault === "tool unsettled") return
    settle({ status: "error", input: {}, error: "interrupted", kind: "interrupted", time: { start: 1, end: 2 } })
    throw new Interrupted()
  }

  #text(messageID: string): TextPart {
    return { id: this.#ids.next("part"), sessionID, messageID, type: "text", text: "", time: { start: 1 } }
  }

  #closeText(): void {
    for (const part of this.#open.values()) {
      if (part.type === "text" && part.time) this.#part({ ...part, time: { ...part.time, end: 2 } })
    }
  }

  #part(part: Part): void {
    if (part.type === "text" && part.time?.end === undefined) this.#open.set(part.id, part)
    else this.#open.delete(part.id)
    this.#append({ type: "message.part.updated", properties: { sessionID, part, time: 1 } })
  }

  #append(event: DurableEvent): void {
    this.#log.push({ seq: this.#log.length + 1, id: `evt_${this.#log.length}`, sessionID, time: 1, event })
    for (const listener of this.#listeners) listener()
  }
}

const driver = (fault?: Fault): InterruptDriver => ({ start: (input) => Promise.resolve(new MiniRun(input, fault)) })

describe("an engine that behaves", () => {
  test.each(["A", "B", "C", "F"] as const)("passes case %s", async (name) => {
    expect(await interruptCase(driver(), name, sleeper)).toEqual([])
  })

  test("passes the whole matrix, and where the caller says when the call is under way", async () => {
    let asked = 0
    const underWay = () => Promise.resolve(asked++)
    expect(await interruptMatrix(driver(), sleeper, { underWay })).toEqual([])
    expect(asked).toBe(3)
  })

  test("passes random interrupts", async () => {
    expect(await randomInterrupts(driver(), 12, 1, [sleeper])).toEqual([])
  })
})

describe("an engine that does not", () => {
  const faults: [Fault, InterruptCase, string][] = [
    ["tool unsettled", "A", "is running at the turn's end"],
    ["tool unsettled", "B", "is running at the turn's end"],
    ["tool unsettled", "F", "is running at the turn's end"],
    ["late event", "C", "events were written after abort had resolved"],
    ["leaked process", "A", "processes outlive the run"],
    ["waits for the provider", "C", "abort took longer than 300 ms"],
    ["early abort", "A", "abort resolved before the turn had ended"],
    ["rejects", "B", "done rejected: Error: no outcome"],
  ]
  test.each(faults)("%s is found by case %s", async (fault, name, problem) => {
    const found = await interruptCase(driver(fault), name, sleeper, { bound: 300 })
    expect(found.join("\n")).toContain(problem)
    expect(found[0]).toStartWith(`case ${name} (`)
  })

  test("a turn that is over too early is not taken for a pass", async () => {
    const quick: InterruptDriver = {
      start: (input) => {
        const run = new MiniRun(input, undefined)
        void run.abort()
        return Promise.resolve(run)
      },
    }
    const found = await interruptMatrix(quick, sleeper, { bound: 300 })
    expect(found.join("\n")).toContain("the turn ended before it could be interrupted")
  })

  test.each([
    [() => Promise.resolve("done"), []],
    [() => Promise.resolve("error"), ["the next prompt ended as error, not as done"]],
    [() => new Promise<string>(() => undefined), ["the next prompt took longer than 300 ms"]],
    [undefined, ["the driver cannot go on"]],
  ])("a session that is used again is judged too", async (goOn, problems) => {
    const again: InterruptDriver = {
      start: (input) => Promise.resolve(Object.assign(new MiniRun(input, undefined), goOn && { goOn })),
    }
    const plan: Plan = {
      goesOn: true,
      reply: () => [text("I thi"), hang()],
      interrupt: (run, bound) => bound(unlessOver(run, answerBegan(run))),
    }
    expect(await interrupted(again, plan, { bound: 300 })).toEqual(problems)
  })

  test("troubles are among the random answers", async () => {
    let given = 0
    const trouble = {
      get type() {
        given++
        return "hang" as const
      },
      headers: true,
    }
    expect(await randomInterrupts(driver(), 9, 1, [], { troubles: [trouble] })).toEqual([])
    expect(given).toBeGreaterThan(0)
  })

  test("is found by random interrupts, with the seed that repeats it", async () => {
    const found = await randomInterrupts(driver("late event"), 3, 7, [sleeper])
    const seed = Number(/^seed (\d+)/.exec(found[0] ?? "")?.[1])
    expect(seed).toBeGreaterThanOrEqual(7)
    expect(await randomInterrupts(driver("late event"), 1, seed, [sleeper])).not.toEqual([])
  })
})

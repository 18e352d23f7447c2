import { describe, expect, test } from "bun:test"
import type { MessageWithParts } from "@cairn/schema/message"
import { noTokens } from "@cairn/schema/model"
import type { Part } from "@cairn/schema/part"
import { dateReminder } from "../prompt/reminder.ts"
import { historyOf, userWords } from "./history.ts"
import { prunable } from "./prune.ts"
import { shorten } from "./shorten.ts"
import { tailBudget, tailStart } from "./tail.ts"
import type { Target } from "./target.ts"

const model = { providerID: "p", modelID: "m" }
const target: Target = { ...model, accepts: () => false }
let count = 0
const next = (kind: string) => `${kind}_${String(++count).padStart(6, "0")}`
const base = (messageID: string) => ({ id: next("prt"), sessionID: "ses_1", messageID })

function user(text: string, extra: Partial<Part>[] = []): MessageWithParts {
  const id = next("msg")
  const parts = [{ type: "text", text }, ...extra].map((part) => ({ ...base(id), ...part }) as Part)
  return { info: { id, sessionID: "ses_1", role: "user", time: { created: 1 }, agent: "build", model }, parts }
}
function assistant(text: string, over: object = {}, outputs: string[] = []): MessageWithParts {
  const id = next("msg")
  const info = {
    ...{ id, sessionID: "ses_1", role: "assistant" as const, time: { created: 1, completed: 2 }, parentID: "msg_0" },
    ...{
      modelID: "m",
      providerID: "p",
      mode: "build",
      agent: "build",
      path: { cwd: "/", root: "/" },
      cost: 0,
      tokens: noTokens(),
    },
    ...over,
  }
  const calls = outputs.map((output, index): Part => ({
    ...base(id),
    type: "tool",
    callID: `call_${index}`,
    tool: "bash",
    state: { status: "completed", input: {}, output, title: "", metadata: {}, time: { start: 1, end: 2 } },
  }))
  return { info, parts: [...(text === "" ? [] : [{ ...base(id), type: "text" as const, text }]), ...calls] }
}
function compacted(summary: string, tail: string | undefined, over: object = {}): MessageWithParts[] {
  const request = user("", [
    { type: "compaction", auto: true, ...(tail !== undefined && { tail_start_id: tail }) } as Partial<Part>,
  ])
  return [request, assistant(summary, { summary: true, parentID: request.info.id, ...over })]
}

describe("history", () => {
  test("without a summary everything is sent", () => {
    const stored = [user("a"), assistant("b")]
    expect(historyOf(stored, 1_000)).toEqual({ opening: [], tail: [], since: stored })
  })

  test("the date of what was compacted stays, once, whatever is told later", () => {
    const dated = (day: string) => user("go", [{ type: "text", text: dateReminder(day), synthetic: true }])
    const [a, b, c] = [dated("Monday"), assistant("x"), dated("Tuesday")]
    const opening = (...stored: MessageWithParts[]) => JSON.stringify(historyOf(stored, 1_000).opening)
    const gone = [a, b, ...compacted("NOTES", undefined)]
    expect(opening(...gone)).toContain("Today is Monday")
    expect(opening(...gone, c)).toBe(opening(...gone))
    expect(opening(a, b, c, ...compacted("NOTES", c.info.id))).not.toContain("Today is")
    expect(opening(a, b, c, ...compacted("NOTES", undefined))).toContain("Today is Tuesday")
    expect(opening(user("no date"), b, ...compacted("NOTES", undefined))).not.toContain("Today is")
  })

  test("with one: the user's words, the notes, the tail, and what came since", () => {
    const [a, b, c, d] = [user("first wish"), assistant("x"), user("second wish"), assistant("y")]
    const since = [user("third"), assistant("z")]
    const history = historyOf([a, b, c, d, ...compacted("the notes", c.info.id), ...since], 1_000)
    expect(JSON.stringify(history.opening)).toContain("first wish")
    expect(JSON.stringify(history.opening)).toContain("the notes")
    expect(JSON.stringify(history.opening)).not.toContain("second wish")
    expect(history.tail).toEqual([c, d])
    expect(history.since.filter(({ parts }) => parts.some((part) => part.type === "text" && part.text !== ""))).toEqual(
      since,
    )
  })

  test("a summary that failed, broke off or is empty does not count; the one before it does", () => {
    const good = compacted("good notes", undefined)
    for (const over of [{ error: { name: "UnknownError", data: { message: "x" } } }, { time: { created: 1 } }]) {
      const stored = [user("a"), ...good, user("b"), ...compacted("bad notes", undefined, over), user("c")]
      const opening = JSON.stringify(historyOf(stored, 1_000).opening)
      expect(opening).toContain("good notes")
      expect(opening).not.toContain("bad notes")
    }
    expect(historyOf([user("a"), ...compacted("", undefined)], 1_000).opening).toEqual([])
  })

  test("the user's words are bounded: the first stays, then the newest that fit", () => {
    const messages = ["first", "x".repeat(50), "y".repeat(50), "last"].map((text) => user(text))
    expect(userWords(messages, 65)).toEqual(["first", "[messages between are left out]", "y".repeat(50), "last"])
    expect(userWords([user("z".repeat(100))], 10)).toEqual([`${"z".repeat(10)}\n[…]`])
    expect(userWords([], 10)).toEqual([])
  })
})

describe("tail", () => {
  test("a quarter of what is usable, within 2,000 and 15,000 tokens", () => {
    expect([4_000, 40_000, 400_000].map((usable) => tailBudget(usable))).toEqual([2_000, 10_000, 15_000])
    expect(tailBudget(40_000, 500)).toBe(500)
  })

  test("messages from the end as far as they fit, never a call without its result", () => {
    const messages = [user("a"), assistant("", {}, ["x".repeat(4_000)]), assistant("b"), user("c"), assistant("d")]
    expect(tailStart(messages, target, 500)).toBe(2)
    expect(tailStart(messages, target, 5_000)).toBe(0)
    expect(tailStart(messages, target, 1)).toBe(5)
  })

  test("what the user wrote last is in it whatever its size, also behind an answer that broke off", () => {
    const long = user("word ".repeat(10_000))
    expect(tailStart([user("a"), assistant("b"), long], target, 100)).toBe(2)
    expect(tailStart([user("a"), assistant("b"), long, assistant("")], target, 100)).toBe(2)
  })

  test("prompts before it that nobody could answer are in it only as far as they fit", () => {
    const long = user("word ".repeat(10_000))
    expect(tailStart([long, assistant(""), user("hi")], target, 100)).toBe(1)
    expect(tailStart([long, assistant(""), user("short"), assistant(""), user("hi")], target, 100)).toBe(1)
    expect(tailStart([user("a"), assistant("b"), long, assistant(""), long, assistant("")], target, 100)).toBe(4)
  })

  test("it never reaches back behind an earlier compaction, whatever the room", () => {
    const before = [user("a"), assistant("b"), user("kept"), assistant("too")]
    const stored = [...before, ...compacted("notes", before[2]!.info.id), assistant("c"), user("d")]
    expect(tailStart(stored, target, 100_000)).toBe(6)
    expect(tailStart(stored.slice(0, 6), target, 100_000)).toBe(6)
  })
})

describe("prune", () => {
  const turn = (n: number, size: number) => [user(`q${n}`), assistant("", {}, ["x".repeat(size * 4)])]

  test("clears results older than two turns and beyond what is protected, if it is worth it", () => {
    const stored = [1, 2, 3, 4, 5].flatMap((n) => turn(n, 10_000))
    // Usable 40,000: protected are the newest 20,000, and at least 10,000 must go.
    expect(prunable(stored, 40_000).map((part) => part.messageID)).toEqual(
      [stored[5]!, stored[3]!, stored[1]!].map(({ info }) => info.id),
    )
    expect(prunable(stored.slice(6), 40_000)).toEqual([])
    expect(
      prunable(
        [1, 2, 3].flatMap((n) => turn(n, 100)),
        40_000,
      ),
    ).toEqual([])
  })

  test("what was cleared before ends the search", () => {
    const stored = [1, 2, 3, 4, 5].flatMap((n) => turn(n, 10_000))
    const state = (stored[3]!.parts[0] as { state: { time: { compacted?: number } } }).state
    state.time.compacted = 1
    expect(prunable(stored, 40_000)).toHaveLength(1)
  })
})

test("a conversation is cut for its summary: long results, media, then older halves, never a result without its call", () => {
  const call = (id: string) => ({
    role: "assistant" as const,
    content: [{ type: "tool-call" as const, toolCallId: id, toolName: "bash", input: {} }],
  })
  const result = (id: string) => ({
    role: "tool" as const,
    content: [
      {
        type: "tool-result" as const,
        toolCallId: id,
        toolName: "bash",
        output: { type: "text" as const, value: "r".repeat(5_000) },
      },
    ],
  })
  const first = { role: "user" as const, content: [{ type: "text" as const, text: "first" }] }
  const messages = [first, ...["a", "b", "c", "d"].flatMap((id) => [call(id), result(id)])]
  expect(shorten(messages, 0)).toEqual(messages)
  expect(JSON.stringify(shorten(messages, 1)).length).toBeLessThan(4 * 2_500)
  for (const cut of [2, 3, 4]) {
    const kept = shorten(messages, cut)
    expect(kept[0]).toEqual(first)
    expect(kept.length).toBeLessThan(shorten(messages, cut - 1).length + (cut > 3 ? 1 : 0))
    for (const [index, message] of kept.entries())
      if (message.role === "tool") expect(kept[index - 1]?.role).toBe("assistant")
  }
})

test("a long text of the user is cut in its middle, since the request stands before or after what was pasted", () => {
  const text = `Summarise:\n${"x".repeat(50_000)}\nin one line`
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }]
  const cut = JSON.stringify(shorten(messages, 1))
  expect(cut.length).toBeLessThan(8_500)
  expect(cut).toMatch(/Summarise:.*\[42023 characters are left out\].*in one line/s)
  expect(shorten(messages, 0)).toEqual(messages)
})

describe("what may be cleared", () => {
  const long = "x".repeat(200_000)
  const turns = (...outputs: string[]) => outputs.flatMap((output) => [user("go"), assistant("", {}, [output])])

  test("never the results of the last two turns, however long they are", () => {
    expect(prunable(turns(long, long), 100_000)).toEqual([])
    expect(prunable(turns(long, long, long), 100_000)).toHaveLength(1)
  })

  test("a steered message and a note of ours are no turns", () => {
    const steered = user("more")
    Object.assign(steered.info, { metadata: { delivery: "steer" } })
    const note = user("", [{ type: "text", text: "note", synthetic: true }])
    note.parts.shift()
    const [first, ...rest] = turns(long, long)
    expect(prunable([first!, ...rest, steered, note], 100_000)).toEqual([])
  })

  test("never the text of a skill: it is an instruction", () => {
    const stored = turns(long, long, long)
    const call = stored[1]!.parts[0]!
    Object.assign(call, { tool: "skill" })
    expect(prunable(stored, 100_000)).toEqual([])
  })
})

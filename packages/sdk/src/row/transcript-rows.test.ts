import { describe, expect, test } from "bun:test"
import type { Part } from "@cairn/schema/part"
import type { Message } from "@cairn/schema/message"
import { assistant, text, tool, user } from "../../test/values.ts"
import type { MessageView } from "../store/body.ts"
import { TranscriptRows } from "./transcript-rows.ts"

/** A transcript that a test changes as the store does: new objects for what is new. */
function setUp(options?: ConstructorParameters<typeof TranscriptRows>[0]) {
  const messages = new Map<string, { view: MessageView; parts: Map<string, Part> } | undefined>()
  const rows = new TranscriptRows(options)
  const source = {
    get ids() {
      return [...messages.keys()]
    },
    message: (id: string) => messages.get(id)?.view,
    part: (id: string, partID: string) => messages.get(id)?.parts.get(partID),
  }
  const put = (info: Message, ...parts: readonly Part[]) => {
    const held = new Map(parts.map((part) => [part.id, part]))
    messages.set(info.id, { view: { info, parts: [...held.keys()] }, parts: held })
  }
  const change = (part: Part) => messages.get(part.messageID)?.parts.set(part.id, part)
  const update = (revert?: { messageID: string; partID?: string }) =>
    rows.update({ ...source, ids: source.ids, ...(revert && { revert }) })
  const shape = (revert?: { messageID: string; partID?: string }) =>
    update(revert).map(({ kind, parts }) => `${kind}${parts.length > 0 ? ` ${parts.join(" ")}` : ""}`)
  return { put, change, update, shape, drop: (id: string) => messages.set(id, undefined) }
}

const [first, second] = [{ messageID: "msg_1" }, { messageID: "msg_2" }]
const base = { sessionID: "ses_1" }

describe("what a message becomes", () => {
  test("a prompt is one row, without what was added for the model", () => {
    const { put, shape } = setUp()
    const note = { ...text({ ...first, id: "prt_n" }, "today is", 1), synthetic: true } as Part
    const file: Part = { ...base, ...first, id: "prt_f", type: "file", mime: "image/png", url: "data:," }
    put(user("msg_1"), text({ ...first, id: "prt_1" }, "look"), note, file)
    put(user("msg_2"), { ...note, ...second })
    expect(shape()).toEqual(["user prt_1 prt_f"])
  })

  test("an answer is a row a part, without steps, snapshots and what is empty", () => {
    const { put, shape } = setUp()
    put(
      assistant("msg_1"),
      { ...base, ...first, id: "prt_0", type: "step-start" },
      { ...base, ...first, id: "prt_1", type: "reasoning", text: "hm", time: { start: 1, end: 2 } },
      { ...base, ...first, id: "prt_2", type: "reasoning", text: "", time: { start: 1, end: 2 } },
      text({ ...first, id: "prt_3" }, ""),
      text({ ...first, id: "prt_4" }, "yes", 2),
      tool({ ...first, id: "prt_5" }, "completed", "bash"),
      { ...base, ...first, id: "prt_6", type: "snapshot", snapshot: "s" },
      { ...base, ...first, id: "prt_7", type: "compaction", auto: true },
    )
    expect(shape()).toEqual(["reasoning prt_1", "text prt_4", "tool prt_5", "compaction prt_7"])
  })

  test("a part that nobody knows yet, an error, and contents that are dropped are rows too", () => {
    const { put, drop, shape } = setUp()
    const odd = { ...base, ...first, id: "prt_1", type: "hologram" } as unknown as Part
    put({ ...assistant("msg_1"), error: { name: "MessageAbortedError", data: { message: "stopped" } } }, odd)
    drop("msg_2")
    expect(shape()).toEqual(["other prt_1", "error", "dropped"])
  })
})

describe("text that streams", () => {
  const blocks = (part: { text: string }) => part.text.split("\n\n").length

  test("is a row a block, of which only the last is live; the rows of before are the same objects", () => {
    const { put, change, update } = setUp({ blocks })
    put(user("msg_1"), text({ ...first, id: "prt_0" }, "go"))
    put(assistant("msg_2"), text({ ...second, id: "prt_1" }, "one\n\ntw"))
    const before = update()
    expect(before.map(({ id, live }) => [id, live])).toEqual([
      ["msg_1", false],
      ["prt_1:0", false],
      ["prt_1:1", true],
    ])
    change(text({ ...second, id: "prt_1" }, "one\n\ntwo"))
    expect(update()).toBe(before)
    change(text({ ...second, id: "prt_1" }, "one\n\ntwo\n\nthree"))
    const grown = update()
    expect([grown[0], grown[1]]).toEqual([before[0], before[1]])
    expect(grown[1]).toBe(before[1] as never)
    expect(grown.map(({ live }) => live)).toEqual([false, false, false, true])
    change(text({ ...second, id: "prt_1" }, "one\n\ntwo\n\nthree", 9))
    expect(update().map(({ live }) => live)).toEqual([false, false, false, false])
  })
})

describe("calls that say little", () => {
  const read = (id: string, of = first, name = "read") => tool({ ...of, id }, "completed", name)

  test("are one row from three of a kind in succession, also across messages", () => {
    const { put, shape } = setUp()
    put(assistant("msg_1"), read("prt_1"), read("prt_2"), { ...base, ...first, id: "prt_s", type: "step-start" })
    expect(shape()).toEqual(["tool prt_1", "tool prt_2"])
    put(assistant("msg_2"), read("prt_3", second), read("prt_4", second, "grep"))
    expect(shape()).toEqual(["tools prt_1 prt_2 prt_3", "tool prt_4"])
  })

  test("stand alone while they run, when they failed, and behind what was said", () => {
    const { put, change, shape } = setUp()
    const failed = {
      ...read("prt_3"),
      state: { status: "error", input: {}, error: "no", time: { start: 1, end: 2 } },
    } as Part
    put(assistant("msg_1"), read("prt_1"), read("prt_2"), tool({ ...first, id: "prt_3" }, "running"), read("prt_4"))
    expect(shape()).toHaveLength(4)
    change(failed)
    expect(shape()).toHaveLength(4)
    change(read("prt_3"))
    expect(shape()).toEqual(["tools prt_1 prt_2 prt_3 prt_4"])
    put(assistant("msg_1"), read("prt_1"), read("prt_2"), text({ ...first, id: "prt_t" }, "so", 1), read("prt_4"))
    expect(shape()).toHaveLength(4)
  })

  test("keep their row while more come", () => {
    const { put, update } = setUp()
    const all = ["prt_1", "prt_2", "prt_3", "prt_4"].map((id) => read(id))
    put(assistant("msg_1"), ...all.slice(0, 3))
    const [before] = update()
    put(assistant("msg_1"), ...all)
    const [after] = update()
    expect([before?.id, after?.id]).toEqual(["prt_1", "prt_1"])
    expect(update()[0]).toBe(after as never)
  })

  test("of other tools are never put together", () => {
    const { put, shape } = setUp()
    put(assistant("msg_1"), ...["prt_1", "prt_2", "prt_3"].map((id) => read(id, first, "edit")))
    expect(shape()).toHaveLength(3)
  })
})

test("what is reverted is one row that says how much", () => {
  const { put, shape, update } = setUp()
  put(user("msg_1"), text({ ...first, id: "prt_0" }, "go"))
  put(assistant("msg_2"), text({ ...second, id: "prt_1" }, "a", 1), text({ ...second, id: "prt_2" }, "b", 1))
  put(assistant("msg_3"), text({ id: "prt_3", messageID: "msg_3" }, "c", 1))
  expect(shape({ messageID: "msg_2" })).toEqual(["user prt_0", "reverted"])
  expect(update({ messageID: "msg_2" }).at(-1)?.hidden).toBe(2)
  expect(update({ messageID: "msg_2" })).toBe(update({ messageID: "msg_2" }))
  expect(shape({ messageID: "msg_2", partID: "prt_2" })).toEqual(["user prt_0", "text prt_1", "reverted"])
  expect(shape({ messageID: "msg_9" })).toHaveLength(4)
})

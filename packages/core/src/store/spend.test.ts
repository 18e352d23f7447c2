import { describe, expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import type { Tokens } from "@cairn/schema/model"
import * as make from "../../test/store/events.ts"
import { type TempStore, opened, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { verify } from "./verify.ts"

const { answered, assistantMessage, created, deleted, message, part, running, completed, spent, toolPart } = make

const tokens = (input: number): Omit<Tokens, "total"> => ({
  ...{ input, output: 0, reasoning: 0 },
  cache: { read: 0, write: 0 },
})
const spentEvent = (sessionID: string, more: Parameters<typeof spent>[0]): DurableEvent => ({
  type: "session.spent",
  properties: { sessionID, spent: spent(more) },
})
const rows = (temp: TempStore, table: string) =>
  temp.database.query<Record<string, unknown>, []>(`SELECT * FROM ${table} ORDER BY id`).all()

/** A session whose one answer was open and is finished. */
function answer(temp: TempStore, sessionID: string, id: string, more: Parameters<typeof answered>[2] = {}): void {
  temp.store.append(sessionID, [message(assistantMessage(sessionID, id)), message(answered(sessionID, id, more))])
}

describe("a finished answer", () => {
  test("is a row with its model, tokens by kind, cost and tool schemas, once", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    answer(temp, "ses_1", "msg_1", { unpriced: true, toolTokens: { read: 5 } })
    // What is said of it later (that its summary was of no use) costs nothing.
    temp.store.append("ses_1", [message(answered("ses_1", "msg_1", { cost: 9 }))])
    expect(rows(temp, "spend")).toEqual([
      {
        ...{ id: "ses_1_msg_1", session_id: "ses_1", project_id: null, time: 2, agent: "build", calls: 1 },
        ...{ provider_id: "demo", model_id: "tour", cost: 0.25, unpriced: 1, tool_tokens: `{"read":5}` },
        ...{ input: 1, output: 2, reasoning: 4, cache_read: 8, cache_write: 16 },
      },
    ])
  })

  test("that came whole was copied here, and one that nobody counted costs nothing", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1"), message(answered("ses_1", "msg_1"))])
    answer(temp, "ses_1", "msg_2", { tokens: tokens(0), cost: 0 })
    expect(rows(temp, "spend")).toEqual([])
  })

  test("may be nested deeper than SQLite reads, and be said again", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    const structured: unknown = JSON.parse("[".repeat(2_000) + "]".repeat(2_000))
    answer(temp, "ses_1", "msg_1", { structured })
    temp.store.append("ses_1", [message(answered("ses_1", "msg_1", { structured, cost: 9 }))])
    expect(temp.store.read.spentSince(0)).toEqual({ tokens: 31, money: 0.25 })
    expect(verify(temp.database).problems).toEqual([])
  })

  test("stays paid for when the message is taken back", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    answer(temp, "ses_1", "msg_1")
    temp.store.append("ses_1", [{ type: "message.removed", properties: { sessionID: "ses_1", messageID: "msg_1" } }])
    expect(temp.store.read.spentSince(0)).toEqual({ tokens: 31, money: 0.25 })
    expect(verify(temp.database).problems).toEqual([])
  })
})

describe("calls of tools", () => {
  const call = (temp: TempStore, ...states: Parameters<typeof toolPart>[3][]) =>
    temp.store.append(
      "ses_1",
      states.map((state) => part(toolPart("ses_1", "msg_1", "prt_1", state))),
    )
  const begun = () => {
    const temp = tempStore()
    temp.store.append("ses_1", [created("ses_1"), message(assistantMessage("ses_1", "msg_1"))])
    return temp
  }
  const base = { id: "ses_1_prt_1", session_id: "ses_1", tool: "read" }

  test("are counted while they run, and measured when they settle, once", () => {
    using temp = begun()
    call(temp, { status: "pending", input: {}, raw: "" }, running)
    expect(rows(temp, "tool_call")).toEqual([{ ...base, ended: null, failed: null, bytes: null, media: null }])
    const file = { id: "prt_2", sessionID: "ses_1", messageID: "msg_1", type: "file", mime: "image/png", url: "data:," }
    call(temp, completed("é\0😀", { attachments: [{ ...file, type: "file" }] }))
    call(temp, completed("pruned", { time: { start: 1, end: 2, compacted: 3 } }))
    expect(rows(temp, "tool_call")).toEqual([{ ...base, ended: 2, failed: 0, bytes: 7, media: 1 }])
  })

  test("that failed are told apart, and those that came settled were copied", () => {
    using temp = begun()
    call(temp, running, { status: "error", input: {}, error: "no", time: { start: 1, end: 5 } })
    expect(rows(temp, "tool_call")).toEqual([{ ...base, ended: 5, failed: 1, bytes: 2, media: 0 }])
    temp.store.append("ses_1", [part(toolPart("ses_1", "msg_1", "prt_9", completed("copied")))])
    expect(rows(temp, "tool_call")).toHaveLength(1)
  })
})

describe("what was spent", () => {
  test("since a time is everything that was counted then, also beside the conversation", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1"), spentEvent("ses_1", { time: 10, cost: 0.5, tokens: tokens(7) })])
    temp.store.append("ses_2", [created("ses_2"), spentEvent("ses_2", { time: 20, cost: 0.25, tokens: tokens(5) })])
    expect(temp.store.read.spentSince(0)).toEqual({ tokens: 12, money: 0.75 })
    expect(temp.store.read.spentSince(20)).toEqual({ tokens: 5, money: 0.25 })
    expect(temp.store.read.spentSince(21)).toEqual({ tokens: 0, money: 0 })
    const plan = temp.database.query<{ detail: string }, [number]>(
      "EXPLAIN QUERY PLAN SELECT sum(cost) FROM spend WHERE time >= ?",
    )
    expect(plan.all(0).map((row) => row.detail)).toEqual(["SEARCH spend USING INDEX spend_time (time>?)"])
  })

  test("by a tree of sessions is that of the outermost one and all its subagents, whichever is named", () => {
    using temp = tempStore()
    const total = (input: number, parentID?: string) => ({
      ...{ cost: input / 8, tokens: tokens(input) },
      ...(parentID !== undefined && { parentID }),
    })
    temp.store.append("ses_1", [created("ses_1", total(8))])
    temp.store.append("ses_2", [created("ses_2", total(16, "ses_1"))])
    temp.store.append("ses_3", [created("ses_3", total(32, "ses_2"))])
    temp.store.append("ses_4", [created("ses_4", { parentID: "ses_1" })])
    temp.store.append("ses_5", [created("ses_5", total(64))])
    for (const id of ["ses_1", "ses_2", "ses_3", "ses_4"])
      expect([id, temp.store.read.spentInTree(id)]).toEqual([id, { tokens: 56, money: 7 }])
    expect(temp.store.read.spentInTree("ses_5")).toEqual({ tokens: 64, money: 8 })
    expect(temp.store.read.spentInTree("ses_9")).toEqual({ tokens: 0, money: 0 })
    // Without the one between, its subagent stands for itself.
    temp.store.append("ses_2", [deleted("ses_2")])
    expect(temp.store.read.spentInTree("ses_3")).toEqual({ tokens: 32, money: 4 })
  })

  test("by a ring of parents is counted once", () => {
    using temp = tempStore()
    for (const [id, parentID] of [
      ["ses_1", "ses_2"],
      ["ses_2", "ses_1"],
      ["ses_3", "ses_1"],
    ] as const)
      temp.store.append(id, [created(id, { parentID, cost: 1, tokens: tokens(1) })])
    for (const id of ["ses_1", "ses_2"]) expect(temp.store.read.spentInTree(id)).toEqual({ tokens: 3, money: 3 })
    expect(temp.store.read.spentInTree("ses_3")).toEqual({ tokens: 1, money: 1 })
  })
})

describe("a deleted session", () => {
  const quarter = 15 * 60_000

  test("keeps what it cost, by agent, model and quarter of an hour, through a replay too", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    answer(temp, "ses_1", "msg_1", { time: { created: 1, completed: quarter + 1 } })
    answer(temp, "ses_1", "msg_2", { time: { created: 1, completed: 2 * quarter - 1 } })
    answer(temp, "ses_1", "msg_3", { time: { created: 1, completed: 2 * quarter } })
    temp.store.append("ses_1", [spentEvent("ses_1", { time: quarter + 2, unpriced: true, cost: 0 })])
    const before = temp.store.read.spentSince(0)
    const kept = temp.store.read.spendingOf("ses_1")
    expect(kept.map(({ time, agent, calls, cost, unpriced }) => [time, agent, calls, cost, unpriced])).toEqual([
      [quarter + 1, "build", 2, 0.5, undefined],
      [quarter + 2, "title", undefined, 0, true],
      [2 * quarter, "build", undefined, 0.25, undefined],
    ])
    temp.store.append("ses_1", [deleted("ses_1", kept)])
    expect(temp.store.read.spentSince(0)).toEqual(before)
    expect(rows(temp, "spend").map((row) => [row["project_id"], row["calls"]])).toEqual([
      ["project-1", 2],
      ["project-1", 1],
      ["project-1", 1],
    ])
    expect(verify(temp.database).problems).toEqual([])
  })
})

test("a file from before there were these tables gets what its log says", () => {
  using dir = tempDir()
  let wanted: unknown[] = []
  {
    using temp = tempStore({ file: dir.file })
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.append("ses_2", [created("ses_2", { parentID: "ses_1" })])
    answer(temp, "ses_2", "msg_1", { cost: 0.1 + 0.2 })
    temp.store.append("ses_2", [
      message(assistantMessage("ses_2", "msg_2")),
      ...[running, completed("é\0😀 \ud800")].map((state) => part(toolPart("ses_2", "msg_2", "prt_1", state))),
      part(toolPart("ses_2", "msg_2", "prt_2", running)),
    ])
    wanted = [rows(temp, "spend"), rows(temp, "tool_call"), rows(temp, "session")]
    for (const sql of [
      ...["DROP TABLE spend", "DROP TABLE tool_call", "DROP INDEX session_parent", "DROP TABLE file_change"],
      ...["DROP TABLE search", "DROP TABLE search_pending", "DROP TABLE revert"],
      ...["DROP INDEX message_summary", "ALTER TABLE session DROP COLUMN parent_id"],
      ...["DELETE FROM migration WHERE name >= '0002_spend'"],
    ])
      temp.database.run(sql)
  }
  using database = opened(dir.file)
  const all = (table: string) => database.query(`SELECT * FROM ${table} ORDER BY id`).all()
  expect([all("spend"), all("tool_call"), all("session")]).toEqual(wanted as never)
  expect(verify(database).problems).toEqual([])
})

import { describe, expect, test } from "bun:test"
import * as make from "../../test/store/events.ts"
import { tempStore } from "../../test/store/temp-store.ts"

const { created, message, part, textPart, userMessage } = make

describe("a list of sessions", () => {
  function some() {
    const temp = tempStore()
    const at = (id: string, updated: number, more: object = {}) =>
      temp.store.append(id, [created(id, { time: { created: 1, updated }, ...more })])
    at("ses_1", 5, { title: "Fix the Parser", directory: "/repo" })
    at("ses_2", 5, { title: "PARSER again", directory: "/repo/inner" })
    at("ses_3", 7, { title: "100%_done", directory: "/repository", parentID: "ses_1" })
    at("ses_4", 1, { title: "old", directory: "/repo/inner/deep" })
    const ids = (where: Parameters<typeof temp.store.read.sessions>[0]) =>
      temp.store.read.sessions(where).map(({ id }) => id)
    return { temp, ids, [Symbol.dispose]: () => temp[Symbol.dispose]() }
  }

  test("is searched by title, whatever its case; signs of patterns mean themselves", () => {
    using list = some()
    expect(list.ids({ search: "parser" })).toEqual(["ses_1", "ses_2"])
    expect(list.ids({ search: "%_" })).toEqual(["ses_3"])
    expect(list.ids({ search: "_" })).toEqual(["ses_3"])
    expect(list.ids({ search: "x' OR 1=1 --" })).toEqual([])
  })

  test("has what lies below a directory, not what only begins like it", () => {
    using list = some()
    expect(list.ids({ below: "/repo" })).toEqual(["ses_1", "ses_2", "ses_4"])
    expect(list.ids({ below: "/repo/" })).toEqual(["ses_2", "ses_4"])
    expect(list.ids({ below: "/repo/inner" })).toEqual(["ses_2", "ses_4"])
    expect(list.ids({ below: "/" })).toHaveLength(4)
  })

  test("leaves out children and what was not used lately", () => {
    using list = some()
    expect(list.ids({ roots: true })).toEqual(["ses_1", "ses_2", "ses_4"])
    expect(list.ids({ since: 5 })).toEqual(["ses_3", "ses_1", "ses_2"])
    expect(list.ids({ since: 5, roots: true, below: "/repo/inner" })).toEqual(["ses_2"])
  })

  test("goes on behind any session, equals by their id", () => {
    using list = some()
    const all = list.ids({})
    expect(all).toEqual(["ses_3", "ses_1", "ses_2", "ses_4"])
    const seen: string[] = []
    for (let last: string | undefined; ;) {
      const updated = last === undefined ? 0 : list.temp.store.read.session(last)!.time.updated
      const [next] = list.ids({ limit: 1, ...(last !== undefined && { after: { updated, id: last } }) })
      if (next === undefined) break
      seen.push(next)
      last = next
    }
    expect(seen).toEqual(all)
    expect(list.ids({ after: { updated: 5, id: "ses_1x" } })).toEqual(["ses_2", "ses_4"])
  })
})

describe("a page of messages", () => {
  test("has the newest, oldest first, each with its parts; before a message those that came before it", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    // Their ids do not ascend: the log says the order.
    for (const id of ["msg_5", "msg_2", "msg_9", "msg_1"])
      temp.store.append("ses_1", [message(userMessage("ses_1", id)), part(textPart("ses_1", id, `prt_${id}`))])
    const page = (limit: number, before?: string) =>
      temp.store.read.messagePage("ses_1", { limit, before }).map(({ info, parts }) => [info.id, parts.length])
    expect(page(2)).toEqual([
      ["msg_9", 1],
      ["msg_1", 1],
    ])
    expect(page(2, "msg_9")).toEqual([
      ["msg_5", 1],
      ["msg_2", 1],
    ])
    expect(page(9)).toHaveLength(4)
    expect([page(2, "msg_5"), page(2, "msg_none"), page(0)]).toEqual([[], [], []])
    temp.store.append("ses_2", [created("ses_2"), message(userMessage("ses_2", "msg_7"))])
    expect(page(2, "msg_7")).toEqual([])
  })
})

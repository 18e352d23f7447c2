import { describe, expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import * as make from "../../test/store/events.ts"
import { tempStore } from "../../test/store/temp-store.ts"
import { type Reader, createReader } from "./read.ts"
import { verify } from "./verify.ts"

const { created, delta, message, part, textPart, userMessage } = make
const project = (id: string, commonDir: string): DurableEvent => ({
  type: "project.updated",
  properties: { id, worktree: "/repo", vcs: "git", commonDir, time: { created: 1, updated: 1 } },
})

describe("messages and parts", () => {
  test("come in the order of the log, not of their ids, each part with its message", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [
      created("ses_1"),
      message(userMessage("ses_1", "msg_9")),
      message(userMessage("ses_1", "msg_1")),
      part(textPart("ses_1", "msg_9", "prt_9")),
      part(textPart("ses_1", "msg_1", "prt_5")),
      part(textPart("ses_1", "msg_9", "prt_1")),
      // A change does not move them.
      message(userMessage("ses_1", "msg_9")),
      part(textPart("ses_1", "msg_9", "prt_9", "later")),
    ])
    const shape = temp.store.read.messages("ses_1").map(({ info, parts }) => [info.id, parts.map(({ id }) => id)])
    expect(shape).toEqual([
      ["msg_9", ["prt_9", "prt_1"]],
      ["msg_1", ["prt_5"]],
    ])
    expect(temp.store.read.parts("msg_9").map(({ id }) => id)).toEqual(["prt_9", "prt_1"])
    expect(temp.store.read.message("msg_1")).toEqual(userMessage("ses_1", "msg_1"))
    expect(temp.store.read.message("msg_x")).toBeUndefined()
    expect(temp.store.read.messages("ses_x")).toEqual([])
  })

  test("an open part has its durable deltas; closing it replaces them", () => {
    using temp = tempStore()
    const open = textPart("ses_1", "msg_1", "prt_1", "a ")
    const text = () => temp.store.read.parts("msg_1").map((one) => (one.type === "text" ? one.text : ""))
    temp.store.append("ses_1", [created("ses_1"), message(userMessage("ses_1", "msg_1")), part(open)])
    temp.store.append("ses_1", [delta(open, "b "), delta(open, "ü\u0000😀", 2)])
    expect(text()).toEqual(["a b ü\u0000😀"])
    temp.store.append("ses_1", [delta(open, "{}", 0, "metadata")])
    expect(text()).toEqual(["a b ü\u0000😀"])
    temp.store.append("ses_1", [part({ ...open, text: "whole" })])
    expect(text()).toEqual(["whole"])
    temp.store.append("ses_1", [delta({ ...open, id: "prt_gone" }, "x")])
    expect(text()).toEqual(["whole"])
  })

  test("removing a message takes its parts; another session cannot remove it", () => {
    using temp = tempStore()
    temp.store.append("ses_2", [created("ses_2")])
    temp.store.append("ses_1", [
      created("ses_1"),
      message(userMessage("ses_1", "msg_1")),
      part(textPart("ses_1", "msg_1", "prt_1")),
      part(textPart("ses_1", "msg_1", "prt_2")),
    ])
    temp.store.append("ses_2", [
      { type: "message.removed", properties: { sessionID: "ses_2", messageID: "msg_1" } },
      { type: "message.part.removed", properties: { sessionID: "ses_2", messageID: "msg_1", partID: "prt_1" } },
    ])
    expect(temp.store.read.parts("msg_1")).toHaveLength(2)
    temp.store.append("ses_1", [
      { type: "message.part.removed", properties: { sessionID: "ses_1", messageID: "msg_1", partID: "prt_1" } },
    ])
    expect(temp.store.read.parts("msg_1").map(({ id }) => id)).toEqual(["prt_2"])
    temp.store.append("ses_1", [{ type: "message.removed", properties: { sessionID: "ses_1", messageID: "msg_1" } }])
    expect(temp.store.read.parts("msg_1")).toEqual([])
    expect(temp.store.read.messages("ses_1")).toEqual([])
  })

  test("lastIDs are the greatest of the session, also when they came out of order", () => {
    using temp = tempStore()
    expect(temp.store.read.lastIDs("ses_1")).toEqual({ message: undefined, part: undefined })
    temp.store.append("ses_1", [
      created("ses_1"),
      message(userMessage("ses_1", "msg_2")),
      message(userMessage("ses_1", "msg_1")),
      part(textPart("ses_1", "msg_1", "prt_4")),
      part(textPart("ses_1", "msg_1", "prt_3")),
    ])
    temp.store.append("ses_2", [created("ses_2"), message(userMessage("ses_2", "msg_7"))])
    expect(temp.store.read.lastIDs("ses_1")).toEqual({ message: "msg_2", part: "prt_4" })
  })
})

describe("sessions and projects", () => {
  test("newest first, of the ids that one project has had, at most so many", () => {
    using temp = tempStore()
    const at = (id: string, projectID: string, time: number) =>
      temp.store.append(id, [created(id, { projectID, time: { created: 1, updated: time } })])
    at("ses_1", "root", 3)
    at("ses_2", "path-hash", 5)
    at("ses_3", "other", 9)
    at("ses_4", "root", 4)
    const ids = (where: Parameters<typeof temp.store.read.sessions>[0]) =>
      temp.store.read.sessions(where).map(({ id }) => id)
    expect(ids({ projects: ["root", "path-hash"] })).toEqual(["ses_2", "ses_4", "ses_1"])
    expect(ids({ projects: ["root", "path-hash"], limit: 1 })).toEqual(["ses_2"])
    expect(ids({ projects: [] })).toEqual([])
    expect(ids({})).toEqual(["ses_3", "ses_2", "ses_4", "ses_1"])
  })

  test("of some directories, before the number is cut", () => {
    using temp = tempStore()
    const at = (id: string, directory: string, time: number) =>
      temp.store.append(id, [created(id, { projectID: "root", directory, time: { created: 1, updated: time } })])
    at("ses_1", "/here", 1)
    for (let n = 2; n < 9; n++) at(`ses_${n}`, 'there "and" far', n)
    const ids = (where: Parameters<typeof temp.store.read.sessions>[0]) =>
      temp.store.read.sessions(where).map(({ id }) => id)
    expect(temp.store.read.directories(["root"]).toSorted()).toEqual(["/here", 'there "and" far'])
    expect(temp.store.read.directories(["other"])).toEqual([])
    expect(ids({ projects: ["root"], directories: ["/here"], limit: 2 })).toEqual(["ses_1"])
  })

  test("a change of a session moves it and can give it to another project", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1", { projectID: "path-hash" })])
    temp.store.append("ses_1", [make.updated("ses_1", { projectID: "root", time: { created: 1, updated: 8 } })])
    expect(temp.store.read.sessions({ projects: ["path-hash"] })).toEqual([])
    expect(temp.store.read.sessions({ projects: ["root"] })[0]?.time.updated).toBe(8)
  })

  test("a project is found by its common directory, the newest of several", () => {
    using temp = tempStore()
    for (const id of ["path-hash", "root"]) temp.store.append(id, [project(id, "/repo/.git")])
    expect(temp.store.read.projectByCommonDir("/repo/.git")?.id).toBe("root")
    expect(temp.store.read.project("path-hash")?.commonDir).toBe("/repo/.git")
    expect(temp.store.read.projectByCommonDir("/elsewhere")).toBeUndefined()
  })
})

describe("what waits", () => {
  test("prompts, oldest first, until they are delivered", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [
      created("ses_1"),
      make.inboxAdded("ses_1", make.inboxItem("inb_2")),
      make.inboxAdded("ses_1", make.inboxItem("inb_1", "steer")),
      { type: "session.inbox.updated", properties: { sessionID: "ses_1", item: make.inboxItem("inb_2", "steer") } },
    ])
    const items = () => temp.store.read.inbox("ses_1").map(({ id, delivery }) => [id, delivery])
    expect(items()).toEqual([
      ["inb_2", "steer"],
      ["inb_1", "steer"],
    ])
    temp.store.append("ses_1", [
      { type: "session.inbox.removed", properties: { sessionID: "ses_1", inboxID: "inb_2", reason: "delivered" } },
    ])
    expect(items()).toEqual([["inb_1", "steer"]])
  })

  test("asks and questions without an answer, of a session or of all", () => {
    using temp = tempStore()
    for (const n of [1, 2])
      temp.store.append(`ses_${n}`, [
        created(`ses_${n}`),
        make.asked(`ses_${n}`, `per_${n}`),
        make.questioned(`ses_${n}`, `que_${n}`),
      ])
    const pending = (sessionID?: string) => [
      temp.store.read.pendingPermissions(sessionID).map(({ id }) => id),
      temp.store.read.pendingQuestions(sessionID).map(({ id }) => id),
    ]
    expect(pending()).toEqual([
      ["per_1", "per_2"],
      ["que_1", "que_2"],
    ])
    temp.store.append("ses_1", [
      make.replied("ses_1", "per_1", { reply: "once" }),
      { type: "question.rejected", properties: { sessionID: "ses_1", requestID: "que_1" } },
    ])
    expect(pending("ses_1")).toEqual([[], []])
    temp.store.append("ses_2", [
      { type: "question.replied", properties: { sessionID: "ses_2", requestID: "que_2", answers: [["a"]] } },
    ])
    expect(pending()).toEqual([["per_2"], []])
  })

  test("open turns and todos", () => {
    using temp = tempStore()
    const todo = { content: "write", status: "pending", priority: "high" }
    temp.store.append("ses_1", [
      created("ses_1"),
      make.turnStarted("ses_1", "run_1"),
      make.turnEnded("ses_1", "run_1"),
      make.turnStarted("ses_1", "run_2"),
      { type: "todo.updated", properties: { sessionID: "ses_1", todos: [todo, todo] } },
      { type: "todo.updated", properties: { sessionID: "ses_1", todos: [todo] } },
    ])
    expect(temp.store.read.openTurns("ses_1")).toEqual(["run_2"])
    expect(temp.store.read.todos("ses_1")).toEqual([todo])
    expect(temp.store.read.todos("ses_2")).toEqual([])
  })
})

test("approvals for good: of the session, and of the project's sessions under every id that it has had", () => {
  using temp = tempStore()
  const approve = (session: string, projectID: string, reply: Parameters<typeof make.replied>[2]) =>
    temp.store.append(session, [
      created(session, { projectID }),
      make.asked(session, `per_${session}`),
      make.replied(session, `per_${session}`, reply),
    ])
  approve("ses_1", "root", { reply: "always", scope: "session" })
  approve("ses_2", "path-hash", { reply: "always", scope: "project", message: "fine" })
  approve("ses_3", "other", { reply: "always", scope: "project" })
  approve("ses_4", "root", { reply: "once" })
  approve("ses_5", "root", { reply: "always" })
  approve("ses_6", "root", { reply: "reject" })
  const of = (session: string, projects: string[]) =>
    temp.store.read.approvals(session, projects).map(({ request }) => request.id)
  expect(of("ses_1", ["root"])).toEqual(["per_ses_1"])
  expect(of("ses_1", ["root", "path-hash"])).toEqual(["per_ses_1", "per_ses_2"])
  expect(of("ses_3", [])).toEqual(["per_ses_3"])
  expect(of("ses_4", ["root"])).toEqual([])
  const all = (...projects: string[]) => temp.store.read.allApprovals(projects).map(({ request }) => request.id)
  expect(all("root")).toEqual(["per_ses_1", "per_ses_5"])
  expect(all("root", "path-hash", "other")).toEqual(["per_ses_1", "per_ses_2", "per_ses_3", "per_ses_5"])
  expect(all()).toEqual([])
  expect(temp.store.read.approvals("ses_2", [])[0]?.reply).toEqual({
    reply: "always",
    scope: "project",
    message: "fine",
  })
})

test("an approval that was removed is none; only one that holds can be removed", () => {
  using temp = tempStore()
  const removed = (sessionID: string, requestID: string) =>
    temp.store.append(sessionID, [{ type: "permission.removed", properties: { sessionID, requestID } }])
  for (const [session, reply] of Object.entries({ ses_1: "always", ses_2: "always", ses_3: "once" } as const))
    temp.store.append(session, [
      created(session, { projectID: "root" }),
      make.asked(session, `per_${session}`),
      make.replied(session, `per_${session}`, { reply, scope: "project", message: "fine" }),
    ])
  removed("ses_1", "per_ses_1")
  expect(temp.store.read.allApprovals(["root"]).map(({ request }) => request.id)).toEqual(["per_ses_2"])
  expect(temp.store.read.approvals("ses_1", [])).toEqual([])
  // What is left of it in the row is the call that it answered.
  const row = temp.database.query<{ reply: string }, []>("SELECT reply FROM permission WHERE id = 'per_ses_1'").get()
  expect(JSON.parse(row!.reply)).toEqual({ reply: "once", message: "fine" })
  const seq = temp.store.read.lastSeq()
  for (const [session, id] of [
    ["ses_1", "per_ses_1"],
    ["ses_3", "per_ses_3"],
    ["ses_1", "per_ses_2"],
    ["ses_1", "per_none"],
  ] as const)
    expect(() => removed(session, id)).toThrow("nothing is approved for good")
  expect(temp.store.read.lastSeq()).toBe(seq)
  expect(verify(temp.database).problems).toEqual([])
})

describe("the day of a time", () => {
  test("is the same from midnight to midnight on this machine", () => {
    using temp = tempStore()
    const { localDay } = temp.store.read
    const at = (day: number, ...time: [number, number, number, number]) => new Date(2026, 10, day, ...time).getTime()
    expect(localDay(at(21, 0, 0, 0, 0))).toEqual({ weekday: 6, date: "2026-11-21" })
    expect(localDay(at(21, 23, 59, 59, 999))).toEqual({ weekday: 6, date: "2026-11-21" })
    expect(localDay(at(22, 0, 0, 0, 0))).toEqual({ weekday: 0, date: "2026-11-22" })
  })

  test.each([
    ["WEST+11", { weekday: 6, date: "2026-11-21" }],
    ["UTC0", { weekday: 0, date: "2026-11-22" }],
    ["EAST-14", { weekday: 1, date: "2026-11-23" }],
  ])("follows the zone of the machine: %s", (zone, day) => {
    const script = `
      import { Database } from "bun:sqlite"
      import { createReader } from ${JSON.stringify(import.meta.resolve("./read.ts"))}
      console.log(JSON.stringify(createReader(new Database(":memory:")).localDay(Date.UTC(2026, 10, 22, 10, 30))))`
    const child = Bun.spawnSync([process.execPath, "-e", script], { env: { ...process.env, TZ: zone } })
    expect(JSON.parse(child.stdout.toString())).toEqual(day)
  })
})

test("no read that a turn makes walks a whole table", () => {
  using temp = tempStore()
  const seen: string[] = []
  const { prepare } = temp.database
  temp.database.prepare = (...input: Parameters<typeof prepare>) => {
    seen.push(input[0])
    return prepare.apply(temp.database, input) as never
  }
  const reader = createReader(temp.database)
  expect(seen).toEqual([])
  for (const ask of Object.values(asksOf(reader))) ask()
  expect(seen.length).toBeGreaterThan(30)
  // The projects are few, and all sessions are listed by those who want all sessions.
  const whole = seen
    .filter(
      (query) =>
        !query.includes("common_dir") && query !== "SELECT data FROM session ORDER BY updated DESC, id LIMIT ?",
    )
    .flatMap((query) =>
      temp.database
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query}`)
        .all()
        .map(({ detail }) => `${detail} | ${query}`),
    )
    .filter(
      (line) =>
        line.startsWith("SCAN") &&
        !/^SCAN (json_each|\(subquery|CONSTANT|below$|family$|below |family |\S+ USING (COVERING )?INDEX \w+_(pending|always))/.test(
          line,
        ),
    )
  expect(whole.filter((line) => !line.includes("max(seq)"))).toEqual([])
})

/** Every question that can be asked: a statement is prepared with the first. */
const asksOf = (reader: Reader): Record<keyof Reader, () => unknown> => ({
  session: () => reader.session("ses_1"),
  sessions: () => [
    reader.sessions({}),
    reader.sessions({ projects: ["prj_1"] }),
    reader.sessions({ projects: ["prj_1"], directories: ["/work"] }),
  ],
  children: () => reader.children("ses_1"),
  callsBelow: () => reader.callsBelow("ses_1"),
  familyChanges: () => reader.familyChanges("ses_1"),
  fileEventsSince: () => reader.fileEventsSince(0),
  directories: () => reader.directories(["prj_1"]),
  inbox: () => reader.inbox("ses_1"),
  pendingPermissions: () => [reader.pendingPermissions(), reader.pendingPermissions("ses_1")],
  pendingQuestions: () => [reader.pendingQuestions(), reader.pendingQuestions("ses_1")],
  approvals: () => reader.approvals("ses_1", ["prj_1"]),
  allApprovals: () => reader.allApprovals(["prj_1"]),
  todos: () => reader.todos("ses_1"),
  project: () => reader.project("prj_1"),
  // The projects are few.
  projects: () => undefined,
  projectByCommonDir: () => reader.projectByCommonDir("/project/.git"),
  lastFact: () => reader.lastFact("ses_1", "Today"),
  lastEnd: () => reader.lastEnd("ses_1"),
  openTurns: () => reader.openTurns("ses_1"),
  changes: () => [reader.changes({ messageID: "msg_1" }), reader.changes({ sessionID: "ses_1" })],
  lastChanged: () => reader.lastChanged("ses_1"),
  reverts: () => reader.reverts("ses_1"),
  unfinishedReverts: () => reader.unfinishedReverts(),
  // Of all sessions, for those who want all.
  contents: () => undefined,
  lastIDs: () => reader.lastIDs("ses_1"),
  lastSeq: () => reader.lastSeq(),
  localDay: () => reader.localDay(0),
  message: () => reader.message("msg_1"),
  messages: () => reader.messages("ses_1"),
  messagePage: () => [
    reader.messagePage("ses_1", { limit: 3 }),
    reader.messagePage("ses_1", { limit: 3, before: "msg_1" }),
  ],
  messagesFrom: () => reader.messagesFrom("ses_1", "msg_1"),
  userMessagesBefore: () => reader.userMessagesBefore("ses_1", "msg_1", 3),
  firstUserMessage: () => reader.firstUserMessage("ses_1"),
  factBefore: () => reader.factBefore("ses_1", "msg_1", "Today"),
  summaries: () => reader.summaries("ses_1"),
  parts: () => reader.parts("msg_1"),
  spentSince: () => reader.spentSince(0),
  spentInTree: () => reader.spentInTree("ses_1"),
  spendingOf: () => reader.spendingOf("ses_1"),
})

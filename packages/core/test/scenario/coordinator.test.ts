import { expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { createLog } from "@cairn/kernel/log"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { userTexts } from "@cairn/testkit/request"
import { finish, hang, text, waitFor } from "@cairn/testkit/scenario"
import type { BusEvent } from "@cairn/schema/event"
import type { PromptPart } from "@cairn/schema/prompt"
import { type Store, createStore } from "../../src/store/store.ts"
import { openDatabase } from "../../src/store/database.ts"
import { createLeases, self } from "../../src/store/lease.ts"
import { type Bench, bench, problemsOf, readLog } from "./harness.ts"

const model = { providerID: "test", modelID: "scripted" }
const say = (made: Bench, sessionID: string, words: string, delivery: "steer" | "queue" = "steer") =>
  made.engine.prompt({ sessionID, parts: [{ type: "text", text: words }], model, asks: "deny", delivery })

const shortTail = { config: { compaction: { preserve_recent_tokens: 0 } } }

/** Resolves at the first event of a type. */
function first(made: Bench, type: BusEvent["type"]): Promise<void> {
  const seen = gate()
  const stop = made.engine.subscribe((event) => {
    if (event.type === type) seen.open()
  })
  return seen.opened.then(stop)
}

const endsOf = (made: Bench, sessionID: string) =>
  readLog(made.engine.paths.database, sessionID).flatMap(({ event }) =>
    event.type === "session.turn.ended" ? [event.properties.reason] : [],
  )

test("closing in the tick in which a prompt came records the end of its turn", async () => {
  await using made = await bench([text("never")])
  const session = await made.engine.createSession({})
  const answer = say(made, session.id, "hi")
  await made.engine[Symbol.asyncDispose]()
  expect(await answer).toMatchObject({ ok: true, value: { reason: "aborted" } })
  expect(endsOf(made, session.id)).toEqual(["aborted"])
  await made.restart()
  expect(problemsOf(made, session.id)).toEqual([])
})

test("closing tells whoever queued a prompt that it waits, and it enters with the next one", async () => {
  const hold = gate()
  await using made = await bench([[text("One"), waitFor(hold)], [text("Two")]])
  const session = await made.engine.createSession({})
  const streaming = first(made, "message.part.delta")
  const running = say(made, session.id, "1")
  await streaming
  const queued = say(made, session.id, "2", "queue")
  await made.engine[Symbol.asyncDispose]()
  for (const answer of [await running, await queued]) expect(answer).toMatchObject({ value: { reason: "aborted" } })
  hold.open()
  await made.restart()
  expect(made.engine.inbox(session.id)).toHaveLength(1)
})

test("a prompt whose files are still read when the engine closes appends nothing", async () => {
  await using made = await bench([], { files: { "a.txt": "a" } })
  const session = await made.engine.createSession({})
  const url = `file://${made.workspace.dir}/a.txt`
  const parts: PromptPart[] = [{ type: "file", mime: "text/plain", url }]
  const answer = made.engine.prompt({ sessionID: session.id, parts, model }).catch((error: Error) => error.message)
  const closed = made.engine[Symbol.asyncDispose]()
  expect(await answer).toBeString()
  await closed
  expect(readLog(made.engine.paths.database, session.id)).toHaveLength(1)
})

test("a prompt that comes while the session is compacted is answered afterwards", async () => {
  const hold = gate()
  await using made = await bench(
    [
      [text("Long. ".repeat(4_000))],
      [text("## Goal\nGo"), waitFor(hold), text(" on."), finish("stop")],
      [text("Answered.")],
    ],
    shortTail,
  )
  const { sessionID } = await made.prompt("begin")
  const summing = first(made, "message.part.delta")
  const compacted = made.engine.compact(sessionID)
  await summing
  const meanwhile = say(made, sessionID, "meanwhile")
  hold.open()
  expect(await compacted).toMatchObject({ ok: true, value: { reason: "done" } })
  expect(await meanwhile).toMatchObject({ ok: true, value: { reason: "done", text: "Answered." } })
  expect(userTexts(made.server.requests.at(-1)!).join("\n")).toContain("meanwhile")
  expect(made.engine.inbox(sessionID)).toEqual([])
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a compaction that fails does not keep what was sent meanwhile from being answered", async () => {
  const hold = gate()
  await using made = await bench(
    [[text("Long. ".repeat(4_000))], [waitFor(hold), finish("stop")], [text("Answered.")]],
    shortTail,
  )
  const { sessionID } = await made.prompt("begin")
  const asked = first(made, "message.updated")
  const compacted = made.engine.compact(sessionID)
  await asked
  const meanwhile = say(made, sessionID, "meanwhile")
  hold.open()
  expect(await compacted).toMatchObject({ ok: true, value: { reason: "error" } })
  expect(await meanwhile).toMatchObject({ ok: true, value: { reason: "done", text: "Answered." } })
})

test("a session is idle once its turn has ended, and says so", async () => {
  await using made = await bench([[text("a")]])
  const statuses: string[] = []
  made.engine.subscribe((event) => {
    if (event.type === "session.status") statuses.push(event.properties.status.type)
  })
  const idle = first(made, "session.idle")
  const { sessionID } = await made.prompt("hi")
  await idle
  expect(statuses).toEqual(["busy", "idle"])
  expect(made.engine.status(sessionID)).toEqual({ type: "idle" })
})

/** A lease as another process has it. */
function leaseOf(
  made: Bench,
  sessionID: string,
  owner: { pid: number; started: string },
  left?: (store: Store) => void,
): void {
  const opened = openDatabase({ file: made.engine.paths.database, now: () => Date.now() })
  if (!opened.ok) throw new Error(opened.error.message)
  const { database } = opened.value
  const log = createLog({ write: () => undefined }, systemClock, "error")
  const store = createStore({ database, clock: systemClock, ids: new Ids(systemClock), log, owner: self() })
  left?.(store)
  createLeases(database).put(sessionID, "run_elsewhere", { ...self(), ...owner }, Date.now())
  store.close()
}

test("a session that a dead process held can be deleted, one that a living process runs cannot", async () => {
  await using made = await bench([[text("a")], [text("b")]])
  const [dead, living] = [await made.prompt("one"), await made.prompt("two")]
  leaseOf(made, dead.sessionID, { pid: process.pid, started: "another start" })
  leaseOf(made, living.sessionID, { pid: process.pid, started: self().started })
  expect(await made.engine.deleteSession(dead.sessionID)).toEqual({ ok: true, value: undefined })
  const refused = await made.engine.deleteSession(living.sessionID)
  expect(refused).toMatchObject({ ok: false, error: { kind: "busy" } })
  expect(refused.ok ? "" : refused.error.message).toContain(`pid ${process.pid}`)
  expect(made.engine.session(living.sessionID)).toBeDefined()
})

test("a prompt that nobody answers is refused, too, while a living process runs the session", async () => {
  await using made = await bench([[text("a")], [text("b")]])
  const [dead, living] = [await made.prompt("one"), await made.prompt("two")]
  leaseOf(made, dead.sessionID, { pid: process.pid, started: "another start" })
  leaseOf(made, living.sessionID, { pid: process.pid, started: self().started })
  const before = made.log(living.sessionID).length
  const note = (sessionID: string) =>
    made.engine.prompt({ sessionID, parts: [{ type: "text", text: "by the way" }], noReply: true })
  expect(await note(living.sessionID)).toMatchObject({ ok: false, error: { kind: "busy" } })
  expect(made.log(living.sessionID)).toHaveLength(before)
  expect(await note(dead.sessionID)).toMatchObject({ ok: true, value: { reason: "done" } })
  expect(made.engine.messages(dead.sessionID)).toHaveLength(3)
})

test("a run that another process took over stops at its next heartbeat", async () => {
  const clock = new TestClock()
  await using made = await bench([[text("One"), hang()]], { clock })
  const session = await made.engine.createSession({})
  const answering = gate()
  made.engine.subscribe((event) => {
    if (
      event.type === "message.part.updated" &&
      event.properties.part.type === "text" &&
      made.server.requests.length > 0
    )
      answering.open()
  })
  const running = say(made, session.id, "hi")
  await answering.opened
  const opened = openDatabase({ file: made.engine.paths.database, now: () => Date.now() })
  if (!opened.ok) throw new Error(opened.error.message)
  opened.value.database.run("UPDATE lease SET run_id = 'run_elsewhere'")
  opened.value.database.close()
  await clock.advance(5_000)
  expect(await running).toMatchObject({ ok: true, value: { reason: "error" } })
  expect(made.engine.status(session.id)).toEqual({ type: "idle" })
  expect(endsOf(made, session.id)).toEqual([])
})

test("a prompt to a session that a dead process held closes what that left open, and is answered", async () => {
  await using made = await bench([[text("a")], [text("b")]])
  const { sessionID } = await made.prompt("one")
  leaseOf(made, sessionID, { pid: process.pid, started: "another start" }, (store) => {
    const request = { id: "per_1", sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: [] }
    store.append(sessionID, [{ type: "permission.asked", properties: request }])
  })
  expect(await say(made, sessionID, "two")).toMatchObject({ ok: true, value: { reason: "done", text: "b" } })
  const replies = made.log(sessionID).filter(({ event }) => event.type === "permission.replied")
  expect(replies).toHaveLength(1)
  expect(endsOf(made, sessionID)).toEqual(["done", "interrupted_by_restart", "done"])
})

test("what is queued is not begun after an interruption: it waits, and its sender is told", async () => {
  await using made = await bench([[text("One"), hang()], [text("never")]])
  const session = await made.engine.createSession({})
  const streaming = first(made, "message.part.delta")
  const running = say(made, session.id, "1")
  await streaming
  const queued = say(made, session.id, "2", "queue")
  await made.engine.abort(session.id)
  for (const answer of [await running, await queued]) expect(answer).toMatchObject({ value: { reason: "aborted" } })
  expect(made.engine.inbox(session.id)).toHaveLength(1)
  expect(made.server.requests).toHaveLength(1)
})

test("a session is not called idle while the prompt that came as its turn ended is answered", async () => {
  await using made = await bench([[text("One")], [text("Two")]])
  const session = await made.engine.createSession({})
  const seen: string[] = []
  let second: ReturnType<typeof say> | undefined
  made.engine.subscribe((event) => {
    if (event.type === "session.idle") seen.push("idle")
    if (event.type !== "session.turn.ended") return
    seen.push("ended")
    second ??= say(made, session.id, "2")
  })
  const idle = first(made, "session.idle")
  await say(made, session.id, "1")
  expect(await second).toMatchObject({ value: { text: "Two" } })
  await idle
  expect(seen).toEqual(["ended", "ended", "idle"])
})

test("deleting a session that runs here interrupts it first", async () => {
  await using made = await bench([[text("One"), hang()]])
  const session = await made.engine.createSession({})
  const streaming = first(made, "message.part.delta")
  const running = say(made, session.id, "hi")
  await streaming
  expect(await made.engine.deleteSession(session.id)).toMatchObject({ ok: true })
  expect(await running).toMatchObject({ value: { reason: "aborted" } })
  expect(made.engine.session(session.id)).toBeUndefined()
})

test("with a session go all below it, or none while one of them runs elsewhere", async () => {
  await using made = await bench([])
  const family = async () => {
    const top = await made.engine.createSession({})
    const child = await made.engine.createSession({ parentID: top.id })
    return [top.id, child.id, (await made.engine.createSession({ parentID: child.id })).id] as const
  }
  const [free, busy, beside] = [await family(), await family(), await made.engine.createSession({})]
  leaseOf(made, busy[2], { pid: process.pid, started: self().started })
  expect(await made.engine.deleteSession(busy[0])).toMatchObject({ ok: false, error: { kind: "busy" } })
  expect(await made.engine.deleteSession(free[0])).toMatchObject({ ok: true })
  const left = [...free, ...busy, beside.id].filter((id) => made.engine.session(id))
  expect(left).toEqual([...busy, beside.id])
  expect((await made.engine.verify()).problems).toEqual([])
})

test("a prompt to an engine that closes rejects and appends nothing", async () => {
  await using made = await bench([])
  const session = await made.engine.createSession({})
  const closed = made.engine[Symbol.asyncDispose]()
  await expect(say(made, session.id, "too late")).rejects.toThrow("closing")
  await closed
  expect(readLog(made.engine.paths.database, session.id)).toHaveLength(1)
})

import { expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { userTexts } from "@cairn/testkit/request"
import { finish, hang, text, waitFor } from "@cairn/testkit/scenario"
import type { BusEvent } from "@cairn/schema/event"
import type { PromptPart } from "@cairn/schema/prompt"
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
function leaseOf(made: Bench, sessionID: string, owner: { pid: number; started: string }): void {
  const opened = openDatabase({ file: made.engine.paths.database, now: () => Date.now() })
  if (!opened.ok) throw new Error(opened.error.message)
  using database = opened.value.database
  createLeases(database).put(sessionID, "run_elsewhere", { ...self(), ...owner }, Date.now())
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

test("a run that another process took over stops at its next heartbeat", async () => {
  const clock = new TestClock()
  await using made = await bench([[text("One"), hang()]], { clock })
  const session = await made.engine.createSession({})
  const streaming = first(made, "session.status")
  const running = say(made, session.id, "hi")
  await streaming
  const opened = openDatabase({ file: made.engine.paths.database, now: () => Date.now() })
  if (!opened.ok) throw new Error(opened.error.message)
  opened.value.database.run("UPDATE lease SET run_id = 'run_elsewhere'")
  opened.value.database.close()
  await clock.advance(5_000)
  expect(await running).toMatchObject({ ok: true, value: { reason: "error" } })
  expect(made.engine.status(session.id)).toEqual({ type: "idle" })
  expect(endsOf(made, session.id)).toEqual([])
})

import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { hang, reasoning, text, toolCall } from "@cairn/testkit/scenario"
import type { SearchHit, SearchRequest } from "@cairn/schema/search"
import { type Bench, bench } from "./harness.ts"

async function hitsOf(made: Bench, query: string, more: Partial<SearchRequest> = {}): Promise<readonly SearchHit[]> {
  const found = await made.engine.search({ query, scope: "directory", ...more })
  if (!found.ok) throw new Error(found.error.message)
  return found.value.hits
}

test("a turn's prompt, reasoning, calls and answer are found when it has ended, and after a restart", async () => {
  await using made = await bench(
    [
      [toolCall("read", { filePath: "notes.txt" })],
      [reasoning("quokka of the mind"), text("The wombat is in the notes.")],
    ],
    { files: { "notes.txt": "a numbat lives here\n" } },
  )
  const { sessionID } = await made.prompt("where is the marmot")
  const seen = async () => ({
    prompt: (await hitsOf(made, "marmot")).map((hit) => [hit.role, hit.type]),
    thought: (await hitsOf(made, "quokka")).map((hit) => [hit.role, hit.type]),
    call: (await hitsOf(made, "numbat")).map((hit) => [hit.role, hit.type, hit.tool]),
    input: (await hitsOf(made, "notes.txt")).map((hit) => hit.type).toSorted(),
    answer: (await hitsOf(made, "wombat")).map((hit) => [hit.role, hit.type, hit.excerpt.text]),
  })
  const all: Awaited<ReturnType<typeof seen>> = {
    prompt: [["user", "text"]],
    thought: [["assistant", "reasoning"]],
    call: [["assistant", "tool", "read"]],
    input: ["tool"],
    answer: [["assistant", "text", "The wombat is in the notes."]],
  }
  expect(await seen()).toEqual(all)
  const [hit] = await hitsOf(made, "wombat")
  expect(hit?.sessionID).toBe(sessionID)
  expect(made.engine.messages(sessionID).map(({ info }) => info.id)).toContain(hit?.messageID ?? "")
  await made.restart()
  expect(await seen()).toEqual(all)
  expect((await made.engine.verify()).problems).toEqual([])
})

test("what an interrupted turn had said is found, and nothing of a session that was deleted", async () => {
  await using made = await bench([[text("The wombat was"), hang()], [text("Again a wombat.")]])
  const session = await made.engine.createSession({})
  const said = Promise.withResolvers<void>()
  made.engine.subscribe((event) => event.type === "message.part.delta" && said.resolve())
  const turn = made.prompt("tell me", { sessionID: session.id })
  await said.promise
  await made.engine.abort(session.id)
  await turn
  expect((await hitsOf(made, "wombat")).map((hit) => hit.sessionID)).toEqual([session.id])
  const other = await made.prompt("tell me")
  expect(await hitsOf(made, "wombat")).toHaveLength(2)
  await made.engine.deleteSession(session.id)
  expect((await hitsOf(made, "wombat")).map((hit) => hit.sessionID)).toEqual([other.sessionID])
  expect((await made.engine.verify()).problems).toEqual([])
})

test("after a compaction the originals and the summary are found", async () => {
  const long = `The wombat is brown. ${"Hay. ".repeat(2_000)}`
  await using made = await bench([[text(long)], [text("Goal: a quokka summary")]], {
    config: { compaction: { preserve_recent_tokens: 0 } },
  })
  const { sessionID } = await made.prompt("what colour is the marsupial")
  expect(await made.engine.compact(sessionID)).toMatchObject({ ok: true, value: { reason: "done" } })
  expect((await hitsOf(made, "marsupial")).some((hit) => hit.role === "user")).toBe(true)
  expect(await hitsOf(made, "wombat")).toHaveLength(1)
  expect((await hitsOf(made, "quokka")).map((hit) => hit.summary)).toEqual([true])
})

test("a search that cannot be is a usage error, before anything is built", async () => {
  await using made = await bench([])
  for (const request of [{ query: "::" }, { query: "x".repeat(2_000) }, { query: "x", cursor: "nonsense" }])
    expect(await made.engine.search({ scope: "directory", ...request })).toMatchObject({
      ok: false,
      error: { kind: "usage" },
    })
})

test("an index that is damaged is built again on request, and its progress is told", async () => {
  await using made = await bench([[text("The wombat.")]])
  const { sessionID } = await made.prompt("go")
  const { database: file } = made.engine.paths
  {
    using database = new Database(file)
    database.run("UPDATE search SET damaged = 1")
  }
  const refused = await made.engine.search({ query: "wombat", scope: "directory" })
  expect(refused).toMatchObject({ ok: false, error: { kind: "data_directory" } })
  expect(refused.ok || refused.error.message).toContain("rebuild-search")
  expect((await made.engine.verify()).problems).toEqual([expect.stringContaining("rebuild-search")])
  expect(await made.engine.rebuildSearch()).toEqual({ ok: true, value: undefined })
  expect((await hitsOf(made, "wombat")).map((hit) => hit.sessionID)).toEqual([sessionID])

  const long = { sessionID, text: "wombat ".repeat(100_000) }
  for (let n = 0; n < 3; n++) {
    using database = new Database(file)
    const part = `json_object('id', 'prt_x${n}', 'sessionID', ?, 'messageID', id, 'type', 'text', 'text', ?)`
    const seq = `(SELECT max(seq) FROM event)`
    database.run("INSERT INTO event (id, session_id, time, type, properties) VALUES ('e', ?, 1, 'test', '{}')", [
      sessionID,
    ])
    database.run(
      `INSERT INTO part (id, session_id, message_id, seq, data)
       SELECT 'prt_x${n}', session_id, id, ${seq}, ${part} FROM message WHERE session_id = ? LIMIT 1`,
      [long.sessionID, long.text, sessionID],
    )
  }
  const told: number[] = []
  expect(await made.engine.rebuildSearch((done) => void told.push(done))).toEqual({ ok: true, value: undefined })
  expect(told.length).toBeGreaterThan(0)
  expect(told).toEqual(told.toSorted((a, b) => a - b))
  expect(told.every((done) => done > 0 && done < 1)).toBe(true)
})

import { expect, test } from "bun:test"
import { hang, text, toolCall } from "@cairn/testkit/scenario"
import { userTexts } from "@cairn/testkit/request"
import { type Bench, bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

/** The conversation without what differs from session to session. */
function said(made: Bench, sessionID: string) {
  return made.engine
    .messages(sessionID)
    .map(({ info, parts }) => [
      info.role,
      parts
        .filter(({ type }) => type !== "patch")
        .map((part) =>
          part.type === "text" ? part.text : part.type === "tool" ? JSON.stringify(part.state) : part.type,
        ),
    ])
}

async function forked(made: Bench, sessionID: string, at?: string) {
  const fork = await made.engine.forkSession(sessionID, at)
  if (!fork.ok) throw new Error(fork.error.message)
  return fork.value
}

const scenario = [
  [toolCall("write", { filePath: "a.txt", content: "1\n" })],
  [text("First.")],
  [text("Second.")],
  [text("In the copy.")],
  [text("In the old one.")],
]

test("a copy has the conversation under its own ids, goes on alone, and is paid for once", async () => {
  await using made = await bench(scenario)
  const { sessionID } = await made.prompt("one")
  await made.prompt("two", { sessionID })
  const before = made.engine.messages(sessionID)
  const spent = made.engine.session(sessionID)!.cost!
  const fork = await forked(made, sessionID)
  expect(fork).toMatchObject({ title: "one (fork #1)", metadata: { forkedFrom: { sessionID } } })
  expect([fork.cost, fork.tokens, fork.summary]).toEqual([undefined, undefined, undefined])
  expect(said(made, fork.id)).toEqual(said(made, sessionID))
  const old = new Set(before.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]))
  const copy = made.engine.messages(fork.id)
  for (const { info, parts } of copy) {
    expect([info.id, ...parts.map(({ id }) => id)].filter((id) => old.has(id))).toEqual([])
    if (info.role === "assistant") expect(copy.some((other) => other.info.id === info.parentID)).toBe(true)
    expect([info.sessionID, ...parts.map((part) => part.sessionID)]).toEqual(
      Array.from({ length: parts.length + 1 }, () => fork.id),
    )
  }
  const { totals } = await made.engine.stats({ project: "all" })
  expect([totals.cost, totals.calls]).toEqual([expect.closeTo(spent, 12), 3])
  await made.prompt("three", { sessionID: fork.id })
  await made.prompt("three, too", { sessionID })
  expect(userTexts(made.server.requests.at(-2)!).join(" ")).toContain("two")
  expect(userTexts(made.server.requests.at(-1)!).join(" ")).not.toContain("three ")
  expectPrefixes(made.server.requests.slice(0, 4).map((request) => request.body))
  expect(said(made, sessionID)).toHaveLength(before.length + 2)
  for (const id of [sessionID, fork.id]) expect(problemsOf(made, id)).toEqual([])
})

test("up to a message: that one and what follows is not in it", async () => {
  await using made = await bench(scenario)
  const { sessionID } = await made.prompt("one")
  await made.prompt("two", { sessionID })
  const second = made.engine.messages(sessionID).filter(({ info }) => info.role === "user")[1]!.info.id
  const fork = await forked(made, sessionID, second)
  expect(said(made, fork.id)).toEqual(said(made, sessionID).slice(0, 3))
  expect(fork.metadata).toEqual({ forkedFrom: { sessionID, messageID: second } })
  expect((await forked(made, fork.id)).title).toBe("one (fork #2)")
  expect(await made.engine.forkSession(sessionID, "msg_none")).toMatchObject({ ok: false, error: { kind: "session" } })
  expect(await made.engine.forkSession("ses_none")).toMatchObject({ ok: false })
})

test("files stay, and only the old session takes its changes back", async () => {
  await using made = await bench(scenario)
  const { sessionID } = await made.prompt("one")
  const fork = await forked(made, sessionID)
  const [prompt] = made.engine.messages(fork.id)
  expect(await made.engine.diff(fork.id)).toEqual({ ok: true, value: [] })
  expect(await made.engine.revert(fork.id, { to: prompt!.info.id })).toMatchObject({ ok: true, value: { files: [] } })
  expect(await made.workspace.read("a.txt")).toBe("1\n")
  const [own] = made.engine.messages(sessionID)
  await made.engine.revert(sessionID, { to: own!.info.id })
  expect(await made.workspace.exists("a.txt")).toBe(false)
})

test("of a session that runs, what is finished; of one that is reverted, what is visible", async () => {
  await using made = await bench([...scenario.slice(0, 2), [hang()]])
  const { sessionID } = await made.prompt("one")
  const before = made.server.requests.length
  const running = made.prompt("two", { sessionID })
  await made.server.received(before)
  const fork = await forked(made, sessionID)
  await made.engine.abort(sessionID)
  await running
  expect(said(made, fork.id).map(([role]) => role)).toEqual(["user", "assistant", "assistant", "user"])
  const second = made.engine.messages(sessionID).filter(({ info }) => info.role === "user")[1]!.info.id
  await made.engine.revert(sessionID, { to: second })
  expect(said(made, (await forked(made, sessionID)).id)).toHaveLength(3)
  expect(problemsOf(made, fork.id)).toEqual([])
})

test("of a session below another one, it stays below it and so is bounded by it", async () => {
  await using made = await bench([])
  const parent = await made.engine.createSession({ agent: "plan" })
  const child = await made.engine.createSession({ parentID: parent.id })
  expect((await forked(made, child.id)).parentID).toBe(parent.id)
  expect(await forked(made, parent.id)).not.toHaveProperty("parentID")
})

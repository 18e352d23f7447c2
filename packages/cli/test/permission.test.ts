import { describe, expect, test } from "bun:test"
import { createEngine } from "@cairn/core/app"
import { text, toolCall } from "@cairn/testkit/scenario"
import { type ModelServer, startModelServer } from "@cairn/testkit/server"
import { type TempWorkspace, tempWorkspace } from "@cairn/testkit/workspace"
import { cairn, type Finished, startCairn } from "./run-cairn.ts"

const config = { permission: { bash: "ask", edit: "ask" } }
const asked = /"type":"permission.asked"[^\n]*"id":"(per_\w+)"/
const unknown = "ses_000000000000000000000000zz"

/** Starts a run, and answers its first ask by `reply`. */
async function answered(
  space: TempWorkspace,
  server: ModelServer,
  reply: object,
  argv: string[] = [],
): Promise<Finished> {
  const flags = ["--format", "json", "--interactive-permissions", ...argv]
  const run = startCairn(space, ["run", ...flags, "go"], { server, config, stdin: "pipe" })
  const id = (await run.printed(asked))[1]
  await run.answer(`${JSON.stringify({ id, ...reply })}\n`)
  return await run.ended
}

describe("cairn permission", () => {
  test("lists what was approved for good and takes it back, for the process that comes next", async () => {
    await using space = await tempWorkspace({ git: true })
    const call = () => [[toolCall("bash", { command: "npm run x" })], [text("Ran.")]]
    await using server = await startModelServer([...call(), ...call(), ...call()])
    const first = await answered(space, server, { reply: "always", scope: "project" })
    expect(first.code).toBe(0)
    const session = String(first.result()["sessionID"])
    const permission = (...argv: string[]) => cairn(space, ["permission", ...argv], { server, config })

    const json = await permission("list", "--project", "--format", "json")
    const [approval, ...more]: Record<string, unknown>[] = JSON.parse(json.out)
    expect([json.code, json.err, more]).toEqual([0, "", []])
    expect(approval).toMatchObject({ scope: "project", sessionID: session, permission: "bash" })
    const id = String(approval!["id"])
    const listed = await permission("list", "--session", session)
    expect(listed.out).toStartWith(`${id}  project  bash  npm run`)
    // It holds in a session of its own.
    expect((await cairn(space, ["run", "go"], { server, config })).code).toBe(0)

    const wrong = await permission("remove", id, "per_1")
    expect(wrong).toMatchObject({ code: 2, out: "", err: expect.stringContaining("per_1, and nothing was changed") })
    const removed = await permission("remove", id)
    expect(removed).toMatchObject({ code: 0, err: "", out: expect.stringContaining(`removed ${id}: bash npm run`) })
    expect(await permission("list")).toMatchObject({ code: 0, out: "", err: "Nothing is approved for good here.\n" })
    expect(await permission("list", "--format", "json")).toMatchObject({ code: 0, out: "[]\n", err: "" })
    expect((await cairn(space, ["run", "go"], { server, config })).code).toBe(4)
    expect((await cairn(space, ["debug", "verify"], { server })).code).toBe(0)
  }, 60_000)

  test("says what is missing", async () => {
    await using space = await tempWorkspace({ files: {} })
    const permission = (...argv: string[]) => cairn(space, ["permission", ...argv])
    expect(await permission("list", "--session", unknown)).toMatchObject({
      code: 2,
      err: expect.stringContaining(unknown),
    })
    expect(await permission("remove")).toMatchObject({ code: 2, err: expect.stringContaining("<id…>") })
    expect(await permission("remove", "per_1")).toMatchObject({ code: 2, err: expect.stringContaining("per_1") })
  })
})

test("an edit is approved by hunk over stdin", async () => {
  const before = Array.from({ length: 30 }, (_, index) => `${index}\n`).join("")
  await using space = await tempWorkspace({ files: { "a.txt": before }, git: true })
  const content = before.replace("2\n", "two\n").replace("27\n", "twenty-seven\n")
  await using server = await startModelServer([
    [toolCall("read", { filePath: "a.txt" })],
    [toolCall("write", { filePath: "a.txt", content })],
    [text("Done.")],
  ])
  const flags = ["--format", "json", "--interactive-permissions"]
  const run = startCairn(space, ["run", ...flags, "go"], { server, config, stdin: "pipe" })
  const id = (await run.printed(asked))[1]
  const answers = [
    { id, reply: "once", hunks: [1, 2] },
    { id, reply: "once", hunks: [1] },
  ]
  await run.answer(answers.map((line) => `${JSON.stringify(line)}\n`).join(""))
  const { code, err } = await run.ended
  expect([code, err]).toEqual([0, expect.stringContaining(`the ask ${id} has no hunk 2: they are 0 to 1`)])
  expect(await space.read("a.txt")).toBe(before.replace("27\n", "twenty-seven\n"))
})

test("what a killed process asked is answered with a reject: nobody lists it, and no answer reaches it", async () => {
  await using space = await tempWorkspace({ git: true })
  await using server = await startModelServer([[toolCall("bash", { command: "echo hi" })]])
  const flags = ["--format", "json", "--interactive-permissions"]
  const run = startCairn(space, ["run", ...flags, "go"], { server, config, stdin: "pipe" })
  const id = (await run.printed(asked))[1]!
  const session = (await run.printed(/"sessionID":"(ses_\w+)"/))[1]!
  const options = { directory: space.dir, env: space.env, home: space.home, version: "test" }
  const open = async () => {
    const opened = await createEngine(options)
    if (!opened.ok) throw new Error(opened.error.message)
    return opened.value
  }
  const told = (text: string) => text.includes(`"requestID":"${id}"`)
  {
    // While the asker lives its ask is its own.
    await using other = await open()
    expect(other.pendingAsks()).toEqual([])
    expect(other.replyPermission(id, { reply: "once" })).toMatchObject({ ok: false, error: { kind: "unknown" } })
  }
  run.child.kill("SIGKILL")
  expect(told((await run.ended).out)).toBe(false)
  await using next = await open()
  expect(next.pendingAsks(session)).toEqual([])
  expect(next.replyPermission(id, { reply: "once" })).toMatchObject({ ok: false, error: { kind: "unknown" } })
  expect(await next.approvals()).toEqual([])
  expect((await next.verify()).problems).toEqual([])
  const tool = next.messages(session).flatMap(({ parts }) => parts.filter((part) => part.type === "tool"))
  expect(tool.map(({ state }) => state.status)).toEqual(["error"])
})

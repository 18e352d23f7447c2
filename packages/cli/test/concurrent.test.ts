import { expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { toolResults } from "@cairn/testkit/request"
import { headers, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn, startCairn } from "./run-cairn.ts"

test("four first runs at once on an empty data directory all end well", async () => {
  await using server = await startModelServer((request) =>
    toolResults(request).length === 0 ? toolCall("bash", { command: "echo hi" }) : text("Done."),
  )
  await using space = await tempWorkspace({ git: true })
  const runs = await Promise.all(
    [1, 2, 3, 4].map((n) => cairn(space, ["run", "--format", "json", `number ${n}`], { server })),
  )
  expect(runs.map((run) => ({ code: run.code, err: run.err }))).toEqual(runs.map(() => ({ code: 0, err: "" })))
  const listed = await cairn(space, ["session", "list", "--format", "json"], { server })
  for (const n of [1, 2, 3, 4]) expect(listed.out).toContain(`number ${n}`)
  expect((await cairn(space, ["debug", "verify"], { server })).code).toBe(0)
}, 30_000)

test("a second process is told who runs the session, and starting changes nothing of it", async () => {
  const hold = gate()
  await using server = await startModelServer([[headers(), waitFor(hold), text("Slowly done.")], [text("Next.")]])
  await using space = await tempWorkspace({ git: true })
  const first = startCairn(space, ["run", "--format", "json", "begin"], { server })
  const session = (await first.printed(/"sessionID":"(ses_\w+)"/))[1]!
  await server.received(0)

  const before = await cairn(space, ["session", "show", session, "--format", "json"], { server })
  const second = await cairn(space, ["run", "--session", session, "me too"], { server })
  expect(second.code).toBe(2)
  expect(second.err).toContain(`pid ${first.child.pid}`)
  expect(second.err).toMatch(/since \d{4}-\d\d-\d\d/)
  const after = await cairn(space, ["session", "show", session, "--format", "json"], { server })
  expect(JSON.parse(after.out)).toEqual(JSON.parse(before.out))

  hold.open()
  expect(await first.ended).toMatchObject({ code: 0 })
  expect((await cairn(space, ["run", "--session", session, "and now"], { server })).out).toContain("Next.")
}, 30_000)

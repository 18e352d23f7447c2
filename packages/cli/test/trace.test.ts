import { describe, expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { status, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { cairn, reached, startCairn } from "./run-cairn.ts"

const unknown = "ses_000000000000000000000000zz"

/** A workspace with a session of two turns: a tool and a retry, then an answer. */
async function spoken(): Promise<AsyncDisposable & { space: TempWorkspace; id: string }> {
  const space = await tempWorkspace({ files: { "notes.txt": "a plan\n" } })
  await using server = await startModelServer([
    [toolCall("read", { filePath: "notes.txt" })],
    status(529, { headers: { "retry-after-ms": "1" } }),
    [text("I read it.")],
    [text("Twice.")],
  ])
  const run = await cairn(space, ["run", "--format", "json", "--title", "Notes", "read my notes"], { server })
  await cairn(space, ["run", "--continue", "again"], { server })
  return { space, id: String(run.result()["sessionID"]), [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() }
}

/** Labels of the rows of a waterfall. */
const labels = (out: string): string[] =>
  out.split("\n").flatMap((line) => /^( *\w.*?) {2,}[-=.#?~>|]/.exec(line)?.[1] ?? /^turn \d+/.exec(line)?.[0] ?? [])

describe("debug trace", () => {
  test("draws the turns of a session, in ASCII where nobody looks", async () => {
    await using made = await spoken()
    const { code, out, err } = await cairn(made.space, ["debug", "trace", made.id])
    expect([code, err]).toEqual([0, ""])
    expect(out).toStartWith(`Notes\n${made.id}\n\nturn 1, `)
    expect(labels(out)).toEqual([
      "turn 1",
      "step 1",
      "  scripted/model",
      "  read",
      "step 2",
      "  scripted/model",
      "  attempt 2",
      "  scripted/model",
      "turn 2",
      "step 1",
      "  scripted/model",
    ])
    expect(out).toContain("! APIError 529")
    expect(out).toMatch(/^[\x20-\x7e\n]*$/)
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100)
    expect((await cairn(made.space, ["debug", "trace", "--last"])).out).toBe(out)
  })

  test("draws one turn, and has colours where they are asked for", async () => {
    await using made = await spoken()
    const one = await cairn(made.space, ["debug", "trace", "--last", "--turn", "2"])
    expect(labels(one.out)).toEqual(["turn 2", "step 1", "  scripted/model"])
    const painted = await cairn(made.space, ["debug", "trace", "--last"], { env: { FORCE_COLOR: "1" } })
    expect(painted.out).toContain("\u001b[36m")
    const plain = await cairn(made.space, ["debug", "trace", "--last"], { env: { FORCE_COLOR: "1", CAIRN_PLAIN: "1" } })
    expect(plain.out).toMatch(/^[\x20-\x7e\n]*$/)
  })

  test("as json is everything", async () => {
    await using made = await spoken()
    const { code, out } = await cairn(made.space, ["debug", "trace", "--last", "--format", "json"])
    expect(code).toBe(0)
    const { session, turns } = JSON.parse(out)
    expect(session).toMatchObject({ id: made.id, title: "Notes" })
    expect(turns).toMatchObject([
      {
        kind: "turn",
        outcome: "done",
        children: [
          {
            kind: "step",
            children: [
              { kind: "model", firstToken: expect.any(Number) },
              { kind: "tool", name: "read" },
            ],
          },
          { kind: "step", children: [{ error: { kind: "APIError 529" } }, { kind: "retry" }, { kind: "model" }] },
        ],
      },
      { kind: "turn", outcome: "done", tokens: { input: 100, output: 20 } },
    ])
    const one = await cairn(made.space, ["debug", "trace", made.id, "--turn", "2", "--format", "json"])
    expect(JSON.parse(one.out).turns).toEqual([turns[1]])
  })

  test("of a run that was killed shows what was under way as cut off, however late one looks", async () => {
    const hold = gate()
    await using space = await tempWorkspace()
    await using server = await startModelServer([[toolCall("bash", { command: "echo one" })], [waitFor(hold)]])
    const run = startCairn(space, ["run", "--title", "Killed", "go"], { server })
    await reached(server, 1, run)
    const live = await cairn(space, ["debug", "trace", "--last"])
    expect(live.out).toMatch(/^turn 1, .*: running, 2 steps/m)
    expect(live.out).toMatch(/^step 2 .*> +.* running$/m)
    run.child.kill("SIGKILL")
    await run.ended
    hold.open()
    const dead = await cairn(space, ["debug", "trace", "--last"])
    expect(dead.out).toMatch(/^turn 1, .*: cut off, nobody knows when, 2 steps/m)
    expect(dead.out).toMatch(/^step 2 .*> +.* cut off$/m)
    expect(dead.out).not.toMatch(/^step 1 .*cut off$/m)
  })

  test("says what is wrong with what it was given", async () => {
    await using space = await tempWorkspace()
    for (const [argv, message] of [
      [[], "name a session by its id, or give --last"],
      [[unknown, "--last"], "name a session by its id, or give --last"],
      [["--last"], "no session yet in"],
      [[unknown], `no session ${unknown}`],
    ] as const)
      expect(await cairn(space, ["debug", "trace", ...argv])).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      })
    await using made = await spoken()
    expect(await cairn(made.space, ["debug", "trace", "--last", "--turn", "3"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("there is no turn 3; the session has 2 turns"),
    })
  })
})

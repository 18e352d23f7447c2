import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { hang, status, text, toolCall, waitFor, type Reply } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { watchingLoads } from "./loads.ts"
import { cairn, reached, startCairn } from "./run-cairn.ts"

const unknown = "ses_000000000000000000000000zz"

/** A workspace with a session of two turns: a tool and a retry, then an answer. */
let made: { readonly space: TempWorkspace; readonly id: string }

beforeAll(async () => {
  const space = await tempWorkspace({ files: { "notes.txt": "a plan\n" } })
  await using server = await startModelServer([
    [toolCall("read", { filePath: "notes.txt" })],
    status(529, { headers: { "retry-after-ms": "1" } }),
    [text("I read it.")],
    [text("Twice.")],
  ])
  const run = await cairn(space, ["run", "--format", "json", "--title", "Notes", "read my notes"], { server })
  await cairn(space, ["run", "--continue", "again"], { server })
  made = { space, id: String(run.result()["sessionID"]) }
}, 30_000)

afterAll(() => made.space[Symbol.asyncDispose]())

/** Labels of the rows of a waterfall. */
const labels = (out: string): string[] =>
  out.split("\n").flatMap((line) => /^( *\w.*?) {2,}[-=.#?~>|]/.exec(line)?.[1] ?? /^turn \d+/.exec(line)?.[0] ?? [])

describe("debug trace", () => {
  test("draws the turns of a session, in ASCII where nobody looks", async () => {
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
    const one = await cairn(made.space, ["debug", "trace", "--last", "--turn", "2"])
    expect(labels(one.out)).toEqual(["turn 2", "step 1", "  scripted/model"])
    const painted = await cairn(made.space, ["debug", "trace", "--last"], { env: { FORCE_COLOR: "1" } })
    expect(painted.out).toContain("\u001b[36m")
    const plain = await cairn(made.space, ["debug", "trace", "--last"], { env: { FORCE_COLOR: "1", CAIRN_PLAIN: "1" } })
    expect(plain.out).toMatch(/^[\x20-\x7e\n]*$/)
  })

  test("as json is everything", async () => {
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
  }, 30_000)

  test.each<[string[], string]>([
    [[], "name a session by its id, or give --last"],
    [[unknown, "--last"], "name a session by its id, or give --last"],
    [[unknown], `no session ${unknown}`],
    [["--last", "--turn", "3"], "there is no turn 3; the session has 2 turns"],
  ])("given %j says what is wrong", async (argv, message) => {
    const { code, out, err } = await cairn(made.space, ["debug", "trace", ...argv])
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain(message)
  })

  test("--last needs a session in the directory", async () => {
    await using space = await tempWorkspace()
    const { code, err } = await cairn(space, ["debug", "trace", "--last"])
    expect([code, err]).toEqual([2, expect.stringContaining("no session yet in")])
  })
})

const answer = (): Reply[] => [[toolCall("bash", { command: "echo one" })], [text("Done.")]]
const run = ["run", "--title", "Traced", "go"]

/** A collector on loopback, and what it was sent. */
function collector(respond: () => Response | Promise<Response> = () => new Response()) {
  const bodies: string[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      bodies.push(await request.text())
      return await respond()
    },
  })
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.port}` }
  return { bodies, env, [Symbol.asyncDispose]: () => server.stop(true) }
}

describe("traces to a collector", () => {
  test("are sent before the process ends, and nothing of them is printed", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer(answer())
    await using target = collector()
    expect(await cairn(space, run, { server, env: target.env })).toMatchObject({ code: 0, out: "Done.\n" })
    const [body, ...more] = target.bodies
    expect(more).toEqual([])
    const { spans } = JSON.parse(body!).resourceSpans[0].scopeSpans[0]
    expect(spans.map(({ name }: { name: string }) => name).sort()).toEqual([
      ...["chat model", "chat model", "execute_tool bash", expect.stringMatching(/^spawn (bash|bwrap)$/)],
      ...["step", "step", "turn"],
    ])
  })

  test("are not loaded, nor sent, unless a variable of the environment asks for them", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([...answer(), ...answer()])
    await using target = collector()
    const watch = await watchingLoads(space, "core/src/trace/[^/]*$")
    await cairn(space, run, { server, env: watch.env })
    expect(await watch.loaded()).toEqual(
      ["open-tracing.ts", "tracing.ts", "wanted.ts"].map((name) => `core/src/trace/${name}`),
    )
    expect(target.bodies).toEqual([])
    await cairn(space, run, { server, env: { ...watch.env, ...target.env } })
    expect(await watch.loaded()).toContain("core/src/trace/exporter.ts")
    expect(target.bodies).toHaveLength(1)
  }, 30_000)

  test("that nobody takes change neither the exit code nor the output", async () => {
    const hold = gate()
    await using refusing = collector(() => new Response("no", { status: 500 }))
    await using hanging = collector(async () => {
      await hold.opened
      return new Response()
    })
    const gone = collector()
    await gone[Symbol.asyncDispose]()
    const broken = { OTEL_EXPORTER_OTLP_ENDPOINT: "no address" }
    for (const env of [refusing.env, hanging.env, gone.env, broken]) {
      await using space = await tempWorkspace()
      await using server = await startModelServer(answer())
      expect(await cairn(space, run, { server, env })).toMatchObject({ code: 0, out: "Done.\n" })
      await using failing = await startModelServer([status(401)])
      expect(await cairn(space, run, { server: failing, env })).toMatchObject({ code: 3, out: "" })
    }
    hold.open()
  }, 30_000)

  test("have every span of a run that a signal ended", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([[hang()]])
    await using target = collector()
    const started = startCairn(space, run, { server, env: target.env })
    await reached(server, 0, started)
    started.child.kill("SIGINT")
    expect(await started.ended).toMatchObject({ code: 130 })
    expect(target.bodies.join()).toContain('"name":"turn"')
    expect(target.bodies.join()).not.toContain("abandoned")
  })
})

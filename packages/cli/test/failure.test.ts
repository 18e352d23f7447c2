import { describe, expect, test } from "bun:test"
import path from "node:path"
import { delay, hang, status, text, toolCall, type Scenario } from "@cairn/testkit/scenario"
import { processesWith, stillAlive } from "@cairn/testkit/process-tree"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { cairn, reached, startCairn } from "./run-cairn.ts"

describe("exit 2, before a model is called:", () => {
  async function refused(
    argv: readonly string[],
    options: Parameters<typeof cairn>[2] = {},
    prepare?: (space: TempWorkspace) => Promise<unknown>,
  ) {
    await using space = await tempWorkspace()
    await using server = await startModelServer([])
    await prepare?.(space)
    const run = await cairn(space, ["run", "--format", "json", ...argv, "hi"], { server, ...options })
    expect(run.code).toBe(2)
    expect(run.lines()).toHaveLength(1)
    expect(server.requests).toEqual([])
    expect(run.err).toStartWith("cairn: ")
    expect(run.err).not.toMatch(/^\s+at /m)
    return { reason: run.result()["reason"], err: run.err }
  }

  test("an unknown model, with the nearest name", async () => {
    const { reason, err } = await refused(["--model", "anthropic/claude-sonet-4-5"])
    expect(reason).toBe("model")
    expect(err).toContain("claude-sonnet-4-5")
  })

  test("no key, with the variable and the config key", async () => {
    const { reason, err } = await refused(["--model", "anthropic/claude-sonnet-4-5"])
    expect(reason).toBe("key")
    expect(err).toContain("ANTHROPIC_API_KEY")
  })

  test("an invalid config, with file and line", async () => {
    const write = (space: TempWorkspace) => space.write("cairn.json", '{\n  "permission": { "bash": "aks" }\n}\n')
    const { reason, err } = await refused([], {}, write)
    expect(reason).toBe("config")
    expect(err).toMatch(/cairn\.json:2:\d+: permission\.bash: expected .*"aks"/)
  })

  test("an unknown agent", async () => {
    expect((await refused(["--agent", "bulid"])).err).toContain("build")
  })

  test("an unknown session", async () => {
    expect((await refused(["--session", "ses_000000000001abcdefghijklmn"])).reason).toBe("session")
  })

  test("a data directory that cannot be made", async () => {
    const { reason } = await refused([], { env: { XDG_DATA_HOME: "/dev/null/data" } })
    expect(reason).toBe("data_directory")
  })
})

describe("exit 3, the provider failed:", () => {
  test("a refused key, said once with what to do", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([status(401)])
    const run = await cairn(space, ["run", "--format", "json", "hi"], { server })
    expect(run.code).toBe(3)
    expect(run.result()).toMatchObject({ reason: "error", exitCode: 3 })
    expect(server.requests).toHaveLength(1)
  })

  test("nobody listens", async () => {
    await using space = await tempWorkspace()
    const server = await startModelServer([])
    await server[Symbol.asyncDispose]()
    const run = await cairn(space, ["run", "hi"], { server })
    expect(run).toMatchObject({ code: 3, out: "" })
    expect(run.err).toMatch(/connect/i)
  }, 30_000)

  test("a limit that holds for hours ends at once and says how long", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([status(429, { headers: { "retry-after": "7200" } })])
    const run = await cairn(space, ["run", "hi"], { server })
    expect(run).toMatchObject({ code: 3, out: "" })
    expect(run.err).toContain("asked again in 2 h.")
    expect(server.requests).toHaveLength(1)
  })

  test("a limit that passes is waited for and shown", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([
      status(429, { headers: { "retry-after-ms": "20" } }),
      [text("After all.")],
    ])
    const run = await cairn(space, ["run", "hi"], { server })
    expect(run).toMatchObject({ code: 0, out: "After all.\n" })
    expect(run.err).toMatch(/attempt 1 failed, next try in/)
  })
})

describe("exit 5 and 6:", () => {
  const again: Scenario = () => [toolCall("bash", { command: "false" })]

  test("the step limit", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer((request) =>
      request.text.includes('"tools":[')
        ? [toolCall("glob", { pattern: `*${request.index}` })]
        : [text("That is all I got to.")],
    )
    const run = await cairn(space, ["run", "--format", "json", "hi"], {
      server,
      config: { agent: { build: { steps: 2 } } },
    })
    expect(run.result()).toMatchObject({ exitCode: 5, reason: "step_limit" })
  })

  test("the loop guard, also with --auto", async () => {
    for (const argv of [[], ["--auto"]]) {
      await using space = await tempWorkspace()
      await using server = await startModelServer(again)
      const run = await cairn(space, ["run", "--format", "json", ...argv, "hi"], { server })
      expect(run.result()).toMatchObject({ exitCode: 6, reason: "loop_guard" })
      expect(server.requests.length).toBeLessThan(8)
    }
  })
})

describe("signals", () => {
  async function interrupted(signals: readonly NodeJS.Signals[], scenario: Scenario) {
    await using space = await tempWorkspace()
    await using server = await startModelServer(scenario)
    const { child, ended } = startCairn(space, ["run", "--format", "json", "go"], { server })
    await reached(server, 0, { ended })
    for (const signal of signals) child.kill(signal)
    const run = await ended
    const verified = await cairn(space, ["debug", "verify"])
    expect(verified).toMatchObject({ code: 0 })
    return run
  }

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
  ] as const)("%s while the model is silent ends honestly with %d", async (signal, code) => {
    const run = await interrupted([signal], [hang()])
    expect(run.code).toBe(code)
    expect(run.result()).toMatchObject({ exitCode: code, reason: "aborted" })
    const ends = run.lines().filter((line) => line.type === "session.turn.ended")
    expect(ends).toMatchObject([{ properties: { reason: "aborted" } }])
  })

  test("a running command dies with the run", async () => {
    // The line sets a variable, so nobody can say what it does: without this it would be asked for.
    const unbounded = { sandbox: { enabled: false } }
    await using space = await tempWorkspace()
    const token = `cairn-e2e-${crypto.randomUUID()}`
    const command = `export TOKEN=${token}; echo up-$((1 + 1)); sleep 3600`
    await using server = await startModelServer([[toolCall("bash", { command })]])
    const { child, ended, printed } = startCairn(space, ["run", "--format", "json", "go"], {
      server,
      config: unbounded,
    })
    await printed(/up-2/)
    const pids = processesWith(token).filter((pid) => pid !== child.pid)
    expect(pids.length).toBeGreaterThan(0)
    child.kill("SIGINT")
    const run = await ended
    expect(run.result()).toMatchObject({ exitCode: 130 })
    expect(await stillAlive(pids)).toEqual([])
    const tool = run
      .lines()
      .flatMap((line) =>
        line.type === "message.part.updated" && line.properties.part.type === "tool"
          ? [line.properties.part.state.status]
          : [],
      )
    expect(tool.at(-1)).toBe("error")
  })

  test("the session goes on afterwards", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([[text("half"), hang()], [text("Whole.")]])
    const { child, ended } = startCairn(space, ["run", "go"], { server })
    await reached(server, 0, { ended })
    child.kill("SIGINT")
    expect(await ended).toMatchObject({ code: 130 })
    expect(await cairn(space, ["run", "--continue", "go on"], { server })).toMatchObject({ code: 0, out: "Whole.\n" })
  })
})

test("a reader that goes away ends the run quietly", async () => {
  await using space = await tempWorkspace()
  const words = (index: number) => [text(`${index} `.repeat(20)), toolCall("glob", { pattern: `*${index}` })]
  await using server = await startModelServer((request) => [delay(5), ...words(request.index)])
  const entry = path.join(import.meta.dir, "../src/main.ts")
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    options: { apiKey: "k", baseURL: server.baseURL("chat") },
    models: { model: {} },
  }
  const child = Bun.spawn(["sh", "-c", `("$BUN" "$ENTRY" run --format json go; echo "code $?" >&2) | head -n 1`], {
    cwd: space.dir,
    env: {
      ...space.env,
      BUN: process.execPath,
      ENTRY: entry,
      CAIRN_CONFIG_CONTENT: JSON.stringify({ model: "scripted/model", provider: { scripted: provider } }),
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect(JSON.parse(out)).toMatchObject({ type: "start" })
  expect(err).toBe("code 141\n")
  expect(await cairn(space, ["debug", "verify"])).toMatchObject({ code: 0 })
})

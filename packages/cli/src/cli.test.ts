import { describe, expect, test } from "bun:test"
import { StoreFailed } from "@cairn/core/store/trouble"
import { HeadlessLine } from "@cairn/schema/headless"
import { fakeEngine } from "../test/fake-engine.ts"
import { captured, fakeIo, stdinOf, type FakeIoOptions } from "../test/fake-io.ts"
import { assistant, messageID, part, session, sessionID, user, userMessageID } from "../test/values.ts"
import { runCli } from "./cli.ts"

async function cairn(argv: string[], options: FakeIoOptions = {}) {
  const io = fakeIo(options)
  const code = await runCli(io, argv)
  return { code, out: io.stdout.text, err: io.stderr.text }
}
const old = session({
  id: "ses_2",
  title: "Older \u001b[2J",
  directory: "/gone",
  time: { created: 0, updated: Date.UTC(2025, 11, 30) },
})

describe("without an engine", () => {
  test("help and version go to stdout", async () => {
    expect(await cairn([])).toMatchObject({ code: 0, out: expect.stringContaining("Usage: cairn <command>"), err: "" })
    expect(await cairn(["run", "-h"])).toMatchObject({ code: 0, out: expect.stringContaining("--model") })
    expect(await cairn(["--version"])).toEqual({ code: 0, out: "9.9.9\n", err: "" })
  })

  test("a user without a home directory is told to set HOME by what needs one", async () => {
    const nowhere = { home: undefined }
    const err = "cairn: HOME is not set and the user has no home directory; set HOME\n"
    for (const argv of [["models"], ["doctor"], ["session", "list"], ["run", "hello"]])
      expect(await cairn(argv, nowhere)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(err) })
    const { code, out } = await cairn(["run", "--format", "json", "hello"], nowhere)
    expect([code, HeadlessLine.parse(JSON.parse(out))]).toMatchObject([2, { type: "result", reason: "directory" }])
    expect(await cairn(["__complete", "model"], nowhere)).toEqual({ code: 0, out: "", err: "" })
    for (const argv of [["--version"], ["--help"], ["run", "--help"], ["debug", "probe"]])
      expect(await cairn(argv, nowhere)).toMatchObject({ code: 0, err: "" })
  })

  test("a mistake is one sentence and a pointer, exit 2", async () => {
    expect(await cairn(["rnu"])).toEqual({
      code: 2,
      out: "",
      err: `cairn: unknown command "rnu": did you mean "run"?\nSee cairn --help\n`,
    })
    expect(await cairn(["run", "--modle", "x"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean --model?\nSee cairn run --help"),
    })
    expect(await cairn(["run", "--continue", "--session", "ses_1", "x"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("exclude each other"),
    })
    expect(await cairn(["run", "--auto", "--interactive-permissions", "x"])).toMatchObject({ code: 2 })
  })

  test.each([
    [["run", "--format", "json", "--nope"]],
    [["run", "--format=json", "--limit", "3"]],
    [["run", "--format=json", "--auto", "--interactive-permissions", "x"]],
  ])("a mistake in JSON mode is a result line too: %j", async (argv) => {
    const { code, out, err } = await cairn(argv)
    expect(code).toBe(2)
    expect(HeadlessLine.parse(JSON.parse(out))).toMatchObject({
      type: "result",
      exitCode: 2,
      reason: "usage",
      sessionID: null,
    })
    expect(err).toStartWith("cairn: ")
  })
})

test("a run without a message on a terminal says how to give one, and waits for nothing", async () => {
  expect(await cairn(["run"], { stdin: stdinOf("terminal", []), cwd: "/" })).toEqual({
    code: 2,
    out: "",
    err: `cairn: no message: give it as words (cairn run "explain what this project does") or on stdin\n`,
  })
})

describe("session list", () => {
  const engine = () =>
    fakeEngine(undefined, { sessions: async (filter) => [session(), ...(filter.scope === "project" ? [old] : [])] })

  test("is a table", async () => {
    expect(await cairn(["session", "list"], { engine: engine() })).toEqual({
      code: 0,
      out: `${sessionID}  just now  Fix the parser\n`,
      err: "",
    })
  })

  test("has directories with --all, and nothing that could harm a terminal", async () => {
    const { out } = await cairn(["session", "list", "--all"], { engine: engine() })
    expect(out).toBe(
      `${sessionID}  just now    Fix the parser  /repo\nses_2                           2 days ago  Older ␛[2J      /gone\n`,
    )
  })

  test("fits into the terminal", async () => {
    const io = fakeIo({ engine: engine(), stdout: captured({ terminal: true, columns: 66 }) })
    await runCli(io, ["session", "list", "--all"])
    for (const line of io.stdout.text.trimEnd().split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(66)
  })

  test("is the schema's shape as json", async () => {
    const { out } = await cairn(["session", "list", "--all", "--format", "json"], { engine: engine() })
    expect(JSON.parse(out)).toEqual([session(), old])
  })

  test("passes the limit on", async () => {
    const filters: unknown[] = []
    const asking = fakeEngine(undefined, { sessions: async (filter) => (filters.push(filter), []) })
    expect(await cairn(["session", "list", "-n", "5"], { engine: asking })).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("No sessions"),
    })
    expect(filters).toEqual([{ scope: "directory", limit: 5 }])
  })
})

describe("session show", () => {
  const messages = () => [
    { info: user(), parts: [part("text", { text: "Fix it" }, { messageID: userMessageID })] },
    { info: assistant(), parts: [part("text", { text: "Done \u001b]52;c;x\u0007" })] },
  ]
  const engine = () => fakeEngine(undefined, { session: (id) => (id === sessionID ? session() : undefined), messages })

  test("is a transcript", async () => {
    const { code, out } = await cairn(["session", "show", sessionID], { engine: engine() })
    expect(code).toBe(0)
    expect(out).toEndWith("You\nFix it\n\nbuild (demo/tour)\nDone ␛]52;c;x␇\n")
  })

  test("begins at a message", async () => {
    const { code, out } = await cairn(["session", "show", sessionID, "--message", messageID], { engine: engine() })
    expect(code).toBe(0)
    expect(out).not.toContain("Fix it")
    expect(out).toEndWith("\n\nbuild (demo/tour)\nDone ␛]52;c;x␇\n")
    const json = await cairn(["session", "show", sessionID, "--message", messageID, "--format=json"], {
      engine: engine(),
    })
    expect(JSON.parse(json.out)).toMatchObject({ messages: [{ info: { id: messageID } }] })
    expect(await cairn(["session", "show", sessionID, "--message", "msg_1"], { engine: engine() })).toMatchObject({
      code: 2,
      out: "",
      err: "cairn: The session has no message msg_1.\n",
    })
  })

  test("is everything as json", async () => {
    const { out } = await cairn(["session", "show", sessionID, "--format=json"], { engine: engine() })
    const shown: { info: unknown; messages: unknown[] } = JSON.parse(out)
    expect(shown.info).toEqual(session())
    expect(shown.messages).toHaveLength(2)
  })

  test("of an unknown id is exit 2", async () => {
    expect(await cairn(["session", "show", "ses_none"], { engine: engine() })).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("no session ses_none"),
    })
  })
})

describe("models", () => {
  const model = (ref: string, source: "config" | "demo" = "config") =>
    ({ ref, name: ref, tools: true, source, key: "not needed" }) as const
  const known = [model("box/one"), model("demo/tour", "demo")]
  const models = (filter: string, scope: "ready" | "all") =>
    (scope === "all" ? [model("away/one"), ...known] : known).filter(({ ref }) => ref.includes(filter))
  const engine = (change: Parameters<typeof fakeEngine>[1] = {}) => fakeEngine(undefined, { models, ...change })

  test("in a pipe are one a line", async () => {
    expect(await cairn(["models"], { engine: engine() })).toEqual({ code: 0, out: "box/one\ndemo/tour\n", err: "" })
    expect((await cairn(["models", "--all", "one"], { engine: engine() })).out).toBe("away/one\nbox/one\n")
  })

  test("on a terminal are a table", async () => {
    const io = fakeIo({ engine: engine(), stdout: captured({ terminal: true, columns: 80 }), env: { NO_COLOR: "1" } })
    expect(await runCli(io, ["models", "box"])).toBe(0)
    expect(io.stdout.text).toMatch(/^model +context .*\nbox\/one +\? .*not needed\n$/)
  })

  test("as json are what the engine knows", async () => {
    const { out, err } = await cairn(["models", "--format", "json"], { engine: engine() })
    expect(JSON.parse(out)).toEqual(known)
    expect(err).toBe("")
  })

  test("that are known but cannot be used are counted", async () => {
    expect(await cairn(["models", "away"], { engine: engine() })).toEqual({
      code: 0,
      out: "",
      err: "1 model of that name cannot be used as things are (--all lists them).\n",
    })
  })

  test("without any key: how to get one", async () => {
    const poor = engine({ models: () => [model("demo/tour", "demo")] })
    expect(await cairn(["models"], { engine: poor })).toMatchObject({
      code: 0,
      out: "demo/tour\n",
      err: expect.stringContaining("ANTHROPIC_API_KEY"),
    })
  })

  test("of an unknown name: what was meant", async () => {
    const helpful = engine({ suggestModels: () => ["box/one"] })
    expect(await cairn(["models", "--all", "bxo/one"], { engine: helpful })).toEqual({
      code: 2,
      out: "",
      err: `cairn: no model's name contains "bxo/one"; did you mean box/one?\n`,
    })
  })
})

describe("session delete", () => {
  const engine = () => fakeEngine(undefined, { session: (id) => (id === sessionID ? session() : undefined) })

  test("asks on a terminal, by title", async () => {
    const asked = engine()
    const { code, out, err } = await cairn(["session", "delete", sessionID], {
      engine: asked,
      stdin: stdinOf("terminal", ["y\n"]),
    })
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `deleted ${sessionID}  Fix the parser\n`,
      err: `${sessionID}  Fix the parser\nDelete 1 session? [y/N] `,
    })
    expect(asked.deleted).toEqual([sessionID])
  })

  test("deletes nothing without a yes", async () => {
    const asked = engine()
    const stdin = stdinOf("terminal", ["\n"])
    expect(await cairn(["session", "delete", sessionID], { engine: asked, stdin })).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("Nothing was deleted."),
    })
    expect(asked.deleted).toEqual([])
  })
})

describe("debug", () => {
  test("paths are absolute and named", async () => {
    const { out } = await cairn(["debug", "paths"], { engine: fakeEngine() })
    expect(out).toContain("database    /d/cairn.db\n")
    expect(
      out
        .trimEnd()
        .split("\n")
        .every((line) => /^\w+ +\/\S*$/.test(line)),
    ).toBe(true)
  })

  test("config is what the engine shows", async () => {
    const view = { config: { model: "a/b" }, sources: [{ path: "/c/cairn.json", layer: "user" }], warnings: [] }
    const { out } = await cairn(["debug", "config"], { engine: fakeEngine(undefined, { configView: () => view }) })
    expect(JSON.parse(out)).toEqual(view)
  })

  test("verify says what it found", async () => {
    const verify = (problems: string[]) =>
      fakeEngine(undefined, { verify: () => Promise.resolve({ sessions: 1, events: 20, problems }) })
    expect(await cairn(["debug", "verify"], { engine: verify([]) })).toMatchObject({
      code: 0,
      out: "20 events of 1 session replayed: no difference\n",
    })
    const found = await cairn(["debug", "verify"], { engine: verify(["session ses_1: title differs"]) })
    expect(found).toMatchObject({
      code: 1,
      out: expect.stringContaining("ses_1: title differs\n20 events of 1 session replayed: 1 difference"),
    })
  })

  test("disposes the engine, says warnings and setup errors on stderr", async () => {
    const engine = fakeEngine(undefined, { warnings: ["odd key"] })
    expect(await cairn(["debug", "paths"], { engine })).toMatchObject({ code: 0, err: "cairn: odd key\n" })
    expect(engine.disposed).toBe(true)
    const broken = { kind: "config", message: "cairn.json:3: model must be a string" } as const
    expect(await cairn(["debug", "paths"], { engine: broken })).toEqual({
      code: 2,
      out: "",
      err: "cairn: cairn.json:3: model must be a string\n",
    })
  })
})

test("a database that cannot be read is to be mended: its message, exit 2", async () => {
  const engine = fakeEngine(undefined, {
    verify: () => {
      throw new StoreFailed("The database /d/cairn.db could not be read: malformed. Do this.")
    },
  })
  expect(await cairn(["debug", "verify"], { engine })).toEqual({
    code: 2,
    out: "",
    err: "cairn: The database /d/cairn.db could not be read: malformed. Do this.\n",
  })
})

test("a defect is one sentence, exit 1", async () => {
  const engine = fakeEngine(undefined, {
    verify: () => {
      throw new Error("disk on fire")
    },
  })
  expect(await cairn(["debug", "verify"], { engine })).toEqual({
    code: 1,
    out: "",
    err: "cairn: internal error: disk on fire\n",
  })
})

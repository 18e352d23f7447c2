import { describe, expect, test } from "bun:test"
import { StoreFailed } from "@cairn/core/store/trouble"
import { err, ok } from "@cairn/kernel/result"
import { HeadlessLine } from "@cairn/schema/headless"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { fakeEngine, type FakePlay } from "../../test/fake-engine.ts"
import { fakeIo, open, stdinOf, type FakeIoOptions } from "../../test/fake-io.ts"
import { assistant, event, outcome, part, session, sessionID, updated } from "../../test/values.ts"
import { runSession, type RunOptions } from "./run-session.ts"

const options: RunOptions = {
  message: "do it",
  files: [],
  format: "json",
  deltas: false,
  interactive: false,
  auto: false,
  trust: false,
  continue: false,
  fork: false,
}

interface Setup extends Omit<FakeIoOptions, "engine"> {
  readonly play?: FakePlay
  readonly change?: Parameters<typeof fakeEngine>[1]
}

function prepare(change: Partial<RunOptions> = {}, { play, change: engineChange, ...rest }: Setup = {}) {
  const engine = fakeEngine(play, engineChange)
  const io = fakeIo({ ...rest, engine })
  const run = () => runSession(io, { ...options, ...change })
  const lines = () =>
    io.stdout.text
      .split("\n")
      .filter(Boolean)
      .map((line) => HeadlessLine.parse(JSON.parse(line)))
  return { engine, io, run, lines, result: () => lines().at(-1) as Record<string, unknown> }
}
const asked = (id: string) =>
  event("permission.asked", { id, sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: [] })

test("what the model cannot take is said before it is asked", async () => {
  const leftOut = () => ["The file a.png (image/png) was left out: this model does not take such files"]
  const { io, run } = prepare({ format: "text" }, { change: { leftOut } })
  expect(await run()).toBe(0)
  expect(io.stderr.text).toContain("cairn: The file a.png (image/png) was left out")
})

describe("a run", () => {
  test("gives the prompt, shows the events, reports the end", async () => {
    const info = assistant()
    const { engine, run, lines } = prepare(
      { title: "A title" },
      {
        play: ({ publish }) => {
          publish(
            event("message.updated", { sessionID, info }),
            updated(part("text", { text: "Hi", time: { start: 1, end: 2 } })),
          )
          return outcome({ text: "Hi", cost: 0.5 })
        },
      },
    )
    expect(await run()).toBe(0)
    expect(lines().map((line) => line.type)).toEqual([
      "start",
      "session.created",
      "message.updated",
      "message.part.updated",
      "result",
    ])
    expect(lines()[1]).toMatchObject({ properties: { info: { title: "A title" } } })
    expect(lines().at(-1)).toMatchObject({ exitCode: 0, reason: "done", text: "Hi", cost: 0.5, sessionID })
    expect(engine.prompts).toEqual([
      {
        sessionID,
        parts: [{ type: "text", text: "do it" }],
        model: { providerID: "demo", modelID: "tour" },
        agent: "build",
        asks: "deny",
      },
    ])
    expect(engine.disposed).toBe(true)
  })

  test.each([
    [{}, "deny"],
    [{ auto: true }, "auto"],
    [{ interactive: true }, "wait"],
  ] as const)("with %j lets asks %s", async (change, asks) => {
    const { engine, run } = prepare(change)
    expect(await run()).toBe(0)
    expect(engine.prompts[0]?.asks).toBe(asks)
  })

  test("passes on what has to be trusted, and the engine's warnings", async () => {
    const { io, run } = prepare({ trust: true }, { change: { warnings: ["unknown key `foo`"] } })
    expect(await run()).toBe(0)
    expect(io.stderr.text).toContain("cairn: unknown key `foo`")
  })

  test("counts what nobody could approve", async () => {
    const { run, result } = prepare({}, { play: () => outcome({ denied: 2 }) })
    expect(await run()).toBe(4)
    expect(result()).toMatchObject({ exitCode: 4, reason: "done", denied: 2 })
  })

  test("takes 10 MB", async () => {
    const message = "x".repeat(10 * 1024 * 1024)
    const { engine, run } = prepare({ message })
    expect(await run()).toBe(0)
    expect(engine.prompts[0]?.parts[0]).toEqual({ type: "text", text: message })
  })
})

describe("the prompt", () => {
  const textOf = async (change: Partial<RunOptions>, setup: Setup) => {
    const { engine, run } = prepare(change, setup)
    await run()
    return engine.prompts[0]?.parts
  }
  test("is stdin when there is no message", async () => {
    expect(await textOf({ message: "" }, { stdin: stdinOf("pipe", ["from stdin\n"]) })).toEqual([
      { type: "text", text: "from stdin" },
    ])
  })

  test("is the message and then stdin", async () => {
    expect(await textOf({}, { stdin: stdinOf("file", ["data\n"]) })).toEqual([{ type: "text", text: "do it\n\ndata" }])
  })

  test("does not read stdin that carries answers", async () => {
    expect(await textOf({ interactive: true }, { stdin: stdinOf("pipe", ["\n"]) })).toEqual([
      { type: "text", text: "do it" },
    ])
  })

  test("has its files after the text", async () => {
    await using space = await tempWorkspace({ files: { "a.txt": "A" } })
    const parts = await textOf({ files: ["a.txt", "a.txt"] }, { cwd: space.dir })
    expect(parts?.map((each) => each.type === "text" && each.text.split("\n")[2])).toEqual([undefined, "A", "A"])
  })
})

describe("what has to be mended first ends with 2 and stores nothing:", () => {
  const fails = async (change: Partial<RunOptions>, setup: Setup, reason: string) => {
    const { engine, run, lines, result } = prepare(change, setup)
    expect(await run()).toBe(2)
    expect(lines()).toHaveLength(1)
    expect(result()).toMatchObject({ type: "result", exitCode: 2, reason, sessionID: null })
    expect(engine.prompts).toEqual([])
    expect(await engine.sessions({ scope: "project" })).toEqual([])
    return String(result()["message"])
  }
  const model = { kind: "model", message: "unknown model" } as const

  test("no message", async () => {
    expect(await fails({ message: "  " }, {}, "usage")).toContain("no message")
    expect(await fails({ message: "" }, { stdin: stdinOf("pipe", ["\n \n"]) }, "usage")).toContain("no message")
    expect(await fails({ message: "", interactive: true }, {}, "usage")).toContain("stdin carries answers")
  })
  test("a file that is not there", () => fails({ files: ["/nowhere/x"] }, {}, "file"))
  test("a directory that is not there, or is a file", async () => {
    expect(await fails({ dir: "/nowhere" }, {}, "directory")).toContain("does not exist")
    expect(await fails({ dir: "/dev/null" }, {}, "directory")).toContain("is not a directory")
  })
  test("an unknown session", () => fails({ session: "ses_1" }, {}, "session"))
  test("nothing to continue", () => fails({ continue: true }, {}, "session"))
  test("an unknown model", () => fails({ model: "a/b" }, { change: { checkModel: async () => err(model) } }, "model"))
  test("a name in model_fallback that means nothing", () =>
    fails({}, { change: { checkFallback: () => err({ ...model, message: "model_fallback: unknown" }) } }, "model"))
  test("an unknown agent", () =>
    fails({ agent: "x" }, { change: { checkAgent: () => err({ kind: "usage", message: "unknown agent" }) } }, "usage"))
  test("a data directory that cannot be written", async () => {
    const io = fakeIo({ engine: { kind: "data_directory", message: "cannot write /d" } })
    expect(await runSession(io, options)).toBe(2)
    expect(io.stderr.text).toBe("cairn: cannot write /d\n")
  })
})

test("a model that cannot take over is said, and the run goes on", async () => {
  const { run, io } = prepare(
    { format: "text" },
    { change: { checkFallback: () => ok(["model_fallback: p/m will not"]) } },
  )
  expect(await run()).toBe(0)
  expect(io.stderr.text).toStartWith("cairn: model_fallback: p/m will not\n")
})

test("a session that turned out busy is not left behind when it is new", async () => {
  const { engine, run, result } = prepare({}, { play: () => ({ kind: "busy", message: "owned by process 7" }) })
  expect(await run()).toBe(2)
  expect(result()).toMatchObject({ reason: "busy", message: "owned by process 7" })
  expect(engine.deleted).toEqual([sessionID])
})

describe("an existing session", () => {
  const before = session({ agent: "plan", model: { providerID: "p", id: "m/n" } })

  test("goes on with its own agent and model, and takes a new title", async () => {
    const titles: unknown[] = []
    const change = {
      session: () => before,
      updateSession: (_id: string, update: object) => (titles.push(update), { ...before, ...update }),
    }
    const { engine, run } = prepare({ session: sessionID, title: "New" }, { change })
    expect(await run()).toBe(0)
    expect(engine.prompts[0]).toMatchObject({ agent: "plan", model: { providerID: "p" } })
    const called = prepare({ session: sessionID, variant: "high", format: "text" }, { change })
    expect(await called.run()).toBe(0)
    expect(called.engine.prompts[0]).toMatchObject({ model: { providerID: "p", variant: "high" } })
    expect(called.io.stderr.text).toContain(" (high), agent plan")
    expect(titles).toEqual([{ title: "New" }])
    expect(engine.deleted).toEqual([])
  })

  test("is the newest one that is nobody's child, with --continue", async () => {
    const at = (id: string, updatedAt: number, rest = {}) =>
      session({ id, time: { created: 0, updated: updatedAt }, ...rest })
    const sessions = async () => [at("ses_1", 5), at("ses_2", 9), at("ses_3", 10, { parentID: "ses_2" })]
    const { engine, run } = prepare({ continue: true }, { change: { sessions } })
    expect(await run()).toBe(0)
    expect(engine.prompts[0]?.sessionID).toBe("ses_2")
  })

  test("works in its own directory when that still exists", async () => {
    await using space = await tempWorkspace()
    const directories: string[] = []
    const engine = fakeEngine(undefined, { session: () => session({ directory: space.dir }) })
    const io = fakeIo({ engine })
    const openEngine = (given: { directory: string }) => (
      directories.push(given.directory),
      io.openEngine(given as never)
    )
    expect(await runSession({ ...io, openEngine }, { ...options, session: sessionID })).toBe(0)
    expect(directories).toEqual(["/", space.dir])
  })
})

describe("an interruption", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGPIPE", 141],
  ] as const)("by %s aborts the turn and ends honestly with %d", async (kind, code) => {
    const started = Promise.withResolvers<void>()
    const { io, run, result, engine } = prepare(
      {},
      {
        play: async ({ aborted }) => {
          started.resolve()
          await aborted
          return outcome({ reason: "aborted", text: "half" })
        },
      },
    )
    const ended = run()
    await started.promise
    io.interrupt(kind)
    expect(await ended).toBe(code)
    expect(result()).toMatchObject({ exitCode: code, reason: "aborted", text: "half" })
    expect([engine.disposed, io.exits]).toEqual([true, []])
  })

  test("that comes twice ends at once", async () => {
    const finish = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const { io, run } = prepare(
      {},
      {
        play: async () => {
          started.resolve()
          await finish.promise
          return outcome({ reason: "aborted" })
        },
      },
    )
    const ended = run()
    await started.promise
    io.interrupt("SIGINT")
    io.interrupt("SIGPIPE")
    expect(io.exits).toEqual([])
    io.interrupt("SIGTERM")
    expect(io.exits).toEqual([143])
    finish.resolve()
    expect(await ended).toBe(130)
  })

  test("before the run holds the session is tried again until it took", async () => {
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let tries = 0
    const abort = async () => {
      if (++tries < 3) return false
      finish.resolve()
      return true
    }
    const { io, run } = prepare(
      {},
      {
        change: { abort },
        play: async () => {
          started.resolve()
          await finish.promise
          return outcome({ reason: "aborted" })
        },
      },
    )
    const ended = run()
    await started.promise
    io.interrupt("SIGINT")
    for (let turn = 0; turn < 2; turn++) {
      await io.clock.timers()
      await io.clock.advance(20)
    }
    expect(await ended).toBe(130)
    expect(tries).toBe(3)
  })

  test("while stdin is read ends without a session", async () => {
    const { io, run, result, engine } = prepare({ message: "" }, { stdin: stdinOf("pipe", [open]) })
    const ended = run()
    await io.clock.timers()
    io.interrupt("SIGTERM")
    expect(await ended).toBe(143)
    expect(result()).toMatchObject({ reason: "aborted", sessionID: null })
    expect(engine.prompts).toEqual([])
  })
})

describe("--interactive-permissions", () => {
  test("brings answers to asks", async () => {
    const { run, engine, lines } = prepare(
      { interactive: true },
      {
        stdin: stdinOf("pipe", [`{"id":"per_1","reply":"once"}\n`]),
        play: async ({ publish, answer }) => {
          const answered = answer("per_1")
          publish(asked("per_1"))
          expect(await answered).toEqual({ reply: "once" })
          return outcome()
        },
      },
    )
    expect(await run()).toBe(0)
    expect(lines().map((line) => line.type)).toContain("permission.asked")
    expect(engine.replies).toHaveLength(1)
  })

  test("rejects what waits when stdin ends, and the exit code says so", async () => {
    const { run, result } = prepare(
      { interactive: true },
      {
        stdin: stdinOf("pipe"),
        play: async ({ publish, answer }) => {
          for (const id of ["per_1", "per_2"]) {
            const answered = answer(id)
            publish(asked(id))
            expect(await answered).toMatchObject({
              reply: "reject",
              message: expect.stringContaining("closed its input"),
            })
          }
          return outcome()
        },
      },
    )
    expect(await run()).toBe(4)
    expect(result()).toMatchObject({ denied: 2 })
  })
})

test("what the provider said is in the result", async () => {
  const error = { name: "ProviderAuthError", data: { providerID: "demo", message: "the key was refused" } } as const
  const { run, io, result } = prepare({}, { play: () => outcome({ reason: "error", errorClass: "auth", error }) })
  expect(await run()).toBe(3)
  expect(result()).toMatchObject({ exitCode: 3, reason: "error", message: "the key was refused" })
  expect(io.stderr.text).toBe("cairn: the key was refused\n")
})

test("a disk that does not take the session is to be mended: no defect, exit 2", async () => {
  const createSession = () => Promise.reject(new StoreFailed("The database /d/cairn.db could not be written: full."))
  const { run, io, result } = prepare({}, { change: { createSession } })
  expect(await run()).toBe(2)
  expect(result()).toMatchObject({ exitCode: 2, reason: "data_directory" })
  expect(io.stderr.text).toBe("cairn: The database /d/cairn.db could not be written: full.\n")
})

describe("a defect", () => {
  test("is one sentence with the log's path, exit 1", async () => {
    const { run, io, result } = prepare(
      {},
      {
        play: () => {
          throw new TypeError("x is not a function")
        },
      },
    )
    expect(await run()).toBe(1)
    expect(result()).toMatchObject({
      exitCode: 1,
      reason: "internal",
      message: "internal error: x is not a function; the log is /s/log/cairn.log",
    })
    expect(io.stderr.text).not.toContain("at ")
  })

  test("shows its stack when the log level is debug", async () => {
    const { run, io } = prepare(
      {},
      {
        change: { configView: () => ({ config: { logLevel: "DEBUG" }, sources: [], warnings: [] }) },
        play: () => {
          throw new TypeError("boom")
        },
      },
    )
    expect(await run()).toBe(1)
    expect(io.stderr.text).toContain("run-session.test.ts")
  })

  test("that the engine recorded names the log too", async () => {
    const { run, result } = prepare(
      {},
      { play: () => outcome({ reason: "error", error: { name: "UnknownError", data: { message: "bad" } } }) },
    )
    expect(await run()).toBe(1)
    expect(result()["message"]).toBe("bad; the log is /s/log/cairn.log")
  })
})

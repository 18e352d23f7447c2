import { describe, expect, test } from "bun:test"
import type { BusEvent } from "@cairn/schema/event"
import { captured, fakeIo, type FakeIo } from "../../test/fake-io.ts"
import {
  assistant,
  delta,
  event,
  messageID,
  outcome,
  part,
  running,
  sessionID,
  tool,
  updated,
  user,
  userMessageID,
} from "../../test/values.ts"
import type { RunReport } from "./reporter.ts"
import { textReporter } from "./text-reporter.ts"

const start = {
  sessionID,
  title: "t",
  model: { providerID: "demo", modelID: "tour" },
  agent: "build",
  directory: "/repo",
  resumed: false,
  structured: false,
}
const second = "msg_000000000002abcdefghijklmn"
const opened = (id = messageID, change = {}) =>
  event("message.updated", { sessionID, info: assistant({ id, ...change }) })

function run(io: FakeIo, events: readonly BusEvent[], report: Partial<RunReport> = {}): { out: string; err: string } {
  const reporter = textReporter(io)
  reporter.start(start)
  for (const each of events) reporter.event(each)
  reporter.end({ exit: { code: 0, reason: "done" }, sessionID, outcome: outcome(), denied: 0, ...report })
  return { out: io.stdout.text, err: io.stderr.text }
}
const text = (value: string, message = messageID) =>
  part("text", { text: value, time: { start: 1, end: 2 } }, { messageID: message })
const terminal = (env: Record<string, string> = { NO_COLOR: "1" }) =>
  fakeIo({ stdout: captured({ terminal: true }), stderr: captured({ terminal: true }), env })

/** What both streams show on one terminal, without lines that were drawn over. */
const onScreen = (io: FakeIo) => io.stderr.text.replaceAll(/[^\n]*\r\u001b\[K/g, "")

describe("in a pipe", () => {
  const read = tool("read", { filePath: "/repo/a.ts" })
  const events = [
    event("message.updated", { sessionID, info: user() }),
    updated(part("text", { text: "the question" }, { messageID: userMessageID })),
    opened(),
    updated(part("reasoning", { text: "thinking", time: { start: 1, end: 2 } })),
    updated(text("I look first.")),
    updated(running(read)),
    updated(read),
    opened(second),
    updated(text("The answer.", second)),
  ]

  test("stdout is the answer alone, stderr says what happened", () => {
    const { out, err } = run(fakeIo(), events)
    expect(out).toBe("The answer.\n")
    expect(err).toBe(
      [
        `demo/tour, agent build, ${sessionID}`,
        "I look first.",
        "read a.ts",
        "",
        "done, 0 steps, 0 ms, 0 in, 0 out",
        `continue: cairn run --session ${sessionID} "…"`,
        "",
      ].join("\n"),
    )
  })

  test("the answer is what the model wrote, byte for byte", () => {
    const { out } = run(fakeIo(), [], { outcome: outcome({ text: "a\u001b[31m\r\nb\n" }) })
    expect(out).toBe("a\u001b[31m\r\nb\n")
  })

  test("no answer is no output", () => {
    expect(run(fakeIo(), [], { outcome: outcome({ text: "" }) }).out).toBe("")
  })

  test("progress is harmless and plain", () => {
    const evil = tool("bash", { command: "echo \u001b]52;c;x\u0007" }, { metadata: { exit: 1 }, output: "\u009b2J" })
    const { err } = run(fakeIo(), [
      opened(),
      updated(text("see \u202e\u001b[2J")),
      updated(running(evil)),
      updated(evil),
    ])
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(err).toContain("$ echo ␛]52;c;x␇")
  })

  test("FORCE_COLOR colours progress, never the answer", () => {
    const { out, err } = run(fakeIo({ env: { FORCE_COLOR: "1" } }), events)
    expect(out).toBe("The answer.\n")
    expect(err).toContain("\u001b[36mread\u001b[39m a.ts")
  })

  test("a text that no answer followed is not lost", () => {
    const { out, err } = run(fakeIo(), [opened(), updated(text("half a thought"))], {
      exit: { code: 3, reason: "error" },
      outcome: outcome({ reason: "error", text: "", errorClass: "auth" }),
      message: "the key was refused",
    })
    expect(out).toBe("")
    expect(err).toContain("half a thought\n")
    expect(err).toContain("cairn: the key was refused\nfailed, ")
  })
})

describe("on a terminal", () => {
  const word = part("text", { text: "", time: { start: 1 } })
  const whole = { ...word, text: "Hello\nworld", time: { start: 1, end: 2 } }

  test("text appears as it is written and is not repeated", () => {
    const io = terminal()
    const { out } = run(
      io,
      [opened(), updated(word), delta(word, "Hel"), delta(word, "lo\nwor"), delta(word, "ld"), updated(whole)],
      {
        outcome: outcome({ text: "Hello\nworld" }),
      },
    )
    expect(out).toBe("Hello\nworld\n")
  })

  test("text without pieces appears when it is whole", () => {
    expect(run(terminal(), [opened(), updated(whole)], { outcome: outcome({ text: "Hello\nworld" }) }).out).toBe(
      "Hello\nworld\n",
    )
    expect(run(terminal(), [], { outcome: outcome({ text: "unseen" }) }).out).toBe("unseen\n")
  })

  test("an escape sequence cut over pieces stays visible", () => {
    const { out } = run(terminal(), [
      opened(),
      updated(word),
      delta(word, "a\u001b"),
      delta(word, "[2Jb\r"),
      delta(word, "\nc"),
    ])
    expect(out).toBe("a␛[2Jb\nc\n")
  })

  const markdown = "# Why\n\n- one\n```sh\nnpm test\n```\n"
  const drawn = "\u001b[1mWhy\u001b[22m\n\n• one\n\u001b[2m```sh\u001b[22m\n  npm test\n\u001b[2m```\u001b[22m\n"

  test("markdown is drawn, in whatever pieces it comes", () => {
    const whole = { outcome: outcome({ text: markdown }) }
    const pieces = [...markdown].map((letter) => delta(word, letter))
    const end = updated({ ...word, text: markdown, time: { start: 1, end: 2 } })
    expect(
      run(terminal({}), [opened(), updated(word), ...pieces, end], whole).out.replaceAll("\u001b[22m\u001b[1m", ""),
    ).toBe(drawn)
    expect(run(terminal({}), [], whole).out).toBe(drawn)
  })

  test.each<Record<string, string>>([{ NO_COLOR: "1" }, { CAIRN_PLAIN: "1" }, { TERM: "dumb" }])(
    "with %j it stays as it was written",
    (env) => {
      const whole = { outcome: outcome({ text: markdown }) }
      expect(run(terminal(env), [opened(), updated(text(markdown))], whole).out).toBe(markdown)
    },
  )

  test("in a pipe with colours, too", () => {
    const io = fakeIo({ stderr: captured({ terminal: true }), env: { FORCE_COLOR: "1" } })
    expect(run(io, [opened(), updated(text(markdown))], { outcome: outcome({ text: markdown }) }).out).toBe(markdown)
  })

  test("an answer that is cut off loses nothing", () => {
    const events = [opened(), updated(word), delta(word, "It is\n- ")]
    expect(run(terminal({}), events, { outcome: outcome({ text: "" }) }).out).toBe("It is\n- \n")
  })

  test("another model that goes on is said once, with the reason, and so is the way back", () => {
    const io = terminal()
    const fallback = { providerID: "demo", modelID: "tour", message: "Demo (HTTP 529): overloaded.", until: 1 }
    const other = { providerID: "p", modelID: "m/n", fallback }
    const events = [
      opened(),
      opened(second, other),
      updated(text("I go on.", second)),
      opened("msg_000000000003abcdefghijklmn", { ...other, summary: true }),
      opened("msg_000000000004abcdefghijklmn", { providerID: "demo" }),
    ]
    run(io, events)
    expect(onScreen(io).match(/.*(takes over|answers again).*/g)).toEqual([
      "demo/tour does not answer (Demo (HTTP 529): overloaded); p/m/n takes over",
      "demo/tour answers again",
    ])
  })

  test("long remarks are broken between words", () => {
    const io = fakeIo({
      stdout: captured({ terminal: true }),
      stderr: captured({ terminal: true, columns: 40 }),
      env: { NO_COLOR: "1" },
    })
    const message = "The provider limits how often it may be asked, and this was too often"
    run(io, [
      event("session.status", {
        sessionID,
        status: { type: "retry", attempt: 1, message, next: io.clock.now() + 3_000 },
      }),
    ])
    expect(onScreen(io)).toContain(
      "The provider limits how often it may be\nasked, and this was too often; attempt 1\nfailed, next try in 3 s\n",
    )
    expect(onScreen(io)).toStartWith(`demo/tour, agent build,\n${sessionID}\n`)
  })

  test("what is not for people is not shown", () => {
    const { out } = run(
      terminal(),
      [
        event("message.updated", { sessionID, info: user() }),
        updated(part("text", { text: "the question" }, { messageID: userMessageID })),
        opened(messageID, { summary: true }),
        updated(text("a summary")),
        opened(second),
        updated(part("text", { text: "a reminder", synthetic: true }, { messageID: second })),
        updated(text("an old text that changed", "msg_000000000009abcdefghijklmn")),
      ],
      { outcome: outcome({ text: "" }) },
    )
    expect(out).toBe("")
  })

  test("a tool line stands on its own line, with blank lines around", () => {
    const io = terminal()
    const read = tool("read", { filePath: "/repo/a.ts" })
    run(
      io,
      [opened(), updated(word), delta(word, "I look"), updated(running(read)), updated(read), updated(text("Found."))],
      {
        outcome: outcome({ text: "Found." }),
      },
    )
    expect(io.stdout.text).toBe("I look\nFound.\n")
    expect(onScreen(io)).toBe(
      `demo/tour, agent build, ${sessionID}\n\nread a.ts\n\n\ndone, 0 steps, 0 ms, 0 in, 0 out\ncontinue: cairn run --session ${sessionID} "…"\n`,
    )
  })

  test("thoughts are dim and go to stderr", () => {
    const io = terminal({})
    const thinking = part("reasoning", { text: "", time: { start: 1 } })
    run(io, [
      opened(),
      updated(thinking),
      delta(thinking, "hm\nso"),
      updated({ ...thinking, text: "hm\nso", time: { start: 1, end: 2 } }),
    ])
    expect(io.stderr.text).toContain("\u001b[2mhm\u001b[22m\n\u001b[2mso\u001b[22m")
    expect(io.stdout.text).toBe("The answer.\n")
  })

  test("a settled call is shown once, and only when this run made it", () => {
    const io = terminal()
    const read = tool("read", { filePath: "/repo/a.ts" })
    const old = { ...tool("glob", { pattern: "*" }), messageID: "msg_000000000009abcdefghijklmn" }
    run(io, [opened(), updated(running(read)), updated(read), updated(read), updated(old)])
    expect(onScreen(io).match(/^read a\.ts$/gm)).toHaveLength(1)
    expect(onScreen(io)).not.toContain("glob")
  })

  test("diffs are in colour", () => {
    const io = terminal({})
    const edit = tool("edit", { filePath: "a" }, { metadata: { diff: "@@ -1 +1 @@\n-a\n+b\n" } })
    run(io, [opened(), updated(running(edit)), updated(edit)])
    expect(io.stderr.text).toContain("\u001b[31m-a\u001b[39m\n  \u001b[32m+b\u001b[39m")
  })

  test("events of other sessions are not shown", () => {
    const other = { ...text("from a subagent"), sessionID: "ses_other" }
    expect(
      run(terminal(), [opened(), event("message.part.updated", { sessionID: "ses_other", part: other, time: 1 })]).out,
    ).toBe("The answer.\n")
  })
})

describe("the line at the bottom", () => {
  test("counts the seconds of a call, then of the wait for the model", async () => {
    const io = terminal()
    const reporter = textReporter(io)
    reporter.start(start)
    await io.clock.advance(2_000)
    expect(io.stderr.text).toEndWith("\r\u001b[Kwaiting for demo/tour (2 s)")
    const test = tool("bash", { command: "npm test" }, { metadata: { exit: 0 } })
    reporter.event(opened())
    reporter.event(updated(running(test)))
    await io.clock.advance(3_000)
    expect(io.stderr.text).toEndWith("\r\u001b[K$ npm test (3 s)")
    reporter.event(updated(test))
    expect(io.stderr.text).toEndWith("\r\u001b[K$ npm test\n")
    reporter.end({ exit: { code: 0, reason: "done" }, denied: 0 })
    expect(io.clock.pending).toBe(0)
  })

  test("says what runs also below a text that did not end its line", async () => {
    const io = terminal()
    const reporter = textReporter(io)
    reporter.start(start)
    const test = tool("bash", { command: "npm test" }, { metadata: { exit: 0 } })
    for (const each of [opened(), updated(text("I run it.")), updated(running(test))]) reporter.event(each)
    await io.clock.advance(1_000)
    expect(io.stdout.text).toBe("I run it.\n")
    expect(io.stderr.text).toEndWith("\n$ npm test (0 s)\r\u001b[K$ npm test (1 s)")
    reporter.event(updated(test))
    expect(onScreen(io)).toEndWith("\n\n$ npm test\n")
    reporter.end({ exit: { code: 0, reason: "done" }, denied: 0 })
  })

  test("keeps its seconds when the call is longer than the line", async () => {
    const io = terminal()
    const reporter = textReporter(io)
    reporter.start(start)
    reporter.event(opened())
    reporter.event(updated(running(tool("bash", { command: "x".repeat(200) }))))
    await io.clock.advance(12_000)
    const line = io.stderr.text.slice(io.stderr.text.lastIndexOf("\u001b[K") + 3)
    expect(line).toMatch(/^\$ x+… \(12 s\)$/)
    expect(line).toHaveLength(79)
    reporter.end({ exit: { code: 0, reason: "done" }, denied: 0 })
  })

  test("counts down to the next try", async () => {
    const io = terminal()
    const reporter = textReporter(io)
    reporter.start(start)
    const next = io.clock.now() + 8_000
    reporter.event(
      event("session.status", { sessionID, status: { type: "retry", attempt: 1, message: "overloaded", next } }),
    )
    expect(onScreen(io)).toContain("overloaded; attempt 1 failed, next try in 8 s\n")
    await io.clock.advance(3_000)
    expect(io.stderr.text).toEndWith("\r\u001b[Knext try in 5 s")
    reporter.end({ exit: { code: 0, reason: "done" }, denied: 0 })
  })

  test.each([
    ["a pipe", fakeIo()],
    ["TERM=dumb", terminal({ TERM: "dumb" })],
    ["CAIRN_PLAIN", terminal({ CAIRN_PLAIN: "1" })],
  ])("is absent with %s, and so is every other trick", async (_name, io) => {
    const read = tool("read", { filePath: "/repo/a.ts" })
    const reporter = textReporter(io)
    reporter.start(start)
    await io.clock.advance(5_000)
    for (const each of [opened(), updated(running(read)), updated(read), updated(text("x"))]) reporter.event(each)
    reporter.end({ exit: { code: 0, reason: "done" }, outcome: outcome({ text: "x" }), denied: 0 })
    expect(io.stdout.text + io.stderr.text).not.toMatch(/[\r\u001b]/)
    expect(io.stdout.text).toBe("x\n")
  })
})

describe("the end", () => {
  const used = { input: 10_000, output: 300, reasoning: 0, cache: { read: 2_000, write: 0 } }
  const ended = (report: Partial<RunReport>) =>
    run(fakeIo(), [opened(), updated(part("step-finish", { reason: "stop", cost: 0, tokens: used }))], report).err

  test("says steps, tokens and cost", () => {
    expect(ended({ outcome: outcome({ tokens: used, cost: 0.0123 }) })).toContain(
      "done, 1 step, 0 ms, 12k in (2k cached), 300 out, $0.0123\n",
    )
  })

  test("says how to allow what was denied", () => {
    const err = ended({ exit: { code: 4, reason: "done" }, denied: 2 })
    expect(err).toContain("2 calls needed an approval that nobody could give")
    expect(err).toContain("--auto")
  })

  test.each([
    ["aborted", 130, "interrupted, "],
    ["loop_guard", 6, "stopped by the loop guard"],
    ["budget", 5, "the budget is spent"],
    ["step_limit", 5, "step limit is reached"],
    ["rejected", 4, "a call was rejected"],
  ] as const)("says %s", (reason, code, words) => {
    expect(ended({ exit: { code, reason }, outcome: outcome({ reason }) })).toContain(words)
  })

  test("of a run that never began is its message", () => {
    const io = fakeIo()
    textReporter(io).end({ exit: { code: 2, reason: "key" }, denied: 0, message: "no key for x\u001b[2J" })
    expect([io.stdout.text, io.stderr.text]).toEqual(["", "cairn: no key for x␛[2J\n"])
  })
})

test("an ask is a line of JSON of its own", () => {
  const io = terminal()
  const reporter = textReporter(io)
  reporter.start(start)
  const open = part("text", { text: "", time: { start: 1 } })
  for (const each of [opened(), updated(open), delta(open, "I ask")]) reporter.event(each)
  reporter.ask({ id: "per_1", sessionID, permission: "bash", patterns: ["ls"], metadata: {}, always: [] })
  const lines = io.stdout.text.split("\n")
  expect(lines[0]).toBe("I ask")
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ type: "permission.asked", properties: { id: "per_1" } })
})

describe("with a schema", () => {
  const shown = (io: FakeIo, events: readonly BusEvent[], report: Partial<RunReport>) => {
    const reporter = textReporter(io)
    reporter.start({ ...start, structured: true })
    for (const each of events) reporter.event(each)
    reporter.end({ exit: { code: 0, reason: "done" }, sessionID, outcome: outcome(), denied: 0, ...report })
    return { out: io.stdout.text, err: io.stderr.text }
  }
  const events = [opened(), updated(text("In words."))]

  test("a pipe gets the JSON on one line, and the words go to stderr", () => {
    const structured = { a: "x\u001b[2J\n", b: [1] }
    const { out, err } = shown(fakeIo(), events, { outcome: outcome({ text: "In words.", structured }) })
    expect(out).toBe('{"a":"x\\u001b[2J\\n","b":[1]}\n')
    expect(err).toContain("In words.\n")
  })

  test("a run without a result has nothing on stdout", () => {
    const { out, err } = shown(fakeIo(), events, {
      exit: { code: 3, reason: "error" },
      outcome: outcome({ reason: "error", text: "In words.", errorClass: "fatal" }),
      message: "no result that fits",
    })
    expect(out).toBe("")
    expect(err).toContain("In words.\n")
    expect(err).toContain("cairn: no result that fits")
  })

  test("a terminal gets it laid out and harmless, after what the model said", () => {
    const { out } = shown(terminal(), events, { outcome: outcome({ text: "In words.", structured: { a: "\u202e" } }) })
    expect(out.replaceAll(/\r?\u001b\[K/g, "")).toBe('In words.\n{\n  "a": "<U+202E>"\n}\n')
    const dumb = shown(fakeIo({ stdout: captured({ terminal: true }), env: { TERM: "dumb" } }), [], {
      outcome: outcome({ structured: 0 }),
    })
    expect(dumb.out).toBe("0\n")
  })
})

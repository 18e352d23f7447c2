import { describe, expect, test } from "bun:test"
import { HeadlessLine } from "@cairn/schema/headless"
import type { BusEvent } from "@cairn/schema/event"
import { captured } from "../../test/fake-io.ts"
import { assistant, delta, event, outcome, part, running, sessionID, tool, updated } from "../../test/values.ts"
import { jsonReporter } from "./json-reporter.ts"

const start = {
  sessionID,
  title: "t",
  model: { providerID: "demo", modelID: "tour" },
  agent: "build",
  directory: "/",
  resumed: false,
  structured: false,
}

function written(events: readonly BusEvent[], deltas: boolean): Record<string, unknown>[] {
  const stdout = captured()
  const reporter = jsonReporter({ stdout, stderr: captured(), version: "9.9.9" }, { deltas })
  reporter.start(start)
  for (const each of events) reporter.event(each)
  reporter.end({ exit: { code: 0, reason: "done" }, sessionID, outcome: outcome(), denied: 0 })
  expect(stdout.text).toEndWith("\n")
  const lines = stdout.text
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line))
  for (const line of lines) expect(HeadlessLine.parse(line)).toEqual(line as never)
  return lines
}

const open = part("text", { text: "", time: { start: 1 } })
const whole = { ...open, text: "Hello", time: { start: 1, end: 2 } }
const thinking = part("reasoning", { text: "", time: { start: 1 } })
const thought = { ...thinking, text: "hm", time: { start: 1, end: 2 } }
const call = tool("read", { filePath: "a" })
const stream = [
  event("message.updated", { sessionID, info: assistant() }),
  updated(thinking),
  delta(thinking, "hm"),
  updated(thought),
  updated(open),
  delta(open, "Hello"),
  updated(whole),
  updated(running(call)),
  updated(call),
  event("session.status", { sessionID, status: { type: "busy" } }),
]

describe("NDJSON", () => {
  test("begins with start, ends with result, every line is of the schema", () => {
    const lines = written(stream, false)
    expect(lines[0]).toEqual({ type: "start", schema: 1, version: "9.9.9", sessionID })
    expect(lines.at(-1)).toMatchObject({ type: "result", exitCode: 0, reason: "done", sessionID, text: "The answer." })
  })

  test("has each text once, whole", () => {
    const lines = written(stream, false)
    expect(lines.map((line) => line["type"])).toEqual([
      "start",
      "message.updated",
      "message.part.updated",
      "message.part.updated",
      "message.part.updated",
      "message.part.updated",
      "session.status",
      "result",
    ])
    expect(lines[2]).toMatchObject({ properties: { part: { type: "reasoning", text: "hm" } } })
    expect(lines[3]).toMatchObject({ properties: { part: { type: "text", text: "Hello" } } })
  })

  test("has every piece with deltas", () => {
    expect(written(stream, true)).toHaveLength(stream.length + 2)
  })

  test("keeps the text of a user, which has no time", () => {
    expect(written([updated(part("text", { text: "do it" }))], false)).toHaveLength(3)
  })

  test("keeps a line a line whatever the text holds", () => {
    const lines = written([updated(part("text", { text: "a\nb\u2028c\u001b[2J\r" }))], false)
    expect(lines[1]).toMatchObject({ properties: { part: { text: "a\nb\u2028c\u001b[2J\r" } } })
  })
})

test("a result in a form stands in the last line, whatever it is", () => {
  for (const structured of [{ a: [1] }, null, false]) {
    const stdout = captured()
    const reporter = jsonReporter({ stdout, stderr: captured(), version: "1" }, { deltas: false })
    reporter.end({ exit: { code: 0, reason: "done" }, outcome: outcome({ structured }), denied: 0 })
    const last: unknown = JSON.parse(stdout.text)
    expect(HeadlessLine.parse(last)).toMatchObject({ structured })
  }
})

test("a run that could not start is one result line and a message on stderr", () => {
  const stdout = captured()
  const stderr = captured()
  const reporter = jsonReporter({ stdout, stderr, version: "1" }, { deltas: false })
  reporter.end({ exit: { code: 2, reason: "key" }, denied: 0, message: "no key for x" })
  expect(HeadlessLine.parse(JSON.parse(stdout.text))).toMatchObject({
    exitCode: 2,
    reason: "key",
    sessionID: null,
    message: "no key for x",
  })
  expect(stderr.text).toBe("cairn: no key for x\n")
})

test("remarks go to stderr, harmless", () => {
  const stdout = captured()
  const stderr = captured()
  jsonReporter({ stdout, stderr, version: "1" }, { deltas: false }).note("odd \u001b[2J")
  expect([stdout.text, stderr.text]).toEqual(["", "cairn: odd ␛[2J\n"])
})

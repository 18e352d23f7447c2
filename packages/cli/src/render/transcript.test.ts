import { expect, test } from "bun:test"
import { assistant, part, session, sessionID, tool, user, userMessageID } from "../../test/values.ts"
import { styleOf } from "../terminal/look.ts"
import { errorText, transcript } from "./transcript.ts"

const view = {
  style: styleOf(false),
  look: { color: false, live: false, width: Infinity },
  directory: "/repo",
  diffLimit: Infinity,
}
const tokens = { input: 1_000, output: 50, reasoning: 0, cache: { read: 0, write: 0 } }
const failure = { name: "ProviderAuthError", data: { providerID: "demo", message: "the key was refused" } } as const

test("a session reads as what was said and done, steps of one agent in one block", () => {
  const messages = [
    { info: user(), parts: [part("text", { text: "Fix it" }, { messageID: userMessageID })] },
    {
      info: assistant({ finish: "tool-calls" }),
      parts: [part("step-start", {}), tool("read", { filePath: "/repo/a.ts" })],
    },
    { info: assistant({ finish: "stop" }), parts: [part("text", { text: "Fixed." })] },
    { info: user(), parts: [part("text", { text: "Thanks" }, { messageID: userMessageID })] },
    { info: assistant({ error: failure }), parts: [] },
  ]
  expect(transcript(session({ cost: 0.01, tokens }), messages, view)).toBe(
    [
      "Fix the parser",
      `${sessionID} in /repo, 2026-01-01 00:00`,
      "1k in, 50 out, $0.0100",
      "",
      "You",
      "Fix it",
      "",
      "build (demo/tour)",
      "read a.ts",
      "Fixed.",
      "",
      "You",
      "Thanks",
      "",
      "build (demo/tour)",
      "the key was refused",
      "",
    ].join("\n"),
  )
})

test("what another model wrote says in place of whom, and why", () => {
  const fallback = { providerID: "demo", modelID: "tour", message: "Demo (HTTP 529): over\u001bloaded.", until: 1 }
  const messages = [
    { info: assistant({ finish: "error" }), parts: [part("text", { text: "I begin." })] },
    { info: assistant({ providerID: "p", modelID: "m", fallback }), parts: [part("text", { text: "I go on." })] },
  ]
  expect(transcript(session(), messages, view).split("\n").slice(2)).toEqual([
    "",
    "build (demo/tour)",
    "I begin.",
    "",
    "build (p/m)",
    "demo/tour does not answer (Demo (HTTP 529): over␛loaded)",
    "I go on.",
    "",
  ])
})

test("an empty session is its header", () => {
  expect(transcript(session({ title: "a\u001b[2J" }), [], view)).toBe(
    `a␛[2J\n${sessionID} in /repo, 2026-01-01 00:00\n`,
  )
})

test("an error without a message is named", () => {
  expect(errorText({ name: "MessageOutputLengthError", data: {} })).toContain("longer than")
  expect(errorText({ name: "UnknownError", data: { message: "" } })).toBe("UnknownError")
})

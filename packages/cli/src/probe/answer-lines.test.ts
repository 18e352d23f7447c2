import { expect, test } from "bun:test"
import { captured, fakeIo, open, stdinOf } from "../../test/fake-io.ts"
import { answerLines } from "./answer-lines.ts"

const request = (n: number) => `${JSON.stringify({ n, probe: "wildcard", text: "git", pattern: "git *" })}\n`

test("an answer a line, in order, and 0 whatever they are", async () => {
  const io = fakeIo({ stdin: stdinOf("pipe", [request(1), `nonsense\n\n${request(2).trim()}`]) })
  expect(await answerLines(io)).toBe(0)
  const answers = io.stdout.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers).toMatchObject([
    { n: 1, match: true },
    { n: null, error: { kind: "bad_request" } },
    { n: null, error: { kind: "bad_request" } },
    { n: 2, match: true },
  ])
})

test("answers come while stdin is open; an interruption ends it with its code", async () => {
  const answered = Promise.withResolvers<void>()
  const stdout = captured()
  const io = fakeIo({
    stdin: stdinOf("pipe", [request(1), open]),
    stdout: { ...stdout, write: () => answered.resolve() },
  })
  const done = answerLines(io)
  await answered.promise
  io.interrupt("SIGPIPE")
  expect(await done).toBe(141)
})

test("~ in a rule is the home directory", async () => {
  const permission = { read: { "~/x": "deny" } }
  const asked = JSON.stringify({ n: 1, probe: "rule", key: "read", pattern: "/home/test/x", permission })
  const io = fakeIo({ stdin: stdinOf("pipe", [asked]) })
  expect(await answerLines(io)).toBe(0)
  expect(io.stdout.text).toBe('{"n":1,"action":"deny"}\n')
})

test("no stdin is no request; a directory is a mistake", async () => {
  const none = fakeIo({ stdin: stdinOf("none") })
  expect([await answerLines(none), none.stdout.text]).toEqual([0, ""])
  const directory = fakeIo({ stdin: stdinOf("directory") })
  expect(await answerLines(directory)).toBe(2)
  expect(directory.stderr.text).toContain("directory")
})

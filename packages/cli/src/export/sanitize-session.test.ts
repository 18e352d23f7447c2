import { describe, expect, test } from "bun:test"
import { HeadlessLine } from "@cairn/schema/headless"
import type { Part } from "@cairn/schema/part"
import fc from "fast-check"
import { assistant, part, session, tool, updated, user } from "../../test/values.ts"
import { sanitizeSession } from "./sanitize-session.ts"

const home = "/home/ada"

/** One part of an assistant's message after sanitizing, as text. */
function shown(each: Part): string {
  return JSON.stringify(only(each))
}
function only(each: Part): Part | undefined {
  return sanitizeSession({ info: session(), messages: [{ info: assistant(), parts: [each] }] }, home).messages[0]
    ?.parts[0]
}
const said = (text: string) => {
  const found = only(part("text", { text }))
  return found?.type === "text" ? found.text : undefined
}

describe("what was said", () => {
  test("stays", () => {
    expect(said("Please fix src/a.ts: 3 tests fail")).toBe("Please fix src/a.ts: 3 tests fail")
  })

  test.each([
    ["cd /home/ada/repo && ls /home/ada", "cd ~/repo && ls ~"],
    ["file:///home/ada/x.ts", "file://~/x.ts"],
    ["/home/adams/x /home/ada.old", "/home/adams/x /home/ada.old"],
  ])("has ~ for the home directory: %s", (text, expected) => {
    expect(said(text)).toBe(expected)
  })

  test.each([
    [`the key is ${["sk", "proj", "abcdefghijklmnopqrst"].join("-")} ok`, "abcdefghijklmnop"],
    ["curl -H 'Authorization: Bearer abcdef0123456789'", "abcdef0123456789"],
    ["DB_PASSWORD=hunter2hunter2 npm test", "hunter2"],
    [`{"api_key": "0123456789abcdef"}`, "0123456789abcdef"],
    ["postgres://ada:geheim99@db/x", "geheim99"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\nend", "MIIEabc"],
  ])("loses secrets: %s", (text, secret) => {
    expect(said(text)).toContain("[redacted]")
    expect(said(text)).not.toContain(secret)
  })
})

describe("what files and commands held", () => {
  test("becomes its length, in the output and its metadata; numbers stay", () => {
    const call = tool(
      "bash",
      { command: "cat notes" },
      { output: "private notes", metadata: { exit: 0, output: "private notes" } },
    )
    expect(only(call)).toMatchObject({
      state: {
        input: { command: "cat notes" },
        output: "[left out: 13 characters]",
        metadata: { exit: 0, output: "[left out: 13 characters]" },
      },
    })
  })

  test.each([
    ["write", { filePath: "/repo/a", content: "PRIVATE" }],
    ["edit", { filePath: "/repo/a", oldString: "PRIVATE", newString: "PRIVATE2" }],
    ["apply_patch", { patchText: "*** Begin Patch\nPRIVATE" }],
    ["other", { nested: [{ content: ["PRIVATE"] }] }],
    ["other", { config: { apiKey: "PRIVATE" } }],
  ])("is left out of what %s was given", (name, input) => {
    expect(shown(tool(name, input, { output: "done" }))).not.toContain("PRIVATE")
    expect(shown(tool(name, input, { error: "failed" }))).not.toContain("PRIVATE")
  })

  test("is left out of attachments", () => {
    const image = part("file", { mime: "image/png", filename: "x.png", url: "data:image/png;base64,UFJJVkFURQ==" })
    expect(only(image)).toMatchObject({ url: "data:image/png,", filename: "x.png" })
    expect(shown(part("text", { text: "<file>PRIVATE</file>", synthetic: true }))).not.toContain("PRIVATE")
  })

  test("is left out of the session's summary", () => {
    const diffs = [{ file: "a", patch: "PRIVATE", additions: 1, deletions: 0 }]
    const info = session({ summary: { additions: 1, deletions: 0, files: 1, diffs } })
    expect(JSON.stringify(sanitizeSession({ info, messages: [] }, home))).not.toContain("PRIVATE")
  })
})

test("the shape stays the schema's, and doing it twice changes nothing", () => {
  const parts = [
    tool("read", { filePath: "/home/ada/a" }, { output: "x" }),
    part("text", { text: "token: abcdefghij" }),
  ]
  const once = sanitizeSession({ info: session(), messages: [{ info: user(), parts }] }, home)
  expect(sanitizeSession(once, home)).toEqual(once)
  for (const each of once.messages[0]?.parts ?? []) expect(() => HeadlessLine.parse(updated(each))).not.toThrow()
})

test("no secret assignment survives, wherever it stands", () => {
  const secret = fc.stringMatching(/^[a-z0-9]{12,40}$/)
  const around = fc.string({ maxLength: 40 })
  fc.assert(
    fc.property(around, fc.constantFrom("API_KEY=", "my-token: ", `"password":"`), secret, (before, name, value) => {
      fc.pre(!before.includes(value))
      expect(said(`${before} ${name}${value} `)).not.toContain(value)
    }),
  )
})

test("a home directory that is the root hides nothing", () => {
  const each = sanitizeSession({ info: session({ directory: "/repo" }), messages: [] }, "/")
  expect(each.info.directory).toBe("/repo")
})

test("a text without spaces takes no more than its length", () => {
  expect(said("x".repeat(400_000))).toHaveLength(400_000)
})

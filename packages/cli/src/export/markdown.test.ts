import { describe, expect, test } from "bun:test"
import type { Part } from "@cairn/schema/part"
import { assistant, part, running, session, sessionID, tool, user, userMessageID } from "../../test/values.ts"
import { markdown } from "./markdown.ts"

const parts = (...list: Part[]) => markdown({ info: session(), messages: [{ info: assistant(), parts: list }] })

test("a document: title, facts, who said what", () => {
  const tokens = { input: 1_000, output: 20, reasoning: 0, cache: { read: 0, write: 0 } }
  const question = part("text", { text: "Fix it" }, { messageID: userMessageID })
  const text = markdown({
    info: session({ tokens, cost: 0.5 }),
    messages: [
      { info: user(), parts: [question] },
      {
        info: assistant(),
        parts: [part("reasoning", { text: "a\n\nb", time: { start: 1 } }), part("text", { text: "Done." })],
      },
    ],
  })
  expect(text).toBe(
    [
      "# Fix the parser",
      `- session: ${sessionID}\n- directory: /repo\n- created: 2026-01-01 00:00 UTC\n- used: 1k in, 20 out, $0.50`,
      "## You",
      "Fix it",
      "## build (demo/tour)",
      "> a\n>\n> b",
      "Done.\n",
    ].join("\n\n"),
  )
})

test("what another model wrote says in place of whom, and why", () => {
  const fallback = { providerID: "demo", modelID: "tour", message: "too *busy*.", until: 1 }
  const info = assistant({ providerID: "p", modelID: "m", fallback })
  const text = markdown({ info: session(), messages: [{ info, parts: [part("text", { text: "Done." })] }] })
  expect(text).toEndWith("## build (p/m)\n\n*demo/tour does not answer (too \\*busy\\*)*\n\nDone.\n")
})

describe("a call", () => {
  test("shows its result folded away", () => {
    const text = parts(tool("read", { filePath: "/repo/a.ts" }, { output: "1: x\n" }))
    expect(text).toContain("**read a.ts**\n\n<details><summary>result</summary>\n\n```text\n1: x\n```\n\n</details>")
  })

  test("that changed a file shows the diff", () => {
    const diff = "@@ -1 +1 @@\n-a\n+b\n"
    const text = parts(tool("edit", { filePath: "/repo/a.ts" }, { output: "Edited.", metadata: { diff } }))
    expect(text).toContain("```diff\n@@ -1 +1 @@\n-a\n+b\n```")
    expect(text).not.toContain("Edited.")
  })

  test("of many lines stands whole", () => {
    expect(parts(tool("bash", { command: "for x in 1\ndo echo\ndone" }))).toContain(
      "```sh\nfor x in 1\ndo echo\ndone\n```",
    )
  })

  test("that failed says why; one that did not finish says so", () => {
    expect(parts(tool("read", { filePath: "/repo/a" }, { error: "no such file" }))).toContain(
      "```text\nno such file\n```",
    )
    expect(parts(running(tool("read", { filePath: "/repo/a" })))).toContain("(not finished)")
  })
})

test("fences hold whatever an output has, and nothing can be drawn on a terminal", () => {
  const text = parts(tool("read", { filePath: "/repo/a.md" }, { output: "````md\n\u001b[2J\n````" }))
  expect(text).toContain("`````text\n````md\n␛[2J\n````\n`````")
})

test("an error that ended a message is said; books are not kept", () => {
  const error = { name: "UnknownError", data: { message: "it broke" } } as const
  const messages = [{ info: assistant({ error }), parts: [part("step-start", {})] }]
  expect(markdown({ info: session(), messages })).toEndWith("## build (demo/tour)\n\n**Error:** it broke\n")
})

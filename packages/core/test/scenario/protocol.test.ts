import { describe, expect, test } from "bun:test"
import type { PromptPart } from "@cairn/schema/prompt"
import type { WireProtocol } from "@cairn/testkit/request"
import { toolResults, userTexts } from "@cairn/testkit/request"
import { chunked, finish, reasoning, status, text, toolCall, usage } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const protocols: WireProtocol[] = ["chat", "anthropic", "responses", "google"]
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const pdf = Buffer.from("%PDF-1.4\n%%EOF\n")
const file = (mime: string, filename: string, bytes: Buffer): PromptPart => ({
  type: "file",
  mime,
  filename,
  url: `data:${mime};base64,${bytes.toString("base64")}`,
})
const sees = { attachment: true, modalities: { input: ["text", "image", "pdf"] } }

for (const protocol of protocols)
  describe(protocol, () => {
    test("several steps: each prompt is a prefix of the next, each call has its result, tokens add up", async () => {
      await using made = await bench(
        [
          [
            reasoning("Hm.", { signature: "c2ln" }),
            text("Looking."),
            toolCall("read", { filePath: "a.txt" }),
            toolCall("bash", { command: "echo hi" }),
            usage({ input: 50, output: 10, cacheRead: 30 }),
          ],
          [
            toolCall("edit", { filePath: "a.txt", oldString: "one", newString: "two" }),
            usage({ input: 70, output: 5 }),
          ],
          [text("Done."), finish("stop"), usage({ input: 90, output: 3 })],
        ],
        { protocol, files: { "a.txt": "one\n" } },
      )
      const outcome = await made.prompt("Change it")
      expect(outcome).toMatchObject({ reason: "done", text: "Done." })
      expect(await made.workspace.read("a.txt")).toBe("two\n")
      expect(toolResults(made.server.requests[1]!)).toHaveLength(2)
      expect(toolResults(made.server.requests[2]!)).toHaveLength(3)
      expectPrefixes(made.server.requests.map((request) => request.body))
      const { tokens } = outcome
      expect(tokens.output + tokens.reasoning).toBe(18)
      expect(tokens).toMatchObject({ input: 210, cache: { read: 30 } })
      expect(problemsOf(made, outcome.sessionID)).toEqual([])
    })

    test("images and PDFs go as bytes to a model that takes them, and as a note to one that does not", async () => {
      const files = [file("image/png", "dot.png", png), file("application/pdf", "doc.pdf", pdf)]
      await using seeing = await bench([text("A dot.")], { protocol, model: sees })
      expect(await seeing.prompt("What is it?", { files })).toMatchObject({ reason: "done" })
      const sent = seeing.server.requests[0]!.text
      expect(sent).toContain(png.toString("base64"))
      expect(sent).toContain(pdf.toString("base64"))
      expect(seeing.server.unexpected).toEqual([])

      await using blind = await bench([text("I cannot see it.")], {
        protocol,
        model: { modalities: { input: ["text"] } },
      })
      expect(await blind.prompt("What is it?", { files })).toMatchObject({ reason: "done" })
      expect(blind.server.requests[0]!.text).not.toContain(png.toString("base64"))
      expect(userTexts(blind.server.requests[0]!).join("\n")).toContain("dot.png (image/png) was left out")
    })

    test("faults: a rate limit, 7-byte chunks, an unknown tool", async () => {
      await using made = await bench(
        [
          status(429, { headers: { "retry-after-ms": "1" } }),
          [
            chunked(7),
            reasoning("grübeln", { signature: "c2ln" }),
            text("Grüße 🎉"),
            toolCall("frobnicate", { filePath: "x" }),
          ],
          [text("Ende."), finish("stop")],
        ],
        { protocol },
      )
      const outcome = await made.prompt("hi")
      expect(outcome).toMatchObject({ reason: "done", text: "Ende." })
      expect(toolResults(made.server.requests[2]!)[0]!.output).toContain("There is no tool named")
      expect(problemsOf(made, outcome.sessionID)).toEqual([])
    })
  })

test("a session goes on when its model changes, over all four protocols, with everything that was said before", async () => {
  const turn = (n: number) => [
    [
      reasoning(`thought ${n}`, { signature: "c2ln" }),
      text(`I run ${n}.`),
      toolCall("bash", { command: `echo result ${n}` }),
    ],
    [text(`Answer ${n}.`), finish("stop")],
  ]
  await using made = await bench([0, 1, 2, 3, 4].flatMap(turn))
  let sessionID: string | undefined
  for (const [n, provider] of ["chat", "claude", "gpt", "gemini", "chat"].entries()) {
    const outcome = await made.prompt(`question ${n}`, { provider, ...(sessionID !== undefined && { sessionID }) })
    expect(outcome).toMatchObject({ reason: "done", text: `Answer ${n}.` })
    sessionID = outcome.sessionID
  }
  const last = made.server.requests.at(-1)!
  expect(last.protocol).toBe("chat")
  for (let n = 0; n < 5; n++) {
    expect(last.text).toContain(`question ${n}`)
    expect(last.text).toContain(`result ${n}`)
  }
  // What one model thought and signed is no business of another.
  expect(last.text).not.toContain("thought 1")
  expect(problemsOf(made, sessionID!)).toEqual([])
})

test("a service that counts its calls anew in every answer, and after a restart, gets ids that differ", async () => {
  const again = [toolCall("bash", { command: "echo 1" }, { id: "call_0" })]
  await using made = await bench([again, again, [text("Once.")], again, [text("Twice.")]], { protocol: "responses" })
  const { sessionID } = await made.prompt("go")
  await made.restart()
  expect(await made.prompt("again", { sessionID })).toMatchObject({ text: "Twice." })
  const ids = toolResults(made.server.requests.at(-1)!).map(({ callID }) => callID)
  expect(ids).toEqual(["call_0", "call_0-2", "call_0-3"])
  expect(problemsOf(made, sessionID)).toEqual([])
})

import { describe, expect, test } from "bun:test"
import type { WireProtocol } from "@cairn/testkit/request"
import { toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { bench, problemsOf } from "./harness.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const pdf = Buffer.from("%PDF-1.4\n%%EOF\n")
const sees = { attachment: true, modalities: { input: ["text", "image", "pdf"] } }
const protocols: WireProtocol[] = ["chat", "anthropic", "responses", "google"]

const pictures: Record<WireProtocol, RegExp> = {
  chat: /"type":"image_url","image_url":\{"url":"data:image\/png;base64,/,
  anthropic: /"type":"image","source":\{"type":"base64","media_type":"image\/png","data":"/,
  responses: /"type":"input_image","image_url":"data:image\/png;base64,/,
  google: /"inlineData":\{"mimeType":"image\/png","data":"/,
}

describe.each(protocols)("a picture and a document that are read, over %s", (protocol) => {
  const replies = [
    [toolCall("read", { filePath: "dot.png" }), toolCall("read", { filePath: "doc.pdf" })],
    [text("A dot."), text(" And nothing.")],
    [text("Still a dot.")],
  ]

  test("go as bytes to a model that takes them, again in every later request", async () => {
    await using made = await bench(replies, { protocol, model: sees })
    await Bun.write(`${made.workspace.dir}/dot.png`, png)
    await Bun.write(`${made.workspace.dir}/doc.pdf`, pdf)
    const outcome = await made.prompt("What is it?")
    expect(outcome.reason).toBe("done")
    const next = made.server.requests[1]!
    expect(JSON.stringify(next.body)).toContain(png.toString("base64"))
    expect(JSON.stringify(next.body)).toContain(pdf.toString("base64"))
    const results = toolResults(next)
    expect(results.map((result) => result.output)).toEqual([
      expect.stringContaining("(attached: dot.png"),
      expect.stringContaining("(attached: doc.pdf"),
    ])
    // As a picture, not as a text that the model would have to spell out.
    expect(JSON.stringify(next.body)).toMatch(pictures[protocol])
    await made.prompt("Sure?", { sessionID: outcome.sessionID })
    expect(JSON.stringify(made.server.requests[2]!.body)).toContain(png.toString("base64"))
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })

  test("are refused for a model of texts alone, with what to do instead", async () => {
    await using made = await bench(replies, { protocol, model: { modalities: { input: ["text"] } } })
    await Bun.write(`${made.workspace.dir}/dot.png`, png)
    await Bun.write(`${made.workspace.dir}/doc.pdf`, pdf)
    const outcome = await made.prompt("What is it?")
    const next = made.server.requests[1]!
    expect(JSON.stringify(next.body)).not.toContain(png.toString("base64"))
    const [image, document] = toolResults(next)
    expect(image?.output).toContain("image/png")
    expect(image?.output).toContain("this model does not take")
    expect(document?.output).toContain("pdftotext")
    expect(problemsOf(made, outcome.sessionID)).toEqual([])
  })
})

import { expect, test } from "bun:test"
import { text, toolCall } from "@cairn/testkit/scenario"
import { type Bench, bench } from "./bench.ts"

const ask = (words: string) => ({ parts: [{ type: "text", text: words }] })

/** A session that wrote two files for one prompt. */
async function edited(it: Bench): Promise<{ id: string; prompt: string }> {
  const { id } = (await it.call("POST", "/session")).json
  await it.call("POST", `/session/${id}/message`, ask("write them"))
  const [user] = (await it.call("GET", `/session/${id}/message`)).json
  return { id, prompt: user.info.id }
}

const writing = [
  [toolCall("write", { filePath: "a.txt", content: "a\n" }), toolCall("write", { filePath: "b.txt", content: "b\n" })],
  [text("Written.")],
] as const

test("a diff, a revert that is only shown, one of a path, and the way back", async () => {
  await using it = await bench(writing)
  const { id, prompt } = await edited(it)
  const diff = (await it.call("GET", `/session/${id}/diff`)).json
  expect(diff.map((file: any) => [file.file, file.status])).toEqual([
    ["a.txt", "added"],
    ["b.txt", "added"],
  ])
  expect((await it.call("GET", `/session/${id}/diff?messageID=${prompt}`)).json).toEqual(diff)
  const shown = (await it.call("POST", `/session/${id}/revert`, { messageID: prompt, dryRun: true })).json
  expect(shown.report).toMatchObject({ dryRun: true, files: [{ action: "delete" }, { action: "delete" }] })
  expect(await it.workspace.exists("a.txt")).toBe(true)
  const part = (await it.call("POST", `/session/${id}/revert`, { messageID: prompt, paths: ["a.txt"] })).json
  expect(part.revert).toMatchObject({ messageID: prompt })
  expect([await it.workspace.exists("a.txt"), await it.workspace.exists("b.txt")]).toEqual([false, true])
  const back = (await it.call("POST", `/session/${id}/unrevert`)).json
  expect([back.revert, await it.workspace.exists("a.txt")]).toEqual([undefined, true])
})

test("a revert of what is not there is 404 or 400, and changes nothing", async () => {
  await using it = await bench(writing)
  const { id } = await edited(it)
  const unknown = await it.call("POST", `/session/${id}/revert`, { messageID: "msg_0000000000000none" })
  expect(unknown.status).toBeGreaterThanOrEqual(400)
  expect(unknown.json.data.message).toContain("msg_0000000000000none")
  expect((await it.call("POST", "/session/ses_none/revert", { messageID: "msg_1" })).status).toBe(404)
  expect((await it.call("GET", `/session/${id}/diff?from=a`)).status).toBe(400)
  expect(await it.workspace.exists("a.txt")).toBe(true)
})

test("a fork has the words up to a message, and a session can be summarized", async () => {
  await using it = await bench([[text("long answer ".repeat(500))], [text("two")], [text("The notes.")]], {
    config: { compaction: { preserve_recent_tokens: 0 } },
  })
  const { id } = (await it.call("POST", "/session", { title: "Talk" })).json
  for (const words of ["first", "second"]) await it.call("POST", `/session/${id}/message`, ask(words))
  const messages = (await it.call("GET", `/session/${id}/message`)).json
  const fork = (await it.call("POST", `/session/${id}/fork`, { messageID: messages[2].info.id })).json
  const copied = (await it.call("GET", `/session/${fork.id}/message`)).json
  expect(copied.map((message: any) => message.info.role)).toEqual(["user", "assistant"])
  const model = { providerID: "test", modelID: "scripted" }
  expect((await it.call("POST", `/session/${id}/summarize`, model)).json).toBe(true)
  const after = (await it.call("GET", `/session/${id}/message`)).json
  expect(after.map((message: any) => message.info)).toContainEqual(expect.objectContaining({ summary: true }))
})

import { expect, test } from "bun:test"
import { text } from "@cairn/testkit/scenario"
import { bench } from "./bench.ts"

const ask = (words: string) => ({ parts: [{ type: "text", text: words }] })

test("a command of the user is run, and answered with its call", async () => {
  await using it = await bench()
  const { id } = (await it.call("POST", "/session")).json
  const ran = await it.call("POST", `/session/${id}/shell`, { agent: "build", command: "echo hello" })
  expect(ran.json.info).toMatchObject({ role: "assistant", finish: "stop" })
  expect(ran.json.parts).toContainEqual(
    expect.objectContaining({
      tool: "bash",
      state: expect.objectContaining({ output: expect.stringContaining("hello") }),
    }),
  )
  expect((await it.call("POST", "/session/ses_none/shell", { command: "x" })).status).toBe(404)
  expect((await it.call("POST", `/session/${id}/shell`, { command: "" })).status).toBe(400)
})

test("parts are changed and taken out, messages too; ids that do not belong together are refused", async () => {
  await using it = await bench([[text("one")]])
  const { id } = (await it.call("POST", "/session")).json
  const answer = (await it.call("POST", `/session/${id}/message`, ask("go"))).json
  const part = answer.parts.find((each: any) => each.type === "text")
  const path = `/session/${id}/message/${answer.info.id}`
  const changed = await it.call("PATCH", `${path}/part/${part.id}`, { ...part, text: "uno" })
  expect(changed.json).toMatchObject({ id: part.id, text: "uno" })
  expect((await it.call("PATCH", `${path}/part/prt_other`, part)).status).toBe(400)
  expect((await it.call("PATCH", `${path}/part/${part.id}`, { ...part, text: 7 })).status).toBe(400)
  expect((await it.call("DELETE", `${path}/part/${part.id}`)).json).toBe(true)
  expect((await it.call("DELETE", `${path}/part/${part.id}`)).status).toBe(404)
  expect((await it.call("DELETE", path)).json).toBe(true)
  expect((await it.call("DELETE", path)).status).toBe(404)
  expect((await it.call("GET", `/session/${id}/message`)).json).toHaveLength(1)
})

test("a prompt that nobody is to answer comes back as it is stored", async () => {
  await using it = await bench()
  const { id } = (await it.call("POST", "/session")).json
  const noted = await fetch(new URL(`/session/${id}/message`, it.server.url), {
    method: "POST",
    headers: { authorization: "Bearer test-token-of-the-bench", "content-type": "application/json" },
    body: JSON.stringify({ ...ask("remember this"), noReply: true }),
  })
  expect(await noted.json()).toMatchObject({ info: { role: "user" }, parts: [{ text: "remember this" }] })
  expect(it.model.requests).toHaveLength(0)
})

test("what the original's clients ask for at their start is answered", async () => {
  await using it = await bench()
  const paths = ["/lsp", "/formatter", "/mcp", "/experimental/resource", "/experimental/capabilities"]
  const more = [
    "/experimental/console",
    "/experimental/workspace",
    "/experimental/workspace/status",
    "/skill",
    "/command",
  ]
  for (const path of [...paths, ...more]) expect([path, (await it.call("GET", path)).status]).toEqual([path, 200])
})

import { expect, test } from "bun:test"
import { hang } from "@cairn/testkit/scenario"
import { bench } from "./bench.ts"

test("a change of the project's config is told at once, and holds from the next call on", async () => {
  await using it = await bench([], { files: { "cairn.json": `{"username":"ada"}` } })
  expect((await it.call("GET", "/config")).json).toMatchObject({ username: "ada" })
  const changed = await it.call("PATCH", "/config", { username: "grace" })
  expect(changed.json).toMatchObject({ username: "grace" })
  expect(JSON.parse(await it.workspace.read("cairn.json"))).toEqual({ username: "grace" })
  // The engine of before goes when the call has been answered.
  let now = ""
  while (now !== "grace") now = (await it.call("GET", "/config")).json.username
  expect((await it.call("PUT", "/config", { username: "joan" })).json).toMatchObject({ username: "joan" })
  expect((await it.call("PATCH", "/config", { username: 7 })).status).toBe(400)
  expect(JSON.parse(await it.workspace.read("cairn.json"))).toEqual({ username: "joan" })
})

test("a change of the user's config goes into the user's own file", async () => {
  await using it = await bench()
  expect((await it.call("PATCH", "/global/config", { username: "ada" })).json).toMatchObject({ username: "ada" })
  const paths = (await it.call("GET", "/path")).json
  expect(JSON.parse(await it.workspace.read(`${paths.config}/cairn.json`))).toEqual({ username: "ada" })
  expect(await it.workspace.exists("cairn.json")).toBe(false)
  let now = ""
  while (now !== "ada") now = (await it.call("GET", "/global/config")).json.username
})

test("a turn that runs is not interrupted by a change of the config", async () => {
  await using it = await bench([[hang()]])
  const { id } = (await it.call("POST", "/session")).json
  const answer = it.call("POST", `/session/${id}/message`, { parts: [{ type: "text", text: "go" }] })
  await it.model.received(0)
  expect((await it.call("PATCH", "/config", { username: "ada" })).status).toBe(200)
  expect((await it.call("GET", "/session/status")).json).toEqual({ [id]: { type: "busy" } })
  expect((await it.call("POST", `/session/${id}/abort`)).json).toBe(true)
  expect((await answer).json.info.error.name).toBe("MessageAbortedError")
})

test("a key is kept, connects its provider at once, is never told, and is forgotten", async () => {
  await using it = await bench()
  const connected = async () => (await it.call("GET", "/provider")).json.connected
  expect(await connected()).not.toContain("anthropic")
  expect((await it.call("PUT", "/auth/anthropic", { type: "api", key: "very-secret" })).json).toBe(true)
  expect(await connected()).toContain("anthropic")
  for (const path of ["/provider", "/config", "/config/providers", "/global/config"])
    expect((await it.call("GET", path)).text).not.toContain("very-secret")
  expect((await it.call("GET", "/provider/auth")).json.anthropic).toEqual([{ type: "api", label: "API key" }])
  expect((await it.call("DELETE", "/auth/anthropic")).json).toBe(true)
  expect(await connected()).not.toContain("anthropic")
  expect((await it.call("PUT", "/auth/anthropic", { type: "api" })).status).toBe(400)
  expect((await it.call("PUT", "/auth/anthropic", { type: "magic", key: "x" })).status).toBe(400)
})

import { expect, test } from "bun:test"
import { bench } from "./bench.ts"

test("agents, config, providers, paths and the project are told as the original's clients know them", async () => {
  await using it = await bench([], {
    config: { username: "ada", agent: { extra: { mode: "primary", color: "#ffaa00" } } },
  })
  const agents = (await it.call("GET", "/agent")).json
  expect(agents.map((agent: any) => [agent.name, agent.mode])).toContainEqual(["explore", "subagent"])
  expect(agents).toContainEqual(expect.objectContaining({ name: "extra", native: false, color: "#ffaa00" }))
  expect(agents.find((agent: any) => agent.name === "title")).toMatchObject({ hidden: true })
  const config = await it.call("GET", "/config")
  expect(config.json).toMatchObject({ username: "ada", model: "test/scripted" })
  expect(config.text).not.toContain("test-key")
  const { paths, dir } = { paths: (await it.call("GET", "/path")).json, dir: it.workspace.dir }
  expect(paths).toMatchObject({ home: it.workspace.home, directory: dir, worktree: dir })
  const project = (await it.call("GET", "/project/current")).json
  expect(project).toMatchObject({ worktree: dir, vcs: "git", sandboxes: [] })
  expect((await it.call("GET", "/project")).json).toEqual([project])
})

test("only providers that can be called have models, and no key is told", async () => {
  await using it = await bench()
  const list = await it.call("GET", "/provider")
  expect(list.json.connected.toSorted()).toEqual(["demo", "test"])
  expect(list.json.default).toMatchObject({ test: "scripted" })
  const [mine] = list.json.all.filter((provider: any) => provider.id === "test")
  expect(mine.models.scripted).toMatchObject({ name: "Scripted", limit: { context: 200_000, output: 8_000 } })
  const other = list.json.all.find((provider: any) => provider.id === "anthropic")
  expect(other).toMatchObject({ models: {}, env: ["ANTHROPIC_API_KEY"] })
  expect(list.text).not.toContain("test-key")
  expect(list.text.length).toBeLessThan(200_000)
  const { providers } = (await it.call("GET", "/config/providers")).json
  expect(providers.map((provider: any) => provider.id).toSorted()).toEqual(["demo", "test"])
})

test("a project gets a name, which stays when git is asked again", async () => {
  await using it = await bench()
  const { id } = (await it.call("GET", "/project/current")).json
  const named = await it.call("PATCH", `/project/${id}`, { name: "Cairn", icon: { color: "red" } })
  expect(named.json).toMatchObject({ id, name: "Cairn", icon: { color: "red" } })
  await it.call("POST", "/instance/dispose")
  expect((await it.call("GET", "/project/current")).json).toMatchObject({ id, name: "Cairn" })
  expect((await it.call("PATCH", "/project/none", { name: "x" })).status).toBe(404)
  await it.call("POST", "/session")
  expect((await it.call("GET", `/project/${id}/directories`)).json).toEqual([{ directory: it.workspace.dir }])
})

test("the description names every operation, and its references lead somewhere", async () => {
  await using it = await bench()
  const document = (await it.call("GET", "/doc")).json
  expect(document.openapi).toBe("3.1.0")
  const { post } = document.paths["/session/{sessionID}/message"]
  expect(post.operationId).toBe("session.prompt")
  expect(post.requestBody.required).toBe(true)
  expect(post.parameters).toContainEqual({
    name: "directory",
    in: "query",
    required: false,
    schema: { type: "string" },
  })
  expect(post.parameters[0]).toMatchObject({ name: "sessionID", in: "path", required: true })
  expect(document.paths["/session"].post.requestBody.required).toBe(false)
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  expect(references.length).toBeGreaterThan(40)
  for (const [, name = ""] of references) expect(document.components.schemas).toHaveProperty(name)
  expect(document.paths["/session/{sessionID}"].get.responses["200"].content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/Session",
  })
})

test("what a client writes to the log is there, as the client's", async () => {
  const lines: string[] = []
  const { createLog } = await import("@cairn/kernel/log")
  const log = createLog({ write: (line) => void lines.push(line) }, { now: () => 0 })
  await using it = await bench([], { server: { log } })
  const sent = { service: "tui", level: "warn", message: "odd", extra: { key: "sk-0123456789abcdefgh", n: 1 } }
  expect((await it.call("POST", "/log", sent)).json).toBe(true)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: "warn", scope: "client", message: "odd", service: "tui" }),
  ])
  expect(lines.join()).not.toContain("sk-0123456789")
})

import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"

// Every test starts processes, some of them several.
setDefaultTimeout(30_000)

const schema = '{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}'
const files = { "s.json": schema }
const argv = ["run", "--schema", "s.json"]
const give = (args: Record<string, unknown>) => toolCall("structured_output", args)

test("stdout is the JSON alone; words and calls are progress", async () => {
  await using space = await tempWorkspace({ files })
  const replies = [
    [text("Let me see."), toolCall("glob", { pattern: "*" })],
    [text("Two."), give({ count: 2 })],
  ]
  await using server = await startModelServer(replies)
  const run = await cairn(space, [...argv, "count"], { server })
  expect(run).toMatchObject({ code: 0, out: '{"count":2}\n' })
  expect(run.err).toContain("Let me see.")
  expect(run.err).toContain("Two.")
  expect(server.unexpected).toEqual([])
})

test("as JSON lines the result stands in the last one", async () => {
  await using space = await tempWorkspace({ files })
  await using server = await startModelServer([give({ count: 2 })])
  const run = await cairn(space, [...argv, "--format", "json", "count"], { server })
  expect(run.result()).toMatchObject({ exitCode: 0, reason: "done", structured: { count: 2 } })
})

test("a model that never fits ends with 3, nothing on stdout and the reason on stderr", async () => {
  await using space = await tempWorkspace({ files })
  await using server = await startModelServer((request) => [text(`Try ${request.index}.`), give({ count: "two" })])
  const run = await cairn(space, [...argv, "count"], { server })
  expect(run).toMatchObject({ code: 3, out: "" })
  expect(run.err).toContain("no result that fits the schema, 3 times")
  expect(run.err).toContain("/count: must be integer")
  expect(server.requests).toHaveLength(3)
  const after = await cairn(space, ["session", "show", "--format", "json", /ses_\w+/.exec(run.err)![0]])
  expect(after.out).toContain("StructuredOutputError")
  await using next = await startModelServer([text("Fine.")])
  expect(await cairn(space, ["run", "--continue", "never mind"], { server: next })).toMatchObject({
    code: 0,
    out: "Fine.\n",
  })
})

describe("a schema that is none ends with 2 before a model is called:", () => {
  test.each([
    ["no JSON", "{", /s\.json:1:2: not valid JSON/],
    ["an unknown type", '{\n  "type": "objct"\n}', /s\.json:2:3: \/type must be equal to one of the allowed values/],
    ["a pattern that is none", '{"properties":{"a":{"pattern":"("}}}', /s\.json:1:\d+: \/properties\/a\/pattern/],
    ["references without end", '{"$ref": "#"}', /s\.json:1:2: \/\$ref refers to itself without end/],
    ["ten megabytes", `{"title": "${"x".repeat(10_000_000)}"}`, /s\.json: is larger than 1 MB/],
    ["half a megabyte", `{"title": "${"x".repeat(500_000)}"}`, /s\.json:1:1: the schema is larger than 256 kB/],
  ])("%s", async (_, content, message) => {
    await using space = await tempWorkspace({ files: { "s.json": content } })
    await using server = await startModelServer([])
    const run = await cairn(space, [...argv, "--format", "json", "count"], { server })
    expect(run.result()).toMatchObject({ exitCode: 2, reason: "file" })
    expect(run.err).toMatch(message)
    expect(server.requests).toEqual([])
    expect((await cairn(space, ["session", "list", "--format", "json"])).out.trim()).toBe("[]")
  })

  test("a reference to elsewhere, where nobody is asked for it", async () => {
    const asked: string[] = []
    const http = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => (asked.push(request.url), new Response("{}")),
    })
    try {
      const $ref = `http://127.0.0.1:${http.port}/x.json`
      await using space = await tempWorkspace({ files: { "s.json": JSON.stringify({ $ref }) } })
      const run = await cairn(space, [...argv, "--model", "demo/tour", "count"])
      expect(run).toMatchObject({ code: 2, out: "" })
      expect(run.err).toContain("references are never fetched")
      expect(asked).toEqual([])
    } finally {
      await http.stop(true)
    }
  })

  test("no such file, and what is no file", async () => {
    await using space = await tempWorkspace()
    for (const file of ["none.json", "/dev/zero"]) {
      const run = await cairn(space, ["run", "--schema", file, "--model", "demo/tour", "count"])
      expect(run.code).toBe(2)
      expect(run.err).toContain(`cairn: ${file}: `)
    }
  })
})

import { expect, test } from "bun:test"
import { ok } from "@cairn/kernel/result"
import fc from "fast-check"
import { z } from "zod"
import { createToolBench } from "../../test/support/tool-context.ts"
import { defineTool } from "./define.ts"
import type { Tool } from "./define.ts"
import { createEditTool } from "./edit/edit.ts"
import { createInvalidTool } from "./invalid/invalid.ts"
import { createReadTool } from "./read/read.ts"
import { createTools, parseArguments, toolSchema } from "./registry.ts"
import { createTodowriteTool } from "./todowrite/todowrite.ts"
import { createWriteTool } from "./write/write.ts"

const named = (name: string): Tool =>
  defineTool({
    name,
    description: "",
    parameters: z.object({}),
    execute: () => Promise.resolve(ok({ title: "", output: "", metadata: {} })),
  })
const sample = defineTool({
  ...named("sample"),
  parameters: z.object({
    filePath: z.string(),
    limit: z.number().int().optional(),
    replaceAll: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    todos: z.array(z.object({ content: z.string(), status: z.enum(["in_progress", "done"]) })).optional(),
    nested: z.object({ deepName: z.string() }).optional(),
  }),
})
const parse = (raw: string) => {
  const parsed = parseArguments(sample, raw)
  return parsed.ok ? parsed.value : parsed.error.message
}

test("tools stand in one order, whatever order they come in", () => {
  const names = ["zeta", "grep", "read", "invalid", "bash", "alpha"]
  const orders = [names, names.toReversed(), names.toSorted((a, b) => a.length - b.length)]
  for (const order of orders) {
    const tools = createTools(order.map((name) => named(name)))
    expect(tools.map((tool) => tool.name)).toEqual(["bash", "read", "grep", "alpha", "invalid", "zeta"])
  }
  expect(() => createTools([named("a"), named("a")])).toThrow("two tools are named a")
})

test("a schema is small and without what providers refuse", async () => {
  await using bench = await createToolBench()
  const tools = [
    createReadTool(bench.deps),
    createWriteTool(bench.deps),
    createEditTool(bench.deps),
    createTodowriteTool({ saveTodos: () => {} }),
  ]
  for (const tool of tools) {
    const json = JSON.stringify(toolSchema(tool))
    expect(json).not.toContain("$schema")
    expect(json).not.toContain("9007199254740991")
    expect(json.length / 4).toBeLessThan(210)
  }
  expect(toolSchema(createReadTool(bench.deps)).parameters).toMatchObject({
    type: "object",
    required: ["filePath"],
    properties: { filePath: { type: "string" }, offset: { type: "integer" } },
  })
  expect(JSON.stringify(toolSchema(createTodowriteTool({ saveTodos: () => {} })).parameters.required)).toBe('["todos"]')
})

test("good arguments come through as they are", () => {
  expect(parse('{"filePath":"/a","limit":5}')).toEqual({ filePath: "/a", limit: 5 })
  const empty = parseArguments(named("none"), "")
  expect(empty).toEqual({ ok: true, value: {} })
})

test("what can only be meant in one way is repaired", () => {
  expect(parse('{"file_path":"/a","replace-all":"true","LIMIT":" 5 "}')).toEqual({
    filePath: "/a",
    replaceAll: true,
    limit: 5,
  })
  expect(parse('{"filePath":"/a","replace_all":true}')).toEqual({ filePath: "/a", replaceAll: true })
  expect(parse('{"filePath":"/a","tags":"x","limit":null}')).toEqual({ filePath: "/a", tags: ["x"] })
  expect(parse('{"filePath":"/a","todos":{"content":"c","status":"in-progress"}}')).toEqual({
    filePath: "/a",
    todos: [{ content: "c", status: "in_progress" }],
  })
  expect(parse('{"filePath":"/a","tags":"[\\"x\\",\\"y\\"]","nested":"{\\"deep_name\\":1}"}')).toEqual({
    filePath: "/a",
    tags: ["x", "y"],
    nested: { deepName: "1" },
  })
  expect(parse(JSON.stringify('{"filePath":"/a"}'))).toEqual({ filePath: "/a" })
})

test("JSON as weak models write it", () => {
  expect(parse('```json\n{"filePath":"/a"}\n```')).toEqual({ filePath: "/a" })
  expect(parse('{"filePath":"/a",}')).toEqual({ filePath: "/a" })
  expect(parse('{"filePath":"a\nb\tc"}')).toEqual({ filePath: "a\nb\tc" })
  expect(parse('{"filePath":"/a","nested":{"deepName":"x"')).toEqual({ filePath: "/a", nested: { deepName: "x" } })
})

test("Python's ways, bare keys, single backslashes and what is left behind the arguments", () => {
  expect(parse("{'filePath': 'it\\'s \"a\"', 'replaceAll': True, 'limit': None}")).toEqual({
    filePath: `it's "a"`,
    replaceAll: true,
  })
  expect(parse('{filePath: "/a", limit: 5}')).toEqual({ filePath: "/a", limit: 5 })
  expect(parse(String.raw`{"filePath":"\d+\.(x)\n\\"}`)).toEqual({ filePath: "\\d+\\.(x)\n\\" })
  for (const rest of ["}", "}]", " </tool_call>", "<|call|>", "\n```", '{"filePath":"/a"}']) {
    expect(parse(`{"filePath":"/a"}${rest}`)).toEqual({ filePath: "/a" })
  }
  expect(parse('{}{"filePath":"/a"}')).toEqual({ filePath: "/a" })
})

test("what can mean two things is refused", () => {
  for (const raw of [
    '{"filePath":"/a"}{"filePath":"/b"}',
    '{"filePath":"/a"} and so on',
    '{"filePath":"echo "hi""}',
    String.raw`{"filePath":"\$HOME"}`,
    String.raw`{"filePath":"\u12"}`,
  ]) {
    expect(parse(raw)).toContain("not valid JSON")
  }
})

test("a whole call, a lone wrapper or a list of one in place of the arguments", () => {
  for (const value of [
    { name: "sample", arguments: { filePath: "/a" } },
    { parameters: { file_path: "/a" } },
    { input: '{"filePath":"/a"}' },
    [{ filePath: "/a" }],
  ]) {
    expect(parse(JSON.stringify(value))).toEqual({ filePath: "/a" })
  }
  expect(parse('{"arguments":{"filePath":"/a"},"limit":2}')).toContain("filePath: expected string, nothing came")
  expect(parse('[{"filePath":"/a"},{"filePath":"/b"}]')).toContain("expected object, array came")
})

test("a required field is found under a name that is cut short or has a slip, when it can be no other", () => {
  for (const name of ["path", "file", "filePaht", "absolute_file_path"]) {
    expect(parse(JSON.stringify({ [name]: "/a" }))).toEqual({ filePath: "/a" })
  }
  expect(parse('{"path":"/a","file":"/b"}')).toContain("filePath: expected string, nothing came")
  expect(parse('{"path":5}')).toContain("filePath: expected string, nothing came")
  expect(parse('{"where":"/a"}')).toContain("filePath: expected string, nothing came")
  expect(parse('{"filePath":"/a","path":"/b"}')).toEqual({ filePath: "/a" })
})

test("a field that may be null is repaired as what it is besides", () => {
  const tool = defineTool({ ...named("n"), parameters: z.object({ limit: z.number().nullable() }) })
  expect(parseArguments(tool, '{"limit":"5"}')).toEqual({ ok: true, value: { limit: 5 } })
  expect(parseArguments(tool, '{"limit":null}')).toEqual({ ok: true, value: { limit: null } })
  expect(parseArguments(tool, '{"Limit":null}')).toEqual({ ok: true, value: { limit: null } })
})

test("arguments that break off where more was to come are refused, never guessed", () => {
  for (const raw of [
    '{"filePath":"/a',
    '{"filePath":"/a",',
    '{"filePath":"/a","limit":1',
    '{"filePath":"/a","tags":["x",',
    '{"filePath":"x\\',
  ]) {
    expect(parse(raw)).toContain("break off")
  }
  expect(parse('{"filePath":"/a","limit"')).toContain("not valid JSON")
  expect(parse("{filePath}")).toContain("not valid JSON")
})

test("a refusal names each field, what was expected and what came", () => {
  const text = parse('{"where":"/a","limit":"many","todos":[{"content":"c","status":"open"}]}')
  expect(text).toContain("The sample tool was called with invalid arguments:")
  expect(text).toContain("- filePath: expected string, nothing came")
  expect(text).toContain('- limit: expected number, string came: "many"')
  expect(text).toContain('- todos.0.status: expected one of in_progress, done, string came: "open"')
  expect(text).toContain('- "where": there is no such field')
  expect(parse("[1]")).toContain("expected object, array came")
  expect(parse('{"filePath":"/a","filepth":1}')).toEqual({ filePath: "/a" })
})

test("repair never changes arguments that fit, and never throws", () => {
  const args = fc.record(
    { filePath: fc.string(), limit: fc.integer(), replaceAll: fc.boolean(), tags: fc.array(fc.string()) },
    { requiredKeys: ["filePath"] },
  )
  fc.assert(fc.property(args, (value) => expect(parse(JSON.stringify(value))).toEqual(value)))
  fc.assert(fc.property(fc.jsonValue(), (value) => void parse(JSON.stringify(value))))
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      const parsed = parseArguments(sample, json.slice(0, cut % (json.length + 1)))
      if (!parsed.ok) expect(parsed.error.kind).toBe("invalid_arguments")
    }),
  )
})

test("a cut of valid arguments gives whole fields, or a refusal", () => {
  const value = { filePath: '/a "b" {c}', tags: ["x", "]"], limit: 12 }
  const json = JSON.stringify(value)
  for (let cut = 1; cut < json.length; cut++) {
    const parsed = parseArguments(sample, json.slice(0, cut))
    // Only brackets may be missing: every field that comes through is whole.
    if (parsed.ok) expect(value).toMatchObject(parsed.value)
  }
  expect(parse(json)).toEqual(value)
})

test("names of the prototype are no fields", () => {
  expect(parse('{"filePath":"/a","__proto__":{"limit":3},"constructor":"x"}')).toEqual({ filePath: "/a" })
  expect(({} as { limit?: number }).limit).toBeUndefined()
})

test("the invalid tool answers with what was wrong", async () => {
  await using bench = await createToolBench()
  const done = await createInvalidTool().execute({ tool: "frobnicate", error: "no such tool" }, bench.context)
  expect(done).toEqual({
    ok: false,
    error: { kind: "unknown_tool", message: "The call of frobnicate could not be made: no such tool" },
  })
})

import { describe, expect, test } from "bun:test"
import { compileSchema } from "./schema-check.ts"

async function checkOf(schema: Record<string, unknown>) {
  const compiled = await compileSchema(schema)
  if (!compiled.ok) throw new Error(`${compiled.error.path.join("/")}: ${compiled.error.message}`)
  return compiled.value
}
async function problemOf(schema: Record<string, unknown>) {
  const compiled = await compileSchema(schema)
  if (compiled.ok) throw new Error("it compiled")
  return compiled.error
}
const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 }, kind: { enum: ["a", "b"] } },
  required: ["name"],
  additionalProperties: false,
}

describe("a value", () => {
  test("that fits gives nothing, one that does not is told place by place", async () => {
    const check = await checkOf({ type: "object", properties: { people: { type: "array", items: person } } })
    expect(check({ people: [{ name: "A", age: 3, kind: "b" }] })).toEqual([])
    expect(check({ people: [{ name: 1 }, { age: -1, kind: "c", extra: true }] })).toEqual([
      "/people/0/name: must be string",
      "/people/1: must have required property 'name'",
      '/people/1: must NOT have additional properties ("extra")',
      "/people/1/age: must be >= 0",
      '/people/1/kind: must be equal to one of the allowed values (["a","b"])',
    ])
    expect(check(3)).toEqual(["the value: must be object"])
  })

  test("with very many faults is told the first ones, in bounded lines", async () => {
    const check = await checkOf({ type: "array", items: { const: "x".repeat(1_000) } })
    const problems = check(Array.from({ length: 500 }, () => 1))
    expect([problems.length, problems.at(-1)]).toEqual([21, "and 480 more"])
    for (const problem of problems) expect(problem.length).toBeLessThanOrEqual(300)
  })

  test("has only the properties that are its own", async () => {
    const check = await checkOf({ type: "object", required: ["constructor", "toString"] })
    expect(check({})).toHaveLength(2)
    const proto = await checkOf(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as Record<string, unknown>)
    expect(proto(JSON.parse('{"__proto__":3}'))).toEqual([])
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })
})

describe("of the vocabulary", () => {
  test.each<[string, Record<string, unknown>, unknown, unknown]>([
    ["if, else", { if: { properties: { a: { const: 1 } } }, else: { required: ["b"] } }, { a: 1 }, { a: 2 }],
    ["not", { not: { type: "string" } }, 1, "x"],
    ["oneOf", { oneOf: [{ type: "number" }, { multipleOf: 2 }] }, 3, 4],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, { b: 1 }, { a: 1 }],
    ["contains", { type: "array", contains: { type: "number" } }, ["a", 1], ["a"]],
    ["prefixItems", { prefixItems: [{ type: "string" }, { type: "number" }] }, ["a", 1], [1, "a"]],
    ["lists of items as older schemas have them", { items: [{ type: "string" }] }, ["a", 1], [1]],
    ["unevaluatedProperties", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    ["patternProperties", { patternProperties: { "^n_": { type: "number" } } }, { n_a: 1, b: "x" }, { n_a: "x" }],
    ["multipleOf a fraction", { multipleOf: 0.01 }, 19.99, 0.005],
    ["patterns of Unicode", { type: "string", pattern: "^\\p{L}+$" }, "äß", "1"],
    ["patterns with escapes that need none", { type: "string", pattern: "^a\\-b$" }, "a-b", "ab"],
    [
      "draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: { a: { type: "string" } },
        $ref: "#/definitions/a",
      },
      "x",
      1,
    ],
    [
      "2019-09",
      { $schema: "https://json-schema.org/draft/2019-09/schema", $recursiveAnchor: true, type: "object" },
      {},
      1,
    ],
    ["2020-12", { $schema: "https://json-schema.org/draft/2020-12/schema", type: ["string", "null"] }, null, 1],
    ["nothing at all", {}, { anything: [1] }, undefined],
    ["formats, which are notes", { type: "string", format: "email" }, "no address", 1],
    ["unknown keywords, which are notes", { type: "string", "x-order": 3, example: "a" }, "a", 1],
  ])("%s", async (_, schema, good, bad) => {
    const check = await checkOf(schema)
    expect(check(good)).toEqual([])
    if (bad !== undefined) expect(check(bad)).not.toEqual([])
  })

  test("references within, also to themselves", async () => {
    const tree = {
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
      },
      $ref: "#/$defs/node",
    }
    const check = await checkOf(tree)
    expect(check({ children: [{ children: [{ name: "x" }] }] })).toEqual([])
    expect(check({ children: [{ children: [{ name: 1 }] }] })).toEqual(["/children/0/children/0/name: must be string"])
    const root = await checkOf({ type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false })
    expect(root({ next: { next: {} } })).toEqual([])
    expect(root({ next: { other: 1 } })).toHaveLength(1)
  })
})

describe("a schema is refused with its place", () => {
  test.each<[string, Record<string, unknown>, string[], string]>([
    [
      "an unknown type",
      { properties: { a: { type: "objct" } } },
      ["properties", "a", "type"],
      "must be equal to one of",
    ],
    ["a list where an object belongs", { properties: [] }, ["properties"], "must be object"],
    [
      "a name with a slash",
      { properties: { "a/b~c": { minimum: "1" } } },
      ["properties", "a/b~c", "minimum"],
      "must be number",
    ],
    [
      "a pattern that is none",
      { properties: { a: { pattern: "(" } } },
      ["properties", "a", "pattern"],
      "egular expression",
    ],
    [
      "a reference to nothing",
      { properties: { a: { $ref: "#/$defs/b" } } },
      ["properties", "a", "$ref"],
      "leads out of the schema",
    ],
    [
      "a reference to elsewhere",
      { properties: { a: { $ref: "https://example.com/x.json" } } },
      ["properties", "a", "$ref"],
      "never fetched",
    ],
    ["a reference to a file", { $ref: "file:///etc/passwd" }, ["$ref"], "never fetched"],
    ["endless references", { $ref: "#" }, ["$ref"], "refers to itself without end"],
    [
      "endless references in a ring",
      { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
      ["$ref"],
      "without end",
    ],
    [
      "an unknown dialect",
      { $schema: "https://json-schema.org/draft-04/schema#" },
      ["$schema"],
      "2020-12, 2019-09, draft-07",
    ],
    ["a dialect that is no name", { $schema: 4 }, ["$schema"], "not a dialect"],
    ["what runs later", { $async: true, type: "object" }, ["$async"], "not supported"],
  ])("%s", async (_, schema, path, message) => {
    const problem = await problemOf(schema)
    expect(problem.path).toEqual(path)
    expect(problem.message).toContain(message)
    expect(problem.message.length).toBeLessThan(400)
  })

  test("ten megabytes, and a tower", async () => {
    expect(await problemOf({ description: "x".repeat(10_000_000) })).toMatchObject({
      path: [],
      message: expect.stringContaining("larger than 256 kB"),
    })
    let tower: Record<string, unknown> = {}
    for (let n = 0; n < 10_000; n++) tower = { not: tower }
    expect((await problemOf(tower)).message).toContain("levels deep")
  })

  test("one whose check would never end", async () => {
    const $defs: Record<string, unknown> = { a0: { type: "string" } }
    for (let n = 1; n < 40; n++)
      $defs[`a${n}`] = { allOf: [{ $ref: `#/$defs/a${n - 1}` }, { $ref: `#/$defs/a${n - 1}` }] }
    expect(await problemOf({ $defs, $ref: "#/$defs/a39" })).toEqual({
      path: [],
      message: "takes longer than 2 s to check",
    })
  }, 15_000)

  test("and a check that a value makes endless ends, too", async () => {
    const next = { type: "object", properties: { next: { $ref: "#" } } }
    const check = await checkOf({ allOf: [next, structuredClone(next)] })
    let value = {}
    for (let n = 0; n < 40; n++) value = { next: value }
    expect(check(value)).toEqual(["takes longer than 2 s to check"])
    expect(check({ next: 1 })).toContain("/next: must be object")
  }, 15_000)
})

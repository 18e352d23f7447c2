import { expect, test } from "bun:test"
import { compileSchema } from "./schema-check.ts"
import { wireSchema } from "./wire-schema.ts"

test("an object goes as it is, without its dialect", () => {
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: { a: {} } }
  expect(wireSchema(schema)).toEqual({ schema: { type: "object", properties: { a: {} } }, wrapped: false })
  expect(wireSchema({ properties: { a: {} } })).toEqual({
    schema: { type: "object", properties: { a: {} } },
    wrapped: false,
  })
})

test("anything else goes into a field", () => {
  for (const schema of [
    { type: "array" },
    { type: ["object", "null"] },
    {},
    { anyOf: [{ type: "object" }] },
    { enum: [1] },
  ])
    expect(wireSchema(schema)).toEqual({
      schema: { type: "object", properties: { value: schema }, required: ["value"] },
      wrapped: true,
    })
})

test("references find what they mean one level deeper, and data that look like references stay", async () => {
  const schema = {
    type: "array",
    items: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#" }] },
    $defs: { a: { const: { $ref: "#/$defs/a" } }, $ref: { type: "string" } },
  }
  const { schema: wire } = wireSchema(schema)
  expect(JSON.stringify(wire)).toContain(
    '"anyOf":[{"$ref":"#/properties/value/$defs/a"},{"$ref":"#/properties/value"}]',
  )
  expect(JSON.stringify(wire)).toContain('"const":{"$ref":"#/$defs/a"}')
  const [inner, outer] = [await compileSchema(schema), await compileSchema(wire)]
  if (!inner.ok || !outer.ok) throw new Error("one does not compile")
  for (const value of [[], [[]], [{ $ref: "#/$defs/a" }], [1], {}])
    expect(outer.value({ value }).length === 0).toBe(inner.value(value).length === 0)
})

test("references of a schema with an id of its own lead into it as they are", async () => {
  const schema = {
    $id: "https://example.com/list",
    type: "array",
    items: { $ref: "#/$defs/a" },
    $defs: { a: { type: "number" } },
  }
  const { schema: wire } = wireSchema(schema)
  const compiled = await compileSchema(wire)
  if (!compiled.ok) throw new Error(compiled.error.message)
  expect(compiled.value({ value: [1] })).toEqual([])
  expect(compiled.value({ value: ["x"] })).toHaveLength(1)
})

import { expect, test } from "bun:test"
import { readSchema } from "./schema-file.ts"

const problem = async (text: string) => {
  const read = await readSchema(text, "a.json")
  return read.ok ? undefined : read.error
}

test("a schema is read, with comments if it has any", async () => {
  const text = '\uFEFF{\n  // who\n  "type": "object",\n  "properties": {"a": {"type": "string"}},\n}\n'
  expect(await readSchema(text, "a.json")).toEqual({
    ok: true,
    value: { type: "object", properties: { a: { type: "string" } } },
  })
})

test.each([
  ["", "a.json: is empty; a JSON schema was expected"],
  [" \n", "a.json: is empty; a JSON schema was expected"],
  ["[]", "a.json:1:1: expected an object, got array"],
  ['"x"', "a.json:1:1: expected an object, got string"],
  ['{\n  "type": object\n}', "a.json:2:11: not valid JSON: invalid symbol"],
  ['{"type": "object"', "a.json:1:18: not valid JSON: close brace expected"],
])("%j is none: %s", async (text, message) => {
  expect(await problem(text)).toBe(message)
})

test("what is wrong in a schema is said with line and column, also inside of lists", async () => {
  expect(await problem('{\n  "properties": {\n    "a": { "type": "objct" }\n  }\n}')).toStartWith(
    "a.json:3:12: /properties/a/type must be equal to one of the allowed values",
  )
  expect(await problem('{\n  "anyOf": [\n    {},\n    {"minimum": "1"}\n  ]\n}')).toBe(
    "a.json:4:6: /anyOf/1/minimum must be number",
  )
  expect(await problem('{\n  "$ref": "https://example.com/a.json"\n}')).toContain(
    "a.json:2:3: /$ref leads out of the schema",
  )
  expect(await problem(`{"title": "${"x".repeat(300_000)}"}`)).toBe(
    "a.json:1:1: the schema is larger than 256 kB; it stands in every request",
  )
  expect(await problem(`${'{"not":'.repeat(100)}{}${"}".repeat(100)}`)).toContain("nested more than 64 levels deep")
})

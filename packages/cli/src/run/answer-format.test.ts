import { expect, test } from "bun:test"
import path from "node:path"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { answerFormat } from "./answer-format.ts"

test("the schema of a file, relative to the directory", async () => {
  await using space = await tempWorkspace({ files: { "sub/a.json": '{"type": "array"}' } })
  const expected = { ok: true, value: { type: "json_schema", schema: { type: "array" } } }
  expect(await answerFormat("a.json", path.join(space.dir, "sub"))).toEqual(expected as never)
  expect(await answerFormat(path.join(space.dir, "sub/a.json"), "/")).toEqual(expected as never)
})

test("what is no schema is refused, with its place", async () => {
  await using space = await tempWorkspace({
    files: { "bad.json": '{\n "type": "objct"\n}', "huge.json": `{"title": "${"x".repeat(10_000_000)}"}`, "sub/x": "" },
  })
  const why = async (file: string) => {
    const format = await answerFormat(file, space.dir)
    return format.ok ? undefined : [format.error.kind, format.error.message]
  }
  expect(await why("bad.json")).toEqual(["file", expect.stringMatching(/^bad\.json:2:2: \/type must be equal/)])
  expect(await why("huge.json")).toEqual(["file", "huge.json: is larger than 1 MB, which no schema needs"])
  expect(await why("none.json")).toEqual(["file", "none.json: does not exist or cannot be read"])
  for (const file of ["sub", "/dev/null"]) expect(await why(file)).toEqual(["file", `${file}: is not a regular file`])
})

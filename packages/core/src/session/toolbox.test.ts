import { expect, test } from "bun:test"
import { z } from "zod"
import { ok } from "@cairn/kernel/result"
import { defineTool } from "../tool/define.ts"
import { createToolbox, type ToolboxOptions } from "./toolbox.ts"

const tool = (name: string, description: string, more: { offered?: boolean; attended?: boolean } = {}) =>
  defineTool({
    ...{ name, description, ...more },
    parameters: z.object({ path: z.string().describe("Where") }),
    execute: () => Promise.resolve(ok({ title: "", output: "done", metadata: {} })),
  })
const tools = [
  tool("bash", "Runs a command, e.g. `ls a.b`. Every call is a new shell.\n\nMore."),
  tool("edit", "Replaces text."),
  tool("write", "Writes a file\nwhole."),
  tool("apply_patch", "Changes files by a patch:\n\n*** Begin Patch"),
  tool("todowrite", "Keeps the list."),
  tool("question", "Asks.", { attended: true }),
  tool("list", "Lists.", { offered: false }),
]
const box = (more: Partial<ToolboxOptions> = {}) =>
  createToolbox(tools, [[]], { format: "edit", attending: true, small: false, ...more })
const names = (more: Partial<ToolboxOptions> = {}) => box(more).specs.map(({ name }) => name)

test("each model is offered its own way of editing", () => {
  expect(names()).toEqual(["bash", "edit", "write", "todowrite", "question"])
  expect(names({ format: "patch" })).toEqual(["bash", "apply_patch", "todowrite", "question"])
})

test("a small model gets no list to keep, and one sentence a tool; a format is not cut", () => {
  expect(names({ small: true })).toEqual(["bash", "edit", "write", "question"])
  const said = (small: boolean, format: "edit" | "patch" = "edit") =>
    Object.fromEntries(box({ small, format }).specs.map(({ name, description }) => [name, description]))
  expect(said(true)).toMatchObject({
    bash: "Runs a command, e.g. `ls a.b`.",
    edit: "Replaces text.",
    write: "Writes a file",
  })
  expect(said(true, "patch")["apply_patch"]).toEndWith("*** Begin Patch")
  expect(said(false)["bash"]).toEndWith("More.")
})

test("what is not offered is found all the same", () => {
  const small = box({ small: true })
  for (const name of ["todowrite", "list", "apply_patch"]) expect(small.find(name)).toHaveProperty("tool")
  expect(small.find("nonsense")).toHaveProperty("unknown")
})

test("where nobody is there, a question is not offered and says so when it is called", async () => {
  const alone = box({ attending: false })
  expect(alone.specs.map(({ name }) => name)).not.toContain("question")
  const found = alone.find("question")
  if (!("tool" in found)) throw new Error("not found")
  const answer = await found.tool.execute({ path: "" }, undefined as never)
  expect(answer).toMatchObject({ ok: false, error: { kind: "denied" } })
})

test("the way to the result is offered last, and no rule takes it away", () => {
  const result = tool("structured_output", "Gives the result.")
  expect(names({ result }).at(-1)).toBe("structured_output")
  const rules = [[{ permission: "*", pattern: "*", action: "deny" as const }]]
  const denied = createToolbox(tools, rules, { format: "edit", attending: false, small: true, result })
  expect(denied.specs.map(({ name }) => name)).toEqual(["structured_output"])
  expect(denied.find("StructuredOutput")).toEqual({ tool: result })
})

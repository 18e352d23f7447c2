import { expect, test } from "bun:test"
import { findTool, unknownToolMessage } from "./invalid.ts"

const tools = ["bash", "read", "todowrite", "apply_patch"].map((name) => ({ name }))

test("a tool is found by its name, whatever its case, separators and wrapping", () => {
  for (const name of ["apply_patch", "applyPatch", "Apply-Patch", "functions.apply_patch"]) {
    expect(findTool(name, tools)?.name).toBe("apply_patch")
  }
  for (const name of ["TodoWrite", "todowrite<|channel|>commentary", "todowrite()", "tools/todo_write"]) {
    expect(findTool(name, tools)?.name).toBe("todowrite")
  }
  expect(findTool("edit", tools)).toBeUndefined()
})

test("an exact name wins, and two that look alike are none", () => {
  const alike = [{ name: "my_tool" }, { name: "mytool" }]
  expect(findTool("mytool", alike)?.name).toBe("mytool")
  expect(findTool("MyTool", alike)).toBeUndefined()
})

test("one slip is forgiven where only one tool can be meant", () => {
  expect(findTool("raed", tools)?.name).toBe("read")
  expect(findTool("functions.applypatch_", tools)?.name).toBe("apply_patch")
  expect(findTool("reaf", [{ name: "read" }, { name: "real" }])).toBeUndefined()
  expect(findTool("get_file", [{ name: "set_file" }])).toBeUndefined()
})

test("the message names near names and all that exist, and is bounded", () => {
  const names = tools.map((tool) => tool.name)
  expect(unknownToolMessage("raed", names)).toBe(
    'There is no tool named "raed". Did you mean read? Available: bash, read, todowrite, apply_patch.',
  )
  expect(unknownToolMessage("zzzzzz", names)).not.toContain("Did you mean")
  expect(unknownToolMessage("x".repeat(10_000), names).length).toBeLessThan(300)
})

import { expect, test } from "bun:test"
import { nearNames, slippedName } from "./near-names.ts"

test("names are near by case, separators, letters and containment, the best first", () => {
  expect(nearNames("Readme.md", ["README.md", "readme.txt", "main.ts"], 3)).toEqual(["README.md", "readme.txt"])
  expect(nearNames("file_path", ["filePath", "other"], 1)).toEqual(["filePath"])
  expect(nearNames("confg.ts", ["config.ts", "zebra"], 2)).toEqual(["config.ts"])
  expect(nearNames("user", ["user-controller.ts", "x"], 2)).toEqual(["user-controller.ts"])
  expect(nearNames("abc", ["xyz", "q"], 3)).toEqual([])
})

test("at most so many, and long names cost nothing", () => {
  expect(nearNames("aaa", ["aab", "aac", "aad"], 2)).toEqual(["aab", "aac"])
  expect(nearNames("x".repeat(5_000), ["y".repeat(5_000)], 1)).toEqual([])
})

test("one slip of the finger is taken for the name, if it can be no other", () => {
  const names = ["read", "write", "apply_patch", "github_set_file", "todowrite", "list_2"]
  expect(slippedName("raed", names)).toBe("read")
  expect(slippedName("reads", names)).toBe("read")
  expect(slippedName("wite", names)).toBe("write")
  expect(slippedName("ApplyPtach", names)).toBe("apply_patch")
  expect(slippedName("todo_wrte", names)).toBe("todowrite")
  for (const other of ["wreti", "head", "github_get_file", "list_3", "list", "", "x".repeat(5_000)]) {
    expect(slippedName(other, names)).toBeUndefined()
  }
  expect(slippedName("reat", ["read", "real"])).toBeUndefined()
  expect(slippedName("lz", ["ls"])).toBeUndefined()
})

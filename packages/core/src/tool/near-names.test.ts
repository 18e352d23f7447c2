import { expect, test } from "bun:test"
import { nearNames } from "./near-names.ts"

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

import { expect, test } from "bun:test"
import { ripgrepPath } from "./ripgrep.ts"

test("the packaged ripgrep is found without a PATH, and runs", () => {
  const path = ripgrepPath({})
  expect(path).toBeDefined()
  expect(Bun.spawnSync([path!, "--version"]).stdout.toString()).toStartWith("ripgrep ")
})

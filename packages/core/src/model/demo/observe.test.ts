import { expect, test } from "bun:test"
import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider"
import { observations, readTestReport, request, withoutLineNumbers } from "./observe.ts"

const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] })
const call = (toolCallId: string, input: unknown = {}): LanguageModelV4Message => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName: "read", input }],
})
const result = (toolCallId: string, output: LanguageModelV4ToolResultOutput): LanguageModelV4Message => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "read", output }],
})

test("only the calls since the last user message count, each with its own result", () => {
  const prompt = [
    user("old"),
    call("c0"),
    result("c0", { type: "text", value: "old" }),
    user("new"),
    call("c1", { filePath: "a" }),
    result("c1", { type: "text", value: "A" }),
  ]
  expect(request(prompt)).toBe("new")
  expect(observations(prompt)).toEqual([{ tool: "read", input: { filePath: "a" }, failed: false, text: "A" }])
})

test("a call without a result is not an observation, refusals and errors are failures", () => {
  const prompt = [
    user("u"),
    call("c1"),
    call("c2", "not an object"),
    result("c2", { type: "error-text", value: "no" }),
    call("c3"),
    result("c3", { type: "execution-denied" }),
    call("c4"),
    result("c4", { type: "content", value: [{ type: "text", text: "a" }] }),
  ]
  expect(observations(prompt).map(({ failed, text }) => [failed, text])).toEqual([
    [true, "no"],
    [true, "not allowed"],
    [false, "a"],
  ])
})

const tap = `# Subtest: every line counts
not ok 2 - every line counts
  location: '/w/test/basket.mjs:9:1'
  stack: |-
    TestContext.<anonymous> (file:///w/a%20b/test/basket.mjs:14:10)
    Test.run (node:internal/test_runner/test:796:25)
not ok 4 - a fifth off
  stack: |-
    discounted (file:///w/src/discount.mjs:4:25)
    TestContext.<anonymous> (file:///w/test/discount.mjs:10:16)
    async Test.run (node:internal/test_runner/test:526:7)
# tests 5
# pass 2
# fail 3
`
const spec = `✖ every line counts (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
      at TestContext.<anonymous> (file:///w/test/basket.mjs:14:10)
      at Test.run (node:internal/test_runner/test:796:25) {
    generatedMessage: true,
ℹ tests 5
ℹ pass 4
ℹ fail 1
`
const bun = `error: x
      at discounted (/w/src/discount.mjs:4:29)
      at <anonymous> (/w/test/discount.mjs:10:16)
      at executeTestNode (node:test:1448:45)
(fail) a fifth off [0.14ms]
AssertionError: y
      at /w/test/basket.mjs:14:10

 2 pass
 3 fail
Ran 5 tests across 2 files. [38.00ms]
`

test.each([
  ["TAP", tap, { passed: 2, failed: 3, files: ["/w/a b/test/basket.mjs", "/w/src/discount.mjs"] }],
  ["spec", spec, { passed: 4, failed: 1, files: ["/w/test/basket.mjs"] }],
  [
    "coloured spec",
    spec.replaceAll("ℹ", "\u001b[34mℹ").replaceAll("\n", "\u001b[39m\n"),
    { passed: 4, failed: 1, files: ["/w/test/basket.mjs"] },
  ],
  ["bun", bun, { passed: 2, failed: 3, files: ["/w/src/discount.mjs", "/w/test/basket.mjs"] }],
])("a report in the form of %s", (_, text, expected) => {
  expect(readTestReport(text)).toEqual(expected)
})

test("frames of dependencies are skipped, output without counts is no report", () => {
  expect(
    readTestReport("    at f (/w/node_modules/x/i.js:1:2)\n    at g (/w/src/a.js:3:4)\n# pass 0\n# fail 1\n")?.files,
  ).toEqual(["/w/src/a.js"])
  for (const text of ["", "sh: 1: node: not found", "# pass 1", "it will fail 3 times"])
    expect(readTestReport(text)).toBeUndefined()
})

test.each([
  "12: const a = 1",
  "   12|const a = 1",
  "00012| const a = 1",
  "  12\tconst a = 1",
  "12→const a = 1",
  "const a = 1",
])("line numbers are taken off: %j", (line) => {
  expect(withoutLineNumbers(`${line}\n${line}`)).toBe("const a = 1\nconst a = 1")
})

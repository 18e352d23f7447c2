import { describe, expect, test } from "bun:test"
import { summary, tally } from "./junit.ts"

const passed = `<testcase name="a" file="a.test.ts" line="2" assertions="0" />`
const failed = `<testcase name="b" file="a.test.ts"><failure type="AssertionError" message="1 &lt; 2">text</failure></testcase>`
const skipped = `<testcase name="c" file="a.test.ts"><skipped message="TODO" /></testcase>`

function report(...cases: string[]): string {
  return `<testsuites tests="99"><testsuite file="a.test.ts" failures="99">${cases.join("\n")}</testsuite></testsuites>`
}

describe("tally", () => {
  test("counts tests, not the report's own sums", () => {
    const result = tally(report(passed, passed, failed, skipped), ["./a.test.ts"], 1)
    expect(result).toEqual({ passed: 2, failed: 1, skipped: 1, problems: [] })
  })

  test("a file none of whose tests ran is a failure", () => {
    const result = tally(report(passed), ["./a.test.ts", "./b.test.ts"], 1)
    expect(result).toEqual({ passed: 1, failed: 1, skipped: 0, problems: ["./b.test.ts: no test of it ran"] })
  })

  test("without a report every file failed, whatever the exit code", () => {
    expect(tally(undefined, ["./a.test.ts", "./b.test.ts"], 0)).toMatchObject({ passed: 0, failed: 2 })
    expect(tally(undefined, ["./a.test.ts"], "SIGKILL")).toMatchObject({ passed: 0, failed: 1 })
  })

  test("a runner that fails for no test is a failure", () => {
    const result = tally(report(passed), ["./a.test.ts"], 1)
    expect(result.failed).toBe(1)
    expect(result.problems[0]).toContain("ended with 1")
    expect(tally(report(passed), ["./a.test.ts"], "SIGSEGV").problems[0]).toContain("SIGSEGV")
  })

  test("no file at all is said", () => {
    expect(tally(undefined, [], 0)).toEqual({ passed: 0, failed: 0, skipped: 0, problems: ["no test file was found"] })
  })

  test("paths are compared however they are written", () => {
    const windows = `<testcase name="a" file="packages\\core\\a&amp;b.test.ts" />`
    expect(tally(report(windows), ["./packages/core/a&b.test.ts"], 0)).toMatchObject({ passed: 1, failed: 0 })
  })

  test("a name that holds markup is a name", () => {
    const odd = `<testcase name="&lt;failure&gt; / &gt;" file="a.test.ts" />`
    expect(tally(report(odd), ["a.test.ts"], 0)).toMatchObject({ passed: 1, failed: 0 })
  })
})

describe("summary", () => {
  test("mentions skipped tests only when there are some", () => {
    expect(summary({ passed: 3, failed: 0, skipped: 0, problems: [] })).toBe("3 passed, 0 failed")
    expect(summary({ passed: 3, failed: 1, skipped: 2, problems: [] })).toBe("3 passed, 1 failed")
  })
})

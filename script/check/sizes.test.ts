import { describe, expect, test } from "bun:test"
import { checkSizes, functionsOver } from "./sizes.ts"

function file(lines: number, path = "packages/core/src/a.ts") {
  return { path, text: "a\n".repeat(lines) }
}

const body = "  work()\n".repeat(3)

describe("checkSizes", () => {
  test("600 lines pass, 601 fail", () => {
    expect(checkSizes([file(600)]).failures).toEqual([])
    expect(checkSizes([file(601)]).failures).toEqual(["packages/core/src/a.ts has 601 lines (limit 600)"])
  })

  test("a last line without an end counts", () => {
    expect(checkSizes([{ path: "a.ts", text: `${"a\n".repeat(600)}a` }]).failures).toHaveLength(1)
  })

  test("from 251 lines on a file is listed, and does not fail", () => {
    expect(checkSizes([file(250)]).notes).toEqual([])
    expect(checkSizes([file(251)])).toEqual({ failures: [], notes: ["packages/core/src/a.ts has 251 lines (aim 250)"] })
  })

  test("only code is measured", () => {
    expect(checkSizes([file(2000, "packages/core/src/a.json")])).toEqual({ failures: [], notes: [] })
  })

  test("long functions are listed outside tests", () => {
    const text = `function a() {\n${"  work()\n".repeat(60)}}\n`
    expect(checkSizes([{ path: "a.ts", text }]).notes).toEqual(["a.ts:1 function of 62 lines (aim 60)"])
    expect(checkSizes([{ path: "a.test.ts", text }]).notes).toEqual([])
  })
})

describe("functionsOver", () => {
  const functions: Record<string, string> = {
    declaration: `function a() {\n${body}}`,
    "with a return type": `function a(b: string): Promise<string[]> {\n${body}}`,
    arrow: `const a = () => {\n${body}}`,
    method: `class A {\n  async b(c = f()) {\n${body}}\n}`,
    "parameters over lines": `function a(\n  b: string,\n) {\n${body}}`,
  }
  for (const [name, source] of Object.entries(functions)) {
    test(name, () => expect(functionsOver(source, 4).map(({ lines }) => lines)).toEqual([5]))
  }

  const others: Record<string, string> = {
    condition: `if (a()) {\n${body}}`,
    loop: `for (const a of b()) {\n${body}}`,
    "catch clause": `catch (error) {\n${body}}`,
    object: `const a = {\n${body}}`,
    class: `class A {\n${body}}`,
    "braces in a string": `function a() { b("{\\n\\n\\n\\n") }`,
  }
  for (const [name, source] of Object.entries(others)) {
    test(`not: ${name}`, () => expect(functionsOver(source, 4)).toEqual([]))
  }

  test("just at the limit is fine", () => expect(functionsOver(`function a() {\n${body}}`, 5)).toEqual([]))

  test("unbalanced braces do no harm", () => expect(functionsOver("}}}{{{ => {", 1)).toEqual([]))
})

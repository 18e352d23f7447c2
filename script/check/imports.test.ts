import { describe, expect, test } from "bun:test"
import { importsOf } from "./imports.ts"

function specifiers(source: string): string[] {
  return importsOf(source).map(({ specifier, computed }) => (computed ? "computed" : specifier))
}

describe("importsOf", () => {
  const forms: Record<string, string> = {
    named: `import { a } from "x"`,
    "default and namespace": `import a, * as b from "x"`,
    "type only": `import type { A } from "x"`,
    "type modifier": `import { type A } from "x"`,
    "side effect": `import "x"`,
    "re-export": `export { a } from "x"`,
    "re-export of everything": `export * from "x"`,
    "re-export as namespace": `export * as a from "x"`,
    "type-only re-export": `export type { A } from "x"`,
    dynamic: `const a = await import("x")`,
    "dynamic with a template": "const a = await import(`x`)",
    "type of a module": `let a: typeof import("x")`,
    "import type expression": `let a: import("x").A`,
    "import equals": `import a = require("x")`,
    require: `const a = require("x")`,
    resolve: `import.meta.resolve("x")`,
    attributes: `import a from "x" with { type: "text" }`,
    "several lines": `import {\n  a,\n  b,\n} from\n  "x"`,
    "a comment in between": `import { a /* from "no" */ } from /* why */ "x"`,
    "single quotes": `import type { A } from 'x'`,
    minified: `import{a}from"x";`,
  }
  for (const [name, source] of Object.entries(forms)) {
    test(name, () => expect(specifiers(source)).toEqual(["x"]))
  }

  // `Bun.Transpiler.scanImports` drops what only types are imported from; the layers would not hold.
  test("finds the type-only imports that Bun's scanner misses", () => {
    const source = `import type { A } from "x"\nexport const a: A = 1`
    expect(new Bun.Transpiler({ loader: "ts" }).scanImports(source)).toEqual([])
    expect(specifiers(source)).toEqual(["x"])
  })

  const others: Record<string, string> = {
    "in a string": `const a = 'import { b } from "x"'`,
    "in a template": "const a = `import { b } from 'x'`",
    "in a comment": `// import { a } from "x"\n/* import "x" */`,
    "a method called import": `a.import("x")`,
    "a method called require": `a.require("x")`,
    "an array from a string": `Array.from("x")`,
    "a property called from": `({ from: "x" })`,
    "an augmentation": `declare module "x" { const a: string }`,
    "an export of a constant": `export const a = "x"`,
  }
  for (const [name, source] of Object.entries(others)) {
    test(`nothing: ${name}`, () => expect(specifiers(source)).toEqual([]))
  }

  test("an import whose module is computed is said to be", () => {
    expect(specifiers("import(name)")).toEqual(["computed"])
    expect(specifiers("import(`./${name}.ts`)")).toEqual(["computed"])
    expect(specifiers(`import("./" + name)`)).toEqual(["./"])
  })

  test("lines are those of the specifier", () => {
    expect(importsOf(`import "a"\n\nimport {\n  b,\n} from "b"`).map(({ line }) => line)).toEqual([1, 5])
  })
})

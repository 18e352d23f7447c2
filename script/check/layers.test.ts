import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { cycles, layers } from "./layers.ts"

/** Messages about a repository of these files, each a path and its imports. */
function objections(files: Record<string, string | readonly string[]>): string[] {
  const sources = Object.entries(files).map(([path, content]) => ({
    path,
    text: typeof content === "string" ? content : content.map((specifier) => `import "${specifier}"`).join("\n"),
  }))
  return layers(sources).map(({ path, message }) => `${path}: ${message}`)
}

describe("package arrows", () => {
  const allowed: readonly (readonly [string, string])[] = [
    ["packages/core/src/app.ts", "@cairn/kernel/task"],
    ["packages/core/src/app.ts", "zod"],
    ["packages/core/src/app.ts", "node:fs"],
    ["packages/schema/src/part.ts", "zod"],
    ["packages/schema/src/engine.ts", "@cairn/kernel/result"],
    ["packages/sdk/src/client.ts", "@cairn/schema/engine"],
    ["packages/server/src/route.ts", "@cairn/core/engine"],
    ["packages/tui/src/app.ts", "@cairn/sdk/client"],
    ["packages/cli/src/main.ts", "@cairn/core/app"],
    ["packages/testkit/src/server.ts", "@cairn/schema/part"],
    ["packages/core/src/store/store.test.ts", "@cairn/testkit/clock"],
    ["packages/core/test/scenario/loop.ts", "@cairn/testkit/clock"],
    ["packages/kernel/src/lock.test.ts", "bun:test"],
    ["packages/cli/src/docs.test.ts", "../../../script/docs.ts"],
    ["script/catalog.ts", "../packages/core/src/model/catalog.ts"],
    ["bench/main.ts", "@cairn/cli/main"],
  ]
  for (const [from, specifier] of allowed) {
    test(`${from} may import ${specifier}`, () => expect(objections({ [from]: [specifier] })).toEqual([]))
  }

  const refused: readonly (readonly [string, string, string])[] = [
    ["packages/kernel/src/task.ts", "@cairn/schema/part", "kernel must not import schema"],
    ["packages/kernel/src/log.ts", "node:fs", "kernel must not import node:fs"],
    ["packages/kernel/src/log.ts", "bun", "kernel must not import bun"],
    ["packages/schema/src/part.ts", "@cairn/core/app", "schema must not import core"],
    ["packages/kernel/src/result.ts", "@cairn/schema/error", "kernel must not import schema"],
    ["packages/schema/src/part.ts", "zodiac", "schema must not import zodiac"],
    ["packages/core/src/app.ts", "@cairn/server/route", "core must not import server"],
    ["packages/core/src/app.ts", "@cairn/cli/main", "core must not import cli"],
    ["packages/tui/src/app.ts", "@cairn/core/engine", "tui must not import core"],
    ["packages/sdk/src/client.ts", "@cairn/server/route", "sdk must not import server"],
    ["packages/core/src/app.ts", "@cairn/testkit/clock", "testkit is for tests only"],
    ["packages/cli/src/main.ts", "@cairn/testkit/clock", "testkit is for tests only"],
    ["packages/core/test/scenario/loop.ts", "@cairn/cli/main", "core must not import cli"],
    ["packages/core/src/app.ts", "../../kernel/src/task.ts", "by its name"],
    ["packages/core/src/app.ts", "@cairn/core/engine", "relative path"],
    ["packages/core/src/app.ts", "../../../script/check.ts", "outside packages/"],
    ["packages/novel/src/a.ts", "@cairn/core/engine", "no entry"],
  ]
  for (const [from, specifier, message] of refused) {
    test(`${from} must not import ${specifier}`, () => {
      const found = objections({ [from]: [specifier] })
      expect(found).toHaveLength(1)
      expect(found[0]).toContain(message)
    })
  }

  test("a type-only import is an import", () => {
    const found = objections({ "packages/core/src/app.ts": `import type { Route } from "@cairn/server/route"` })
    expect(found).toEqual(["packages/core/src/app.ts: core must not import server (allowed: kernel, schema)"])
  })

  test("so are a re-export and a type expression", () => {
    for (const text of [`export type { A } from "@cairn/cli/a"`, `let a: import("@cairn/cli/a").A`]) {
      expect(objections({ "packages/core/src/app.ts": text })).toHaveLength(1)
    }
  })

  test("a module must be named", () => {
    expect(objections({ "packages/core/src/app.ts": "import(name)" })[0]).toContain("plain string")
    expect(objections({ "packages/core/src/app.test.ts": "import(name)" })).toEqual([])
  })

  test("the line is that of the import", () => {
    const text = `import "zod"\n\nimport type { A } from "@cairn/cli/a"`
    expect(layers([{ path: "packages/core/src/app.ts", text }])[0]?.line).toBe(3)
  })
})

describe("folders of core", () => {
  const rules: readonly (readonly [string, string, boolean])[] = [
    ["session/turn.ts", "../store/store.ts", true],
    ["doctor/doctor.ts", "../engine-options.ts", true],
    ["session/turn.ts", "../app.ts", false],
    ["session/turn.ts", "./step.ts", true],
    ["tool/read/read.ts", "../../workspace/paths.ts", true],
    ["tool/read/read.ts", "../define.ts", true],
    ["tool/read/read.ts", "../../session/turn.ts", false],
    ["tool/read/read.ts", "../../store/store.ts", false],
    ["store/store.ts", "../config/load.ts", false],
    ["store/store.ts", "../engine-options.ts", false],
    ["permission/rules.ts", "../workspace/paths.ts", true],
    ["workspace/paths.ts", "../permission/rules.ts", false],
    ["model/call.ts", "../net/net.ts", true],
    ["net/net.ts", "../model/call.ts", false],
    ["app.ts", "./session/turn.ts", true],
    ["tools.ts", "./permission/asks.ts", true],
    ["novel/a.ts", "../store/store.ts", false],
    ["store/store.test.ts", "../session/turn.ts", true],
  ]
  for (const [from, specifier, allowed] of rules) {
    test(`${from} ${allowed ? "may" : "must not"} import ${specifier}`, () => {
      expect(objections({ [`packages/core/src/${from}`]: [specifier] })).toHaveLength(allowed ? 0 : 1)
    })
  }
})

describe("cycles", () => {
  test("two files that import each other, one of them for a type alone", () => {
    const found = objections({
      "packages/core/src/tool/a.ts": `import { b } from "./b.ts"`,
      "packages/core/src/tool/b.ts": `import type { A } from "./a.ts"`,
    })
    expect(found).toEqual([
      "packages/core/src/tool/a.ts: import cycle: packages/core/src/tool/a.ts → packages/core/src/tool/b.ts → packages/core/src/tool/a.ts",
    ])
  })

  test("a file that imports itself", () => {
    expect(cycles(new Map([["a", ["a"]]]))).toEqual([["a"]])
  })

  test("across packages, by name", () => {
    const found = objections({
      "packages/server/src/a.ts": ["@cairn/core/b"],
      "packages/core/src/b.ts": ["@cairn/server/a"],
    })
    expect(found.filter((text) => text.includes("import cycle"))).toHaveLength(1)
  })

  test("a diamond is no cycle", () => {
    const graph = { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }
    expect(cycles(new Map(Object.entries(graph)))).toEqual([])
  })

  test("two separate rings are told apart, and the shortest way is shown", () => {
    const graph = { a: ["b"], b: ["c", "a"], c: ["a"], x: ["y"], y: ["x", "a"] }
    const rings = cycles(new Map(Object.entries(graph)))
    expect(rings).toHaveLength(2)
    expect(rings).toContainEqual(["a", "b"])
    expect(rings).toContainEqual(["x", "y"])
  })

  test("a chain of 20,000 files is no matter of stack depth", () => {
    const graph = new Map<string, string[]>()
    for (let index = 0; index < 20_000; index++) graph.set(`f${index}`, [`f${index + 1}`])
    expect(cycles(graph)).toEqual([])
  })

  test("property: a graph whose arrows only point onwards has none; one arrow back makes one", () => {
    const arrows = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 })
    fc.assert(
      fc.property(arrows, fc.nat(9), fc.nat(9), (pairs, one, other) => {
        const graph = new Map<string, string[]>(Array.from({ length: 10 }, (_, index) => [`${index}`, []]))
        for (const [a, b] of pairs) if (a !== b) graph.get(`${Math.min(a, b)}`)?.push(`${Math.max(a, b)}`)
        expect(cycles(graph)).toEqual([])
        const [low, high] = [Math.min(one, other), Math.max(one, other)]
        if (low !== high) graph.get(`${low}`)?.push(`${high}`)
        graph.get(`${high}`)?.push(`${low}`)
        const [ring = []] = cycles(graph)
        expect(ring.length).toBeGreaterThan(0)
        for (const [index, node] of ring.entries()) {
          expect(graph.get(node)).toContain(ring[(index + 1) % ring.length] ?? "")
        }
      }),
    )
  })
})

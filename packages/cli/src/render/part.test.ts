import { describe, expect, test } from "bun:test"
import { Part } from "@cairn/schema/part"
import { part, running, tool } from "../../test/values.ts"
import { styleOf } from "../terminal/look.ts"
import { partLines } from "./part.ts"
import { headline, type ToolView } from "./tool.ts"

const view: ToolView = {
  style: styleOf(false),
  look: { color: false, live: false, width: Infinity },
  directory: "/repo",
  diffLimit: 10,
}
const lines = (shown: Part) => partLines(shown, view)
const diff = "Index: a.ts\n===================\n--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"

describe("a tool line", () => {
  test.each([
    ["read", { filePath: "/repo/src/a.ts", offset: 1, limit: 40 }, {}, "read src/a.ts (lines 1-40)"],
    ["read", { filePath: "/repo/src/a.ts" }, {}, "read src/a.ts"],
    ["read", { filePath: "b.ts", offset: 10 }, {}, "read b.ts (from line 10)"],
    ["read", { filePath: "/etc/hosts" }, {}, "read /etc/hosts"],
    ["read", { filePath: "/repo-evil/a" }, {}, "read /repo-evil/a"],
    ["read", { filePath: "/repo/..a/b" }, {}, "read ..a/b"],
    ["list", { path: "/repo" }, {}, "list ."],
    ["write", { filePath: "/repo/a.ts", content: "x" }, {}, "write a.ts"],
    [
      "glob",
      { pattern: "**/*.ts", path: "/repo/src" },
      { metadata: { count: 12 } },
      'glob "**/*.ts" in src (12 files)',
    ],
    ["grep", { pattern: "x", include: "*.ts" }, { metadata: { matches: 1 } }, 'grep "x" in *.ts (1 match)'],
    ["bash", { command: "npm test" }, { metadata: { exit: 0 } }, "$ npm test"],
    ["task", { description: "look around", subagent_type: "explore" }, {}, "task look around (explore)"],
    ["skill", { name: "pdf", n: 1 }, {}, "skill name=pdf n=1"],
    [
      "apply_patch",
      { patchText: "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch" },
      {},
      "apply_patch a.ts, b.ts",
    ],
  ] as const)("of %s %j", (name, input, done, line) => {
    expect(lines(tool(name, input, done))).toEqual([line])
  })

  test("survives arguments of every wrong kind", () => {
    expect(lines(tool("read", { filePath: 3, limit: "x" }))).toEqual(["read ."])
    expect(lines(tool("bash", {}, { metadata: { exit: 0 } }))).toEqual(["$"])
    expect(lines(tool("todowrite", { todos: "none" }))).toEqual(["todowrite"])
    expect(lines(tool("edit", { filePath: "a" }, { metadata: { filediff: null } }))).toEqual(["edit a"])
  })

  test("is cut to the terminal and made harmless", () => {
    const narrow = { ...view, look: { ...view.look, width: 20 } }
    expect(headline(tool("bash", { command: "echo \u001b]52;c;x\u0007 and a long line" }), narrow)).toBe(
      "$ echo ␛]52;c;x␇ an…",
    )
  })

  test("of a command of many lines has them below each other, not joined", () => {
    const loop = tool(
      "bash",
      { command: "\nfor f in *; do\n\techo $f  \n\ndone\u001b[2J\n" },
      { metadata: { exit: 0 } },
    )
    expect(lines(loop)).toEqual(["$ for f in *; do (4 lines)", "    echo $f", "  ", "  done␛[2J"])
    expect(headline(loop, view)).toBe("$ for f in *; do (4 lines)")
  })

  test("of a very long command is bounded, and narrow on a narrow terminal", () => {
    const command = Array.from({ length: 30 }, (_, index) => `echo ${"x".repeat(index)}`).join("\n")
    const narrow = { ...view, look: { ...view.look, width: 12 } }
    const shown = partLines(tool("bash", { command }, { metadata: { exit: 1 }, output: "no" }), narrow)
    expect(shown.slice(0, 2)).toEqual(["$ echo (30 lines)", "  echo x"])
    expect(shown.slice(9)).toEqual(["  echo xxxx…", "  … 20 more lines", "  no", "  exit 1"])
  })

  test("of a command that was refused stands whole above the reason", () => {
    const refused = tool("bash", { command: "cd x\nmake" }, { error: "no", kind: "denied" })
    expect(lines(refused)).toEqual(["$ cd x (2 lines)", "  make", "  denied: no"])
  })

  test("of a running call has its arguments already", () => {
    expect(headline(running(tool("read", { filePath: "/repo/a" })), view)).toBe("read a")
  })
})

describe("what follows the tool line", () => {
  test("is the diff of an edit, without file headers", () => {
    expect(lines(tool("edit", { filePath: "/repo/a.ts" }, { metadata: { diff } }))).toEqual([
      "edit a.ts (+1 -1)",
      "  @@ -1,2 +1,2 @@",
      "   same",
      "  -old",
      "  +new",
    ])
  })

  test("is the diff in `filediff` too, in colour, and cut", () => {
    const edit = tool("write", { filePath: "a" }, { metadata: { filediff: { patch: diff } } })
    const colored = partLines(edit, { ...view, style: styleOf(true), diffLimit: 2 })
    expect(colored.slice(1)).toEqual([
      "  \u001b[36m@@ -1,2 +1,2 @@\u001b[39m",
      "  \u001b[2m same\u001b[22m",
      "  \u001b[2m… 2 more lines\u001b[22m",
    ])
    expect(partLines(edit, { ...view, diffLimit: 0 })).toHaveLength(1)
  })

  test("is the end of a failed command and its exit code", () => {
    const output = Array.from({ length: 15 }, (_, index) => `line ${index + 1}`).join("\n")
    const shown = lines(
      tool("bash", { command: "npm test" }, { output: "for the model", metadata: { exit: 1, output } }),
    )
    expect(shown[0]).toBe("$ npm test")
    expect(shown[1]).toBe("  … 5 lines before")
    expect(shown.slice(2, 4)).toEqual(["  line 6", "  line 7"])
    expect(shown.slice(-2)).toEqual(["  line 15", "  exit 1"])
  })

  test("has no colours of the command's own, and nothing that acts on the terminal", () => {
    const output = "\u001b[31mred\u001b[0m \u001b]52;c;x\u0007 a\rb \u009b2J"
    expect(lines(tool("bash", { command: "x" }, { metadata: { exit: 1, output } })).join("\n")).toMatch(
      /^\$ x\n {2}red [^\u001b\u0007\r\u009b]*\n {2}exit 1$/,
    )
  })

  test("is the output that the model got, where the metadata has none", () => {
    expect(lines(tool("bash", { command: "x" }, { output: "boom", metadata: { exit: null } }))).toEqual([
      "$ x",
      "  boom",
      "  no exit code",
    ])
  })

  test("is the task list", () => {
    const todos = [
      { content: "one", status: "completed", priority: "high" },
      { content: "two", status: "in_progress", priority: "high" },
      { content: "three", status: "pending", priority: "low" },
      { content: "four\nlines", status: "cancelled", priority: "low" },
    ]
    const expected = ["todowrite", "  [x] one", "  [>] two", "  [ ] three", "  [-] four lines"]
    expect(lines(tool("todowrite", { todos }))).toEqual(expected)
    expect(lines(tool("todowrite", {}, { metadata: { todos } }))).toEqual(expected)
  })

  test("is why it failed", () => {
    const missing = { error: "src/b.ts does not exist.\nDid you mean src/a.ts?", kind: "not_found" } as const
    expect(lines(tool("read", { filePath: "src/b.ts" }, missing))).toEqual([
      "read src/b.ts",
      "  failed: src/b.ts does not exist.",
      "  Did you mean src/a.ts?",
    ])
    expect(lines(tool("bash", { command: "x" }, { error: "no", kind: "denied" }))).toEqual(["$ x", "  denied: no"])
  })
})

describe("a part", () => {
  const api = { name: "APIError", data: { message: "overloaded", isRetryable: true } } as const
  const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
  const cases: [Part, string[]][] = [
    [part("text", { text: "\nHello\n\nyou\n" }), ["Hello", "", "you"]],
    [part("text", { text: "for the model", synthetic: true }), []],
    [part("text", { text: "not sent", ignored: true }), []],
    [part("text", { text: "  \n" }), []],
    [part("reasoning", { text: "I think", time: { start: 1 } }), ["I think"]],
    [
      part("file", { mime: "image/png", filename: "a.png", url: "data:image/png;base64,AA" }),
      ["attached a.png (image/png)"],
    ],
    [part("file", { mime: "image/png", url: "data:image/png;base64,AA" }), ["attached data (image/png)"]],
    [part("file", { mime: "text/plain", url: "file:///repo/x/b.txt" }), ["attached b.txt (text/plain)"]],
    [tool("list", { path: "src" }), ["list src"]],
    [part("step-start", {}), []],
    [part("step-finish", { reason: "stop", cost: 0, tokens }), []],
    [part("snapshot", { snapshot: "x" }), []],
    [part("patch", { hash: "x", files: ["/repo/a.ts", "/other/b.ts"] }), ["changed a.ts, /other/b.ts"]],
    [part("agent", { name: "plan" }), ["agent plan"]],
    [part("subtask", { prompt: "p", description: "look", agent: "explore" }), ["subtask for explore: look"]],
    [part("retry", { attempt: 2, error: api, time: { created: 1 } }), ["attempt 2 failed: overloaded"]],
    [part("compaction", { auto: true }), ["conversation compacted"]],
    [part("compaction", { auto: false }), ["conversation compacted on request"]],
  ]
  test.each(cases.map(([shown, expected]) => [shown.type, shown, expected] as const))(
    "%s",
    (_type, shown, expected) => {
      expect(Part.parse(shown)).toEqual(shown)
      expect(lines(shown)).toEqual(expected)
    },
  )

  test("of every type is tried above", () => {
    const tried = new Set(cases.map(([shown]) => shown.type))
    expect(Part.options.map((option) => option.shape.type.value).filter((type) => !tried.has(type))).toEqual([])
  })
})

import { describe, expect, test } from "bun:test"
import type { ToolPart } from "@cairn/schema/part"
import fc from "fast-check"
import { adderPatch, completed, failed, part, pending, running } from "../../../test/parts.ts"
import { drawnWidths } from "../../terminal/drawn-widths.ts"
import { asciiGlyphs, unicodeGlyphs } from "../text/drawing.ts"
import { type Line, plainText } from "../text/span.ts"
import type { PartContext } from "./context.ts"
import { groupRows, otherRows, reasoningRows, ruleRow, toolRows, userRows } from "./rows.ts"
import { ui } from "../../terminal/sanitize.ts"

const widths = drawnWidths("unicode")
const context: PartContext = {
  widths,
  glyphs: unicodeGlyphs,
  width: 78,
  directory: "/repo",
  home: "/home/u",
  fold: { bash: 6, edit: 20 },
  isOpen: false,
  now: undefined,
}
const show = (lines: readonly Line[]) => lines.map((line) => plainText(line.spans).trimEnd()).join("\n")
const tool = (each: ToolPart, change: Partial<PartContext> = {}) => show(toolRows(each, { ...context, ...change }))

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n")
const test30 = completed(
  "bash",
  { command: "bun test" },
  { output: "", metadata: { output: lines(30), exit: 0 }, time: { start: 0, end: 4_000 } },
)

describe("what was looked at is one line", () => {
  test.each([
    [
      completed(
        "read",
        { filePath: "/repo/src/add.ts" },
        { metadata: { display: { offset: 1, lines: 5, totalLines: 9 } } },
      ),
      "· read src/add.ts 1–5",
    ],
    [
      completed(
        "read",
        { filePath: "/repo/src/add.ts" },
        { metadata: { display: { offset: 1, lines: 9, totalLines: 9 } } },
      ),
      "· read src/add.ts 9 lines",
    ],
    [completed("read", { filePath: "/home/u/notes.md", offset: 40 }), "· read ~/notes.md from line 40"],
    [completed("glob", { pattern: "**/*.ts" }, { metadata: { count: 1 } }), '· glob "**/*.ts" 1 file'],
    [
      completed("grep", { pattern: "a b", path: "/repo/src", include: "*.ts" }, { metadata: { matches: 3 } }),
      '· grep "a b" in src, *.ts 3 matches',
    ],
    [completed("list", { path: "/repo" }, { metadata: { count: 2 } }), "· list . 2 entries"],
    [completed("webfetch", { url: "https://a.b/c" }), "· fetch https://a.b/c"],
    [completed("mcp_thing", { id: 7, deep: { a: 1 } }), '· mcp_thing id=7 deep={"a":1}'],
    [completed("constructor", { a: "x" }), "· constructor a=x"],
    [running("read", { filePath: "/repo/a.ts" }), `○ read a.ts${" ".repeat(63)}runs`],
    [pending("read"), `○ read${" ".repeat(67)}waits`],
    [
      failed("read", { filePath: "/repo/none.ts" }, "There is no such file.", "missing"),
      `✗ read none.ts${" ".repeat(60)}0:04\n│ failed: There is no such file.`,
    ],
  ] as const)("%#", (each, expected) => {
    expect(tool(each)).toBe(expected)
  })

  test("opened it shows what was read, at most forty lines", () => {
    const each = completed("read", { filePath: "/repo/a.ts" }, { output: lines(50) })
    const shown = tool(each, { isOpen: true }).split("\n")
    expect([shown.length, shown[1], shown.at(-1)]).toEqual([42, "│ line 1", "│ … 10 more lines"])
  })

  test("several in a row are one line, and all of them when opened", () => {
    const parts = ["a", "b", "c"].map((name) => completed("read", { filePath: `/repo/${name}.ts` }))
    expect(show(groupRows(parts, context))).toBe("· read 3 files  a.ts, b.ts, c.ts")
    expect(show(groupRows(parts, { ...context, isOpen: true }))).toBe("· read a.ts\n· read b.ts\n· read c.ts")
    expect(show(groupRows([completed("glob", { pattern: "a" }), completed("glob", { pattern: "b" })], context))).toBe(
      "· glob 2 patterns",
    )
  })
})

describe("a command", () => {
  test("shows how it ended and the end of what it wrote", () => {
    expect(tool(test30)).toBe(
      [
        `$ bun test${" ".repeat(56)}0:04  exit 0`,
        "│ … 24 earlier lines (o opens)",
        ...[25, 26, 27, 28, 29, 30].map((at) => `│ line ${at}`),
      ].join("\n"),
    )
  })

  test("that failed shows more of it, and says so in words", () => {
    const each = completed("bash", { command: "make" }, { metadata: { output: lines(30), exit: 2 } })
    const shown = tool(each).split("\n")
    expect([shown.length, shown[0], shown[1]]).toEqual([
      22,
      `$ make${" ".repeat(66)}exit 2`,
      "│ … 10 earlier lines (o opens)",
    ])
    const rows = toolRows(each, context)
    expect(rows[3]!.spans[0]).toEqual({ text: ui`│ `, style: { tone: "error" } })
  })

  test("that was ended by a signal has no exit code", () => {
    expect(tool(completed("bash", { command: "x" }, { metadata: { output: "", exit: null } }))).toContain(
      "no exit code",
    )
  })

  test("of several lines shows the first ones", () => {
    const each = completed("bash", { command: lines(12) }, { metadata: { output: "", exit: 0 } })
    const shown = tool(each).split("\n")
    expect([shown.length, shown[1], shown.at(-1)]).toEqual([9, "  line 2", "  … 4 more lines of the command"])
  })

  test("that runs shows its output and its time", () => {
    const each = running("bash", { command: "sleep 9" }, { output: "one\ntwo\r3\n" })
    expect(tool(each, { now: 62_000 })).toBe(`$ sleep 9${" ".repeat(65)}1:01\n│ one\n│ 3wo`)
  })

  test("keeps the colours of its program", () => {
    const each = completed("bash", { command: "x" }, { metadata: { output: "\x1b[31mred\x1b[0m plain", exit: 0 } })
    const [, row] = toolRows(each, context)
    expect(row!.spans.slice(1)).toEqual([
      { text: ui`red`, style: { ansi: { fg: 1 } } },
      { text: ui` plain`, style: { tone: "muted" } },
    ])
  })

  test("that was refused says who and why", () => {
    const each = failed(
      "bash",
      { command: "rm -rf /" },
      "The user rejected it: too much\nline 2\nline 3\nline 4",
      "rejected",
    )
    expect(tool(each).split("\n").slice(1)).toEqual([
      "│ rejected: The user rejected it: too much",
      "│ line 2",
      "│ line 3",
      "│ … 1 more line",
    ])
  })
})

describe("an edit", () => {
  const edit = completed("edit", { filePath: "/repo/src/add.ts" }, { metadata: { diff: adderPatch } })
  test("shows its diff with numbers and signs", () => {
    expect(tool(edit)).toMatchInlineSnapshot(`
      "✎ edit src/add.ts  +3 −1
      │ 1   // Adds.
      │ 2
      │ 3   export function add(a: number, b: number) {
      │ 4 -   return a - b
      │ 4 +   // sum of both
      │ 5 +   const s = a + b
      │ 6 +   return s
      │ 7   }"
    `)
  })

  test("in little room, too", () => {
    expect(tool(edit, { width: 20 })).toMatchInlineSnapshot(`
      "✎ edit src/add.ts  …
      │ 1   // Adds.
      │ 2
      │ 3   export functio
      │     n add(a: numbe
      │     r, b: number)
      │     {
      │ 4 -   return a - b
      │ 4 +   // sum of bo
      │     th
      │ 5 +   const s = a
      │     + b
      │ 6 +   return s
      │ 7   }"
    `)
  })

  test("as ASCII", () => {
    expect(tool(edit, { glyphs: asciiGlyphs })).toMatch(/^[\x20-\x7e\n]*$/)
  })

  test("of more lines than fit says how many more", () => {
    expect(
      tool(edit, { fold: { bash: 6, edit: 3 } })
        .split("\n")
        .at(-1),
    ).toBe("│ … 5 more lines of diff")
  })

  test("that a patch made of several files names each", () => {
    const patch = `${adderPatch}${adderPatch.replaceAll("src/add.ts", "src/other.ts")}`
    const each = completed("apply_patch", { patchText: "" }, { metadata: { diff: patch } })
    const shown = tool(each).split("\n")
    expect([shown[0], shown[1], shown[10]]).toEqual(["✎ patch 2 files  +6 −2", "│ src/add.ts", "│ src/other.ts"])
  })

  test("of a new file, one that is written, one that failed", () => {
    expect(tool(completed("write", { filePath: "/repo/n.ts" }, { metadata: { exists: false } }))).toBe("✎ create n.ts")
    expect(tool(pending("write", "x".repeat(4_200)))).toBe(`✎ write${" ".repeat(60)}writes 5 kB`)
    expect(tool(failed("edit", { filePath: "/repo/n.ts" }, "oldString not found", "not_found"))).toContain(
      "│ failed: oldString not found",
    )
  })

  test("grounds reach the end of the row", () => {
    const rows = toolRows(edit, context).filter((line) => line.spans.some((span) => span.style?.ground !== undefined))
    expect(rows).toHaveLength(4)
    for (const line of rows) expect(line.width).toBe(78)
  })
})

test("a todo list, a subagent, a question", () => {
  const todos = [
    { content: "Read the file", status: "completed" },
    { content: "Edit the file", status: "in_progress" },
    { content: "Run the tests", status: "pending" },
    { content: "Dance", status: "cancelled" },
    "damaged",
  ]
  expect(tool(completed("todowrite", { todos }))).toBe(
    "✎ todo\n  ✓ Read the file\n  ● Edit the file\n  ○ Run the tests\n  ✗ Dance",
  )
  const task = { subagent_type: "explore", description: "find callers" }
  expect(
    tool(
      completed("task", task, {
        output: "<task>\nFound 3.\nMore.",
        metadata: { tools: 12 },
        time: { start: 0, end: 40_000 },
      }),
    ),
  ).toBe(`✓ explore · find callers · 12 tools${" ".repeat(39)}0:40\n│ Found 3.`)
  const question = { questions: [{ question: "Which one?" }, { question: "Sure?" }] }
  expect(tool(completed("question", question, { metadata: { answers: [["a", "b"], []] } }))).toBe(
    "? Which one?\n│ → a, b\n│ Sure?\n│ → no answer",
  )
})

describe("messages", () => {
  test("of the user: all of it, or the first eight lines", () => {
    expect(show(userRows("Fix the adder please\n\nand test it", context))).toBe(
      "❯ Fix the adder please\n\n  and test it",
    )
    expect(
      show(userRows(lines(13), context))
        .split("\n")
        .at(-1),
    ).toBe("  … 5 more lines (o opens)")
    expect(show(userRows(lines(12), context)).split("\n")).toHaveLength(12)
    expect(show(userRows(lines(13), { ...context, isOpen: true })).split("\n")).toHaveLength(13)
  })

  test("thoughts: folded, opened, and while they come", () => {
    const thought = part("reasoning", { text: "First.\n\nThen.", time: { start: 0, end: 3_200 } })
    expect(show(reasoningRows(thought, context))).toBe("▸ thought for 3 s")
    expect(show(reasoningRows(thought, { ...context, isOpen: true }))).toBe("▾ thought for 3 s\n│ First.\n│\n│ Then.")
    const live = part("reasoning", { text: "First.\nThen\n", time: { start: 1_000 } })
    expect(show(reasoningRows(live, { ...context, now: 6_000 }))).toBe("◐ thinks for 5 s\n│ Then")
  })

  test("what else there is", () => {
    const error = { name: "APIError" as const, data: { message: "overloaded\x07", isRetryable: true } }
    expect(
      show(
        otherRows(part("retry", { attempt: 2, error, time: { created: 0, next: 9_000 } }), { ...context, now: 4_000 }),
      ),
    ).toBe("✗ attempt 2 failed: overloaded␇, again in 5 s")
    expect(show(otherRows(part("compaction", { auto: true }), context))).toBe(`── compacted ${"─".repeat(47)}`)
    expect(show(otherRows(part("file", { mime: "image/png", url: "file:///a/b.png" }), context))).toBe(
      "· attached b.png image/png",
    )
    expect(show(otherRows(part("file", { mime: "image/png", url: "data:image/png;base64,AA" }), context))).toBe(
      "· attached image/png image/png",
    )
    expect(otherRows(part("patch", { hash: "x", files: [] }), context)).toEqual([])
    expect(show([ruleRow(ui`x`, { ...context, width: 8 })])).toBe("── x ───")
  })
})

const value = fc.oneof(
  fc.string(),
  fc.constant("\x1b[31m\u202e\n\t世界"),
  fc.integer(),
  fc.constant(null),
  fc.array(fc.string()),
)
const anyState = fc.record({
  input: fc.dictionary(
    fc.constantFrom("filePath", "command", "pattern", "path", "todos", "questions", "url", "x"),
    value,
  ),
  metadata: fc.dictionary(
    fc.constantFrom("diff", "output", "exit", "todos", "answers", "count", "display", "filediff"),
    value,
  ),
  output: fc.string(),
})

test("whatever a tool brings: it is drawn, nothing is wider than the screen, and nothing is an order to the terminal", () => {
  const names = fc.constantFrom(
    "read",
    "bash",
    "edit",
    "write",
    "apply_patch",
    "todowrite",
    "task",
    "question",
    "grep",
    "unknown",
  )
  fc.assert(
    fc.property(
      names,
      anyState,
      fc.integer({ min: 12, max: 120 }),
      fc.boolean(),
      fc.boolean(),
      (name, state, width, isOpen, isFailed) => {
        const each = isFailed
          ? failed(name, state.input, state.output)
          : completed(name, state.input, { metadata: state.metadata, output: state.output })
        for (const line of toolRows(each, { ...context, width, isOpen })) {
          const text = plainText(line.spans)
          expect(widths.of(text)).toBe(line.width)
          expect(line.width).toBeLessThanOrEqual(width)
          expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

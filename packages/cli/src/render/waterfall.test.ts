import { describe, expect, test } from "bun:test"
import type { TraceSpan } from "@cairn/schema/trace"
import { styleOf } from "../terminal/look.ts"
import { waterfall } from "./waterfall.ts"

const start = Date.UTC(2026, 10, 22, 2, 14, 44)
const tokens = { input: 2_000, output: 40, reasoning: 0, cache: { read: 100, write: 0 } }

/** A span from and to ms after the start. */
function span(
  kind: TraceSpan["kind"],
  name: string,
  from: number,
  to: number,
  more: Partial<TraceSpan> = {},
): TraceSpan {
  return { kind, name, start: start + from, end: start + to, children: [], ...more }
}
/** The same without an end. */
function open(
  kind: TraceSpan["kind"],
  name: string,
  from: number,
  last: number,
  more: Partial<TraceSpan> = {},
): TraceSpan {
  return { kind, name, start: start + from, open: "running", last: start + last, children: [], ...more }
}
const call = (from: number, first: number, to: number, more: Partial<TraceSpan> = {}) =>
  span("model", "demo/tour", from, to, { firstToken: start + first, ...more })

const turn = span("turn", "build", 0, 4_000, {
  outcome: "done",
  tokens,
  cost: 0.0042,
  children: [
    span("step", "build", 0, 2_000, {
      tokens,
      cost: 0.0042,
      children: [
        call(0, 400, 1_000),
        span("tool", "bash", 1_000, 2_000, {
          error: { kind: "denied", message: "no" },
          children: [span("ask", "bash", 1_000, 1_900, { outcome: "reject" })],
        }),
      ],
    }),
    span("title", "A title", 2_000, 2_000),
    span("compaction", "automatic", 2_000, 3_000, {
      children: [span("step", "compaction", 2_000, 3_000, { children: [call(2_000, 2_500, 3_000)] })],
    }),
    span("prune", "3", 3_000, 3_000),
    span("step", "build", 3_000, 4_000, {
      children: [
        span("model", "demo/tour", 3_000, 3_200, { error: { kind: "APIError 529", message: "Overloaded" } }),
        span("retry", "attempt 2", 3_200, 3_600),
        call(3_600, 3_600, 4_000),
      ],
    }),
  ],
})

const draw = (turns: readonly TraceSpan[], width: number, color = false, number?: number) =>
  waterfall(
    { sessionID: "ses_1", turns },
    { look: { color, width }, style: styleOf(color), ...(number !== undefined && { turn: number }) },
  )
const plain = (lines: readonly string[]) => lines.map((line) => Bun.stripANSI(line))

test("in a pipe it is ASCII, a hundred columns wide", () => {
  expect(draw([turn], Infinity)).toEqual([
    "turn 1, 2026-11-22 02:14:44 UTC: done, 2 steps, 4.00 s, 2.1k in, 40 out, $0.0042",
    "                                0                   2 s",
    "step 1                          --------------------                        2.00 s  2.1k in, 40 out",
    "  demo/tour                     ....======                                  1.00 s  first 400 ms",
    "  bash                                    ##########                        1.00 s  ! denied",
    "    ask bash                              ?????????                         900 ms  reject",
    "title A title                                       |",
    "compaction, automatic                               ----------              1.00 s",
    "  summary                                           ----------              1.00 s",
    "    demo/tour                                       .....=====              1.00 s  first 500 ms",
    "cleared 3 results                                             |",
    "step 2                                                        ----------    1.00 s",
    "  demo/tour                                                   ..            200 ms  ! APIError 529",
    "  attempt 2                                                     ~~~~        400 ms",
    "  demo/tour                                                         ====    400 ms  first 0 ms",
    "",
    ". waiting for the model   = its answer   # tool   ? ask   ~ wait before a retry   > no end in the l~",
  ])
})

describe("on a terminal", () => {
  test("it has colours and blocks", () => {
    const lines = draw([turn], 80, true)
    expect(plain(lines).slice(2, 6)).toEqual([
      "step 1                    ────────────────                    2.00 s  2.1k in, …",
      "  demo/tour               ░░░█████                            1.00 s  first 400…",
      "  bash                            ▓▓▓▓▓▓▓▓                    1.00 s  ✗ denied",
      "    ask bash                      ▒▒▒▒▒▒▒                     900 ms  reject",
    ])
    expect(lines[4]).toContain("\u001b[31m▓▓▓▓▓▓▓▓\u001b[39m")
    expect(lines[4]).toContain("\u001b[31m✗ denied\u001b[39m")
  })

  test.each([240, 120, 80, 60, 40, 30, 20])("no line is wider than %d columns", (width) => {
    const long = { ...turn, children: [...turn.children, span("tool", "標".repeat(100), 0, 4_000)] }
    for (const color of [true, false])
      for (const line of draw([long, turn], width, color))
        expect([line, Bun.stringWidth(line) <= width]).toEqual([line, true])
  })

  test("where there is little room, the bars stay", () => {
    expect(draw([turn], 20).slice(2, 5)).toEqual(["step 1    -----", "  demo/~  .==", "  bash      ###"])
  })
})

test("what has no end is open, and says how", () => {
  const running = open("turn", "build", 0, 2_000, {
    children: [
      open("step", "build", 0, 2_000, { children: [call(0, 500, 1_000), open("tool", "bash", 1_000, 2_000)] }),
    ],
  })
  expect(draw([running], Infinity).slice(0, 5)).toEqual([
    "turn 1, 2026-11-22 02:14:44 UTC: running, 1 step, 2.00 s",
    "                                0                   1 s",
    "step 1                          --------------------------------------->    2.00 s  running",
    "  demo/tour                     ..........==========                        1.00 s  first 500 ms",
    "  bash                                              ###################>    1.00 s  running",
  ])
  const cut = open("turn", "build", 0, 2_000, { open: "cut_off", outcome: "interrupted_by_restart" })
  expect(draw([cut], Infinity)[0]).toContain("cut off, nobody knows when, 0 steps")
})

test("texts of a model cannot reach the terminal", () => {
  const hostile = span("tool", "ba\u001b]52;c;x\u0007sh\n", 0, 1)
  const error = { kind: "x\u001b[2J", message: "m\u001b[2J\nm" }
  const lines = draw([{ ...turn, error, children: [{ ...hostile, error }] }], 100, true)
  for (const line of lines) expect(Bun.stripANSI(line)).not.toMatch(/[\u0000-\u001f]/)
  expect(plain(lines)).toContain("m␛[2J m")
})

describe("a long session stays short", () => {
  const step = (index: number, more: Partial<TraceSpan> = {}) =>
    span("step", "build", index * 100, index * 100 + 90, {
      tokens,
      children: [
        call(index * 100, index * 100 + 10, index * 100 + 50),
        span("tool", "bash", index * 100 + 50, index * 100 + 90),
      ],
      ...more,
    })

  test("of a thousand steps the middle is summed up, except what failed, is open or took long", () => {
    const children = Array.from({ length: 1_000 }, (_, index) => step(index))
    const failed = span("tool", "edit", 50_050, 50_060, { error: { kind: "not_found", message: "" } })
    children[500] = step(500, { children: [failed] })
    children[600] = span("step", "build", 60_000, 66_000)
    children[700] = step(700, { error: { kind: "UnknownError", message: "" } })
    const lines = draw([span("turn", "build", 0, 100_000, { children })], Infinity)
    expect(lines.length).toBeLessThan(120)
    const labels = lines.map((line) => line.slice(0, 30).trim())
    for (const name of ["step 1", "step 6", "step 501", "step 601", "step 701", "step 991", "step 1000"])
      expect(labels).toContain(name)
    expect(labels).not.toContain("step 502")
    const steps = labels.flatMap((label) => /^\((\d+) steps\)$/.exec(label)?.[1] ?? (/^step \d/.test(label) ? 1 : 0))
    expect(steps.reduce((sum: number, count) => sum + Number(count), 0)).toBe(1_000)
    expect(lines.find((line) => line.startsWith("(99 steps)"))).toMatch(/:+ +8\.91 s$/)
  })

  test("a run says how many failed in it", () => {
    const children = Array.from({ length: 100 }, (_, index) =>
      step(index, index % 2 ? { error: { kind: "UnknownError", message: "" } } : {}),
    )
    const lines = draw([span("turn", "build", 0, 10_000, { children })], Infinity)
    expect(lines.join("\n")).toMatch(/\(\d+ steps\) .*! \d+ failed/)
  })

  test("a thousand calls of a step are bounded too, and asks in them left out before rows are", () => {
    const asked = (at: number) =>
      span("tool", "bash", at, at + 1, {
        children: Array.from({ length: 40 }, (_, index) => span("ask", `p${index}`, at, at + 1)),
      })
    const steps = Array.from({ length: 30 }, (_, index) =>
      span("step", "build", index * 100, index * 100 + 99, {
        children: Array.from({ length: 1_000 }, (__, at) => asked(index * 100 + at / 10)),
      }),
    )
    const lines = draw([span("turn", "build", 0, 3_000, { children: steps })], Infinity)
    expect(lines.length).toBeLessThan(420)
    expect(lines.filter((line) => line.startsWith("step "))).toHaveLength(30)
    expect(lines.join("\n")).toMatch(/\d+ rows more below these: --format json/)
  })

  test("of many turns the older ones are a line each, and the oldest one line", () => {
    const turns = Array.from({ length: 100 }, () => turn)
    const lines = draw(turns, Infinity)
    expect(lines.length).toBeLessThan(260)
    expect(lines[0]).toMatch(/^turns 1-\d+: \d+ steps, .* in, .* out, \$/)
    expect(lines.filter((line) => /^turn \d+: done, 2 steps, 4\.00 s/.test(line))).toHaveLength(30)
    expect(lines.filter((line) => /^turn \d+, 2026/.test(line)).at(-1)).toStartWith("turn 100,")
    expect(lines.at(-1)).toBe("One of the older turns: cairn debug trace ses_1 --turn N")
    expect(draw(turns, Infinity, false, 3)[0]).toStartWith("turn 3, 2026")
    expect(draw(turns, Infinity, false, 101)).toEqual([])
  })

  test("the last turn is drawn however large it is", () => {
    const large = span("turn", "build", 0, 100_000, {
      children: Array.from({ length: 1_000 }, (_, index) => step(index)),
    })
    const lines = draw([large, large, large], Infinity)
    expect(lines.filter((line) => /^turn \d+, 2026/.test(line)).at(-1)).toStartWith("turn 3,")
  })
})

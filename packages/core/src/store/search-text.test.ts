import { describe, expect, test } from "bun:test"
import type { Part } from "@cairn/schema/part"
import fc from "fast-check"
import { textPart } from "../../test/store/events.ts"
import { completed, toolPart } from "../../test/store/search.ts"
import { fold, piecesIn, piecesOf, searchableIn, tokensOf, wordsOf } from "./search-text.ts"

describe("what of a part can be found", () => {
  const text = textPart("ses_1", "msg_1", "prt_1", "words")
  const reasoning = (time: { start: number; end?: number }): Part => ({ ...text, type: "reasoning", time })

  test("a text that is whole, and not while it is written", () => {
    expect(searchableIn(text)).toEqual({ column: "said", text: "words" })
    expect(searchableIn({ ...text, time: { start: 1, end: 2 } })).toEqual({ column: "said", text: "words" })
    expect(searchableIn({ ...text, time: { start: 1 } })).toBeUndefined()
    expect(searchableIn(reasoning({ start: 1, end: 2 }))).toEqual({ column: "thought", text: "words" })
    expect(searchableIn(reasoning({ start: 1 }))).toBeUndefined()
  })

  test("of a call its title, the values of its input, and what came of it", () => {
    const input = { path: "src/a.ts", lines: [1, { deep: "two" }], all: true, none: null }
    const done = toolPart("prt_1", completed("the output", { input, title: "Read a.ts" }))
    expect(searchableIn(done)).toEqual({ column: "done", text: "Read a.ts\nsrc/a.ts\n1\ntwo\nthe output" })
    const failed = toolPart("prt_1", { status: "error", input, error: "no such file", time: { start: 1, end: 2 } })
    expect(searchableIn(failed)?.text).toBe("src/a.ts\n1\ntwo\nno such file")
    expect(searchableIn(toolPart("prt_1", { status: "pending", input, raw: "" }))).toBeUndefined()
    expect(searchableIn(toolPart("prt_1", { status: "running", input, time: { start: 1 } }))).toBeUndefined()
  })

  test("nothing of parts that keep the books", () => {
    expect(searchableIn({ ...text, type: "step-start" })).toBeUndefined()
  })

  test("an input as deep as a model likes, and no more than a million characters", () => {
    let deep: Record<string, unknown> = { at: "the bottom" }
    for (let n = 0; n < 200_000; n++) deep = { deep }
    expect(searchableIn(toolPart("prt_1", completed("", { input: deep })))?.text).toBe("\nthe bottom\n")
    expect(searchableIn({ ...text, text: "x".repeat(1_000_005) })?.text).toHaveLength(1_000_000)
  })
})

describe("words", () => {
  test.each([
    ["snake_case and some.path/file.ts", ["snake", "case", "and", "some", "path", "file", "ts"]],
    ["Crème BRÛLÉE, naïve", ["creme", "brulee", "naive"]],
    ["cafe\u0301", ["cafe"]],
    ["ＦＵＬＬ　ｗｉｄｔｈ ﬁne", ["full", "width", "fine"]],
    ["设定config文件", ["设", "定", "config", "文", "件"]],
    ["ｱﾙﾌｧ", ["ア", "ル", "フ", "ァ"]],
    ["한국어를", ["한", "국", "어", "를"]],
    ["Ёлка и ёлка", ["елка", "и", "елка"]],
    ["— “quoted” … → ✓ ☕", ["quoted"]],
    ["\u0000\ud800 lone", ["lone"]],
    ["", []],
  ])("%p", (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test("the places of words are where they stand", () => {
    const text = "größer 设定: naïve_x"
    const found = [...tokensOf(text)].map(({ words, start, end }) => [text.slice(start, end), ...words])
    expect(found).toEqual([
      ["größer", "großer"],
      ["设", "设"],
      ["定", "定"],
      ["naïve", "naive"],
      ["x", "x"],
    ])
  })

  test("signs among ASCII are left alone, so that most texts are not copied", () => {
    const text = "plain — “signs” … → └─ ✓ · §"
    expect(fold(text)).toBe(text)
  })

  // Signs that stand for letters (™, ㈱) are words when they are folded, and are not looked for one by one.
  test("taken one by one or all at once, they are the same", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom(..."aZ9_é ü设定 가か—".split("")) }),
    )
    fc.assert(
      fc.property(text, (drawn) => {
        const sample = drawn.replaceAll(/\p{S}/gu, "")
        const singly = [...tokensOf(sample)].flatMap((token) => [...token.words])
        expect(singly.join(" ")).toBe(wordsOf(sample).join(" "))
      }),
      { seed: 2_026, numRuns: process.env["CAIRN_TEST_LONG"] ? 5_000 : 500 },
    )
  })
})

describe("compound names", () => {
  test.each([
    ["parseHTTPHeader", "parse HTTP Header"],
    ["XMLHttpRequest", "XML Http Request"],
    ["utf8Decode", "utf8 Decode"],
    ["word", undefined],
    ["Word", undefined],
    ["WORD", undefined],
    [`${"a".repeat(60)}${"B".repeat(60)}`, undefined],
  ])("%s", (name, pieces) => {
    expect(piecesOf(name)).toBe(pieces)
  })

  test("are found in a text, each once", () => {
    expect(piecesIn("const fooBar = parseConfig(fooBar.quxQuux), plain, SHOUT, x9Y")).toBe(
      "foo Bar\nparse Config\nqux Quux\nx9 Y",
    )
    expect(piecesIn("")).toBe("")
    expect(piecesIn("fooBar")).toBe("foo Bar")
  })

  test("are exactly those words of a text that have pieces", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aAbB1 _") }), (text) => {
        const names = text.split(/[ _]+/).filter((name) => piecesOf(name) !== undefined)
        expect(piecesIn(text)).toBe([...new Set(names)].map(piecesOf).join("\n"))
      }),
      { seed: 2_026, numRuns: process.env["CAIRN_TEST_LONG"] ? 5_000 : 1_000 },
    )
  })
})

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { drawnWidths } from "../../terminal/drawn-widths.ts"
import { asciiGlyphs, type Drawing, unicodeGlyphs } from "./drawing.ts"
import { flowLines } from "./flow.ts"
import { MarkdownText } from "./markdown.ts"
import type { Block } from "./read-blocks.ts"
import { plainText } from "./span.ts"

const widths = drawnWidths("unicode")
const drawing: Drawing = { widths, glyphs: unicodeGlyphs }

function rows(blocks: readonly Block[], width = 60): string[] {
  return blocks.flatMap((block) => [
    ...(block.gap === 1 ? [""] : []),
    ...flowLines(block.flows, width, drawing).map((line) => plainText(line.spans).trimEnd()),
  ])
}

const draw = (text: string, width?: number) => rows(new MarkdownText(unicodeGlyphs).update(text), width)

test("paragraphs, headings and rules", () => {
  expect(draw("# Title\nText right\nbehind it.\n\n***\n\nLast\n")).toEqual([
    ...["Title", "", "Text right", "behind it.", "", "─".repeat(40), "", "Last"],
  ])
})

test("lists: marks, numbers, nesting, boxes, and empty lines only where they were written", () => {
  const text =
    "- one\n- two\n  - inner\n\n    more of it\n- [x] done\n- [ ] open\n\n3. three\n1. four\n\n   still four\n\n9. five\n"
  expect(draw(text)).toEqual([
    ...["• one", "• two", "  • inner", "", "    more of it", "• [x] done", "• [ ] open"],
    ...["", "3. three", "4. four", "", "   still four", "", "5. five"],
  ])
})

test("a long item hangs under its text", () => {
  expect(draw("- one two three four\n10. one two three\n", 12)).toEqual([
    ...["• one two", "  three four", "", "10. one two", "    three"],
  ])
})

test("quotes, also in lists", () => {
  expect(draw("> said\n> he\n>\n> > deeper\n\n- > in an item\n")).toEqual([
    ...["│ said", "│ he", "│", "│ │ deeper", "", "• │ in an item"],
  ])
})

test("code keeps its shape; a line that is too long goes on", () => {
  expect(draw("```ts\nif (a) {\n\tb()\n}\n\n```\n\n    indented\n", 10)).toEqual([
    ...["  if (a) {", "      b()", "  }", "", "", "  indented"],
  ])
})

describe("tables", () => {
  const table = "| Name | What it does | N |\n|:--|:-:|--:|\n| a | first | 1 |\n| bb | second thing | 22 |\n"

  test("as columns", () => {
    expect(draw(table)).toEqual([
      ...[
        "Name │ What it does │  N",
        "─────┼──────────────┼───",
        "a    │    first     │  1",
        "bb   │ second thing │ 22",
      ],
    ])
  })

  test("with wrapped cells where there is less room", () => {
    expect(draw(table, 20)).toEqual([
      ...[
        "Name │ What it  │  N",
        "     │   does   │",
        "─────┼──────────┼───",
        "a    │  first   │  1",
        "bb   │ second   │ 22",
        "     │  thing   │",
      ],
    ])
  })

  test("as records where there is none", () => {
    expect(draw(table, 14)).toEqual([
      ...["Name: a", "What it does:", "  first", "N: 1", "", "Name: bb", "What it does:", "  second thing", "N: 22"],
    ])
  })
})

test("looks of words", () => {
  const [block] = new MarkdownText(unicodeGlyphs).update("a **b *c*** ~~d~~ `e` &lt;&#65;&bogus; \\* <b>f</b>")
  const spans = flowLines(block!.flows, 80, drawing)[0]!.spans.map(({ text, style }) => [text as string, style])
  expect(spans).toEqual([
    ["a ", undefined],
    ["b ", { bold: true }],
    ["c", { bold: true, italic: true }],
    [" ", undefined],
    ["d", { strike: true }],
    [" ", undefined],
    ["e", { tone: "code" }],
    [" ", undefined],
    ["<", undefined],
    ["A", undefined],
    ["&bogus; ", undefined],
    ["*", undefined],
    [" ", undefined],
    ["<b>", undefined],
    ["f", undefined],
    ["</b>", undefined],
  ])
})

describe("links", () => {
  test.each([
    ["[text](https://a.b/c)", "text (https://a.b/c)"],
    ["https://a.b/c", "https://a.b/c"],
    ["[https://good.example](https://evil.example)", "https://good.example (https://evil.example)"],
    ["[click](javascript:alert(1))", "click (javascript:alert(1))"],
    ["![a cat](cat.png)", "image: a cat (cat.png)"],
    ["[ref][1]\n\n[1]: https://a.b", "[ref][1]\n\n[1]: https://a.b"],
  ])("%s shows where it leads", (text, expected) => {
    expect(draw(text).join("\n")).toBe(expected)
  })

  test("only what can be opened looks like a link", () => {
    const tone = (text: string) => new MarkdownText(unicodeGlyphs).update(text)[0]!.flows
    expect(JSON.stringify(tone("[a](https://x)"))).toContain("link")
    expect(JSON.stringify(tone("[a](javascript:x)"))).not.toContain("link")
  })
})

test("an entity is no way to a control character", () => {
  expect(draw("a&#27;[31m&#x1b;&#x202e;&#8203;b").join("")).toBe("a&#27;[31m&#x1b;&#x202e;&#8203;b")
})

test("without glyphs of its own it is ASCII", () => {
  const blocks = new MarkdownText(asciiGlyphs).update("- a\n\n> b\n\n---\n\n|a|b|\n|-|-|\n|1|2|\n")
  const ascii = { widths, glyphs: asciiGlyphs }
  const text = blocks
    .flatMap((block) => flowLines(block.flows, 20, ascii).map((line) => plainText(line.spans)))
    .join("\n")
  expect(text).toMatch(/^[\x20-\x7e\n]*$/)
})

const piece = fc.constantFrom(
  ...[
    "a",
    "word ",
    "**b**",
    "`c`",
    "\n",
    "\n\n",
    "\n\n\n",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "  ",
    "    ",
    "> ",
    "# ",
    "```\n",
    "```ts\n",
    "~~~\n",
  ],
  ...[
    "|",
    "a|b\n",
    "-|-\n",
    "---\n",
    "===\n",
    "<div>\n",
    "</div>\n",
    "<!-- ",
    " -->",
    "[x]: http://y\n",
    "[x]",
    "\t",
    "世",
    "\\",
    "\r\n",
    "\x1b[1m",
  ],
)
const source = fc.array(piece, { maxLength: 60 }).map((list) => list.join(""))

/** What a block is, without what only reading needs. */
const essence = (blocks: readonly Block[]) =>
  blocks.map(({ from, to, source: text, gap, flows }) => ({ from, to, text, gap, flows }))

test("whatever the pieces in which a text came, its blocks are those of the whole", () => {
  fc.assert(
    fc.property(source, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (text, sizes) => {
      const growing = new MarkdownText(unicodeGlyphs)
      let end = 0
      for (let at = 0; end < text.length; at++) {
        end += sizes[at % sizes.length] ?? 1
        growing.update(text.slice(0, end))
      }
      const whole = new MarkdownText(unicodeGlyphs)
      expect(essence(growing.blocks)).toEqual(essence(whole.update(text)))
    }),
    { numRuns: 1_500 },
  )
})

test("rows are never wider than the screen, places in the source are true, and no line is lost", () => {
  fc.assert(
    fc.property(source, fc.integer({ min: 8, max: 40 }), (text, width) => {
      const blocks = new MarkdownText(unicodeGlyphs).update(text)
      let line = 0
      for (const block of blocks) {
        expect(block.from).toBeGreaterThanOrEqual(line)
        line = block.to
        for (const row of flowLines(block.flows, width, drawing)) {
          expect(widths.of(plainText(row.spans))).toBe(row.width)
          if (!block.source.includes(">")) expect(row.width).toBeLessThanOrEqual(width)
          for (const { text: drawn, at, length } of row.spans) {
            if (at !== undefined && length === undefined) expect(block.source.slice(at, at + drawn.length)).toBe(drawn)
          }
        }
      }
    }),
    { numRuns: 1_000 },
  )
})

test("a finished block is the same object, and only the tail is read again", () => {
  const text = new MarkdownText(unicodeGlyphs)
  const lines = Array.from({ length: 2_000 }, (_, at) => `- item ${at}\n`)
  let whole = ""
  let first: Block | undefined
  let most = 0
  for (const line of lines) {
    whole += line
    const blocks = text.update(whole)
    first ??= blocks[0]
    expect(blocks[0]!.source).toBe(first!.source)
    most = Math.max(most, text.unfinished)
  }
  expect(text.blocks).toHaveLength(2_000)
  expect(most).toBeLessThan(40)
  expect(text.update(`${whole}more`)[7]).toBe(text.blocks[7]!)
})

test("a fence of thousands of lines is read in pieces, and has its colours across them", () => {
  const text = new MarkdownText(unicodeGlyphs)
  let whole = "```ts\n/* a comment\n"
  let most = 0
  for (let at = 0; at < 500; at++) {
    whole += `line ${at} of it\n`
    text.update(whole)
    most = Math.max(most, text.unfinished)
  }
  text.update(`${whole}*/ const a = 1\n\`\`\`\nafter`)
  expect(most).toBeLessThan(50 * 20)
  expect(text.blocks.length).toBe(14)
  expect(text.blocks.slice(1, 13).every(({ gap }) => gap === 0)).toBe(true)
  expect(JSON.stringify(text.blocks[6]!.flows)).toContain("comment")
  expect(text.blocks[12]!.source).toEndWith("```")
  expect(rows(text.blocks).at(-1)).toBe("after")
  expect(rows(text.blocks)).toHaveLength(504)
})

test("a text that is another one starts anew", () => {
  const text = new MarkdownText(unicodeGlyphs)
  text.update("one\n\ntwo\n\nthree")
  expect(rows(text.update("four"))).toEqual(["four"])
  expect(rows(text.update(""))).toEqual([])
  expect(text.update("")).toBe(text.blocks)
})

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { styleOf } from "../terminal/look.ts"
import { createMarkdownStream } from "./markdown-stream.ts"

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`

function draw(pieces: readonly string[], color = true): string {
  const stream = createMarkdownStream(styleOf(color))
  return pieces.map((piece) => stream.push(piece)).join("") + stream.flush()
}
const one = (text: string) => draw([text])

test("headings are bold", () => {
  expect(one("# Title\ntext\n### Part\n")).toBe(`${bold("Title")}\ntext\n${bold("Part")}\n`)
})

test("bullets are dots, at any depth; numbers stay", () => {
  expect(one("- a\n  * b\n+ c\n1. d\n")).toBe("• a\n  • b\n• c\n1. d\n")
})

test("quotes have a bar", () => {
  expect(one("> said\n")).toBe(`${dim("│ ")}said\n`)
})

test("fences are dim, code is indented and left as it is", () => {
  expect(one("```ts\n# no heading\n- no bullet\n\n  x\n```\n- b\n")).toBe(
    `${dim("```ts")}\n  # no heading\n  - no bullet\n\n    x\n${dim("```")}\n• b\n`,
  )
})

test("a fence ends with its own marks, at least as many", () => {
  expect(one("````\n```\n~~~\n````\n# T")).toBe(`${dim("````")}\n  \`\`\`\n  ~~~\n${dim("````")}\n${bold("T")}`)
})

test("code that is not closed keeps what it had", () => {
  expect(one("```\ncode")).toBe(`${dim("```")}\n  code`)
})

describe("what only looks like it stays as it is", () => {
  test.each([
    "#hashtag",
    "#",
    "####### seven",
    "---",
    "***",
    "* * *",
    "**bold** text",
    "-5 degrees",
    "- ",
    "`code` first",
    "```x``` inline",
    "~5",
    "a # b",
    "    - ",
    "",
    "\n\n",
    " \n",
  ])("%j", (text) => {
    expect(one(text)).toBe(text)
  })
})

describe("in pieces", () => {
  test("text appears at once", () => {
    const stream = createMarkdownStream(styleOf(true))
    expect(stream.push("Hel")).toBe("Hel")
    expect(stream.push("lo\n# T")).toBe(`lo\n${bold("T")}`)
    expect(stream.push("itle")).toBe(bold("itle"))
  })

  test("the beginning of a line waits until it is known", () => {
    const stream = createMarkdownStream(styleOf(true))
    expect(stream.push("#")).toBe("")
    expect(stream.push(" ")).toBe("")
    expect(stream.push("T")).toBe(bold("T"))
    expect(stream.push("\n``")).toBe("\n")
    expect(stream.push("`sh\n")).toBe(`${dim("```sh")}\n`)
  })

  test("a line of nothing but signs is not held for ever", () => {
    const stream = createMarkdownStream(styleOf(true))
    expect(stream.push(" ".repeat(10_000)).length).toBe(10_000)
    expect(stream.push("`".repeat(10_000)).length).toBeGreaterThanOrEqual(10_000)
  })

  const line = fc.oneof(
    fc.constantFrom("# T", "## ", "- a", "* b", "```", "```ts", "~~~", "> q", "", "  ", "---", "1. x", "`a` b", "#"),
    fc.string({ maxLength: 8 }),
  )
  const document = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"))

  test("it does not matter where the pieces end", () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        const places = [...new Set([0, text.length, ...cuts.map((cut) => cut % (text.length + 1))])].sort(
          (a, b) => a - b,
        )
        const pieces = places.slice(1).map((place, index) => text.slice(places[index], place))
        expect(draw(pieces, false)).toBe(draw([text], false))
      }),
    )
  })

  test("no word is lost, and no colour runs into the next line", () => {
    fc.assert(
      fc.property(document, (text) => {
        const drawn = one(text)
        const letters = (value: string) => Bun.stripANSI(value).replaceAll(/[^\p{L}\p{N}]/gu, "")
        expect(letters(drawn)).toBe(letters(text))
        for (const each of drawn.split("\n")) {
          const [opened, closed] = [each.match(/\u001b\[[12]m/g), each.match(/\u001b\[22m/g)]
          expect(opened?.length ?? 0).toBe(closed?.length ?? 0)
        }
      }),
    )
  })
})

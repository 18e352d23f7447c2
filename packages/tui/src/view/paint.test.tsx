import { expect, test } from "bun:test"
import { TextAttributes } from "@opentui/core"
import { draw, widths } from "../../test/draw.tsx"
import { unicodeGlyphs } from "../row/text/drawing.ts"
import { flowLines } from "../row/text/flow.ts"
import { MarkdownText } from "../row/text/markdown.ts"
import { sanitize, ui } from "../terminal/sanitize.ts"
import { resolveTheme } from "../theme/resolve.ts"
import { builtInTheme } from "../theme/themes.ts"
import { createPainter } from "./paint.ts"
import { Rows } from "./rows.tsx"

const painter = (depth: "truecolor" | "16" | "none") =>
  createPainter(resolveTheme(builtInTheme("cairn")!, { mode: "dark", depth }))

test("a style is looked up once", () => {
  const own = painter("truecolor")
  expect(own.look({ tone: "error", bold: true })).toBe(own.look({ bold: true, tone: "error" }))
  expect(own.look({ tone: "error" })).not.toBe(own.look({ tone: "ok" }))
})

test("colours by depth: a value, a place of the palette, or none but an attribute", () => {
  expect(painter("truecolor").look({ tone: "error" }).fg.toInts().slice(0, 3)).toEqual([229, 116, 107])
  const indexed = painter("16").look({ tone: "error" }).fg
  expect([indexed.intent, indexed.slot]).toEqual(["indexed", 1])
  const plain = painter("none").look({ tone: "error" })
  expect([plain.fg.intent, plain.attributes]).toEqual(["default", TextAttributes.BOLD])
  expect(painter("none").look({ ground: "selection" }).attributes).toBe(TextAttributes.INVERSE)
})

test("a program's own colours win over the tone", () => {
  const look = painter("truecolor").look({
    tone: "muted",
    ansi: { fg: 208, bg: "#010203" },
    strike: true,
    underline: true,
  })
  expect([look.fg.slot, look.bg?.toInts().slice(0, 3)]).toEqual([208, [1, 2, 3]])
  expect(look.attributes).toBe(TextAttributes.STRIKETHROUGH | TextAttributes.UNDERLINE)
})

test("what is drawn is what was laid out: nothing is wrapped again, whatever the characters", async () => {
  const text = "# Über 世界\n\n- 👨‍👩‍👧‍👦 family and e\u0301 and more words to wrap\n\n| a | b |\n|---|---|\n| 한국 | 🇩🇪 |\n"
  const lines = new MarkdownText(unicodeGlyphs)
    .update(text)
    .flatMap((block) => flowLines(block.flows, 24, { widths, glyphs: unicodeGlyphs }))
  using screen = await draw(() => <Rows lines={lines} />, { width: 24, height: 10 })
  expect(await screen.frame()).toMatchSnapshot()
  expect(lines.every((line) => line.width <= 24)).toBe(true)
})

test("no control character reaches the terminal from what a program wrote", async () => {
  const text = sanitize("\x1b]0;evil\x07\x1b[2Jred \x07\u202edone")
  using screen = await draw(() => <Rows lines={[{ spans: [{ text }], width: widths.of(text) }]} />, {
    width: 40,
    height: 2,
  })
  expect(await screen.frame()).toBe("red ␇⟨U+202E⟩done")
  expect(ui`${text}` as string).not.toContain("\x1b")
})

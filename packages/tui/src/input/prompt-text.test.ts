import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { sanitizeSource } from "../terminal/sanitize.ts"
import {
  type ChipContent,
  emptyPrompt,
  expanded,
  forEditor,
  fromEditor,
  opened,
  type PromptText,
  replaced,
  withChip,
} from "./prompt-text.ts"

const paste: ChipContent = { kind: "text", text: sanitizeSource("long\n\ttext") }
const file: ChipContent = { kind: "file", path: "/w/a.ts", lines: [3, 9] }
const start = withChip(
  withChip({ ...emptyPrompt, text: "see X and Y." }, 4, 5, "[pasted 2 lines]", paste),
  25,
  26,
  "@a.ts:3-9",
  file,
)

test("labels stand in the text, and what was pasted is sent in their place", () => {
  expect(start.text).toBe("see [pasted 2 lines] and @a.ts:3-9.")
  expect(expanded(start)).toEqual({ text: "see long\n\ttext and @a.ts:3-9.", attached: [file] })
})

describe("changes around chips", () => {
  test("before them, they move", () => {
    const moved = replaced(start, 0, 3, "look at")
    expect(moved.chips.map(({ from, to }) => moved.text.slice(from, to))).toEqual(["[pasted 2 lines]", "@a.ts:3-9"])
  })

  test("in one, it is gone, and the others stay", () => {
    const changed = replaced(start, 10, 11, "")
    expect(changed.chips.map(({ content }) => content)).toEqual([file])
    expect(changed.chips.map(({ from, to }) => changed.text.slice(from, to))).toEqual(["@a.ts:3-9"])
  })

  test("right beside one, it stays", () => {
    expect(replaced(start, 4, 4, "x").chips).toHaveLength(2)
    expect(replaced(start, 20, 21, "").chips).toHaveLength(2)
  })

  test("a pasted one can be opened into text", () => {
    expect(opened(start, start.chips[0]!)?.text).toBe("see long\n\ttext and @a.ts:3-9.")
    expect(opened(start, start.chips[1]!)).toBeUndefined()
  })
})

describe("an editor", () => {
  test("sees markers, and gives the chips back wherever they went", () => {
    expect(forEditor(start)).toBe("see [[1]] and [[2]].")
    const back = fromEditor("first [[2]]\nthen [[1]]\n", start)
    expect(back.text).toBe("first @a.ts:3-9\nthen [pasted 2 lines]\n")
    expect(expanded(back).text).toBe("first @a.ts:3-9\nthen long\n\ttext\n")
  })

  test("may delete them, and may write what looks like one", () => {
    expect(fromEditor("nothing", start).chips).toEqual([])
    expect(fromEditor("[[7]] [[1]] [[1]]", start).text).toBe("[[7]] [pasted 2 lines] [[1]]")
  })
})

const edit = fc.tuple(fc.nat(60), fc.nat(10), fc.string({ maxLength: 6 }), fc.boolean())

test("whatever is edited, chips are in order, apart, and on their labels", () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 15 }), (edits) => {
      let prompt: PromptText = emptyPrompt
      for (const [at, length, insert, asChip] of edits) {
        const from = Math.min(at, prompt.text.length)
        const to = Math.min(from + length, prompt.text.length)
        prompt = asChip ? withChip(prompt, from, to, `[${insert}]`, paste) : replaced(prompt, from, to, insert)
        let end = 0
        for (const chip of prompt.chips) {
          expect(chip.from).toBeGreaterThanOrEqual(end)
          expect(prompt.text.slice(chip.from, chip.to)).toMatch(/^\[[^]*\]$/)
          end = chip.to
        }
      }
      const back = fromEditor(forEditor(prompt), prompt)
      if (!prompt.text.includes("[[")) expect(back).toEqual(prompt)
    }),
    { numRuns: 500 },
  )
})

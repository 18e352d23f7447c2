import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { expandTabs, sanitize, sanitizeAnsi, sanitizeLine, sanitizeSource, ui } from "./sanitize.ts"

const show = (text: string): string => sanitize(text)

test("plain text stays as it is, in any script", () => {
  const text = "Grüße, 世界 — 👨‍👩‍👧‍👦 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 नमस्ते\n\n  a = b\u00a0c \ue0b0"
  expect(show(text)).toBe(text)
})

describe("orders of the terminal", () => {
  test.each([
    ["a colour", "\x1b[31mred\x1b[0m", "red"],
    ["the cursor", "a\x1b[2J\x1b[1;1Hb", "ab"],
    ["a private mode", "\x1b[?1049hx\x1b[?25l", "x"],
    ["a window title", "\x1b]0;evil\x07after", "after"],
    ["the clipboard", `\x1b]52;c;${"A".repeat(9_000)}\x1b\\after`, "after"],
    ["a device control", "\x1bP+q544e\x1b\\after", "after"],
    ["an application command", "\x1b_Gf=100;AAAA\x1b\\after", "after"],
    ["a private message", "\x1b^x\x1b\\after", "after"],
    ["a character set", "\x1b(0lqk\x1b(B", "lqk"],
    ["a reset", "\x1bcx", "x"],
    ["saved cursors", "\x1b7x\x1b8", "x"],
  ])("%s is dropped", (_name, text, expected) => {
    expect(show(text)).toBe(expected)
  })

  test.each([
    ["a title without an end hides nothing", "\x1b]0;evil\nnext", "␛]0;evil\nnext"],
    ["an escape alone", "a\x1b", "a␛"],
    ["half a sequence", "\x1b[12;", "␛[12;"],
    ["an escape before a character of another script", "\x1bé", "␛é"],
    ["bells, zeros and the rest", "a\x07\x00\x0b\x0c\x7f", "a␇␀␋␌␡"],
    ["the second set of controls", "\x9b31m\x85", "⟨U+009B⟩31m⟨U+0085⟩"],
  ])("%s: shown", (_name, text, expected) => {
    expect(show(text)).toBe(expected)
  })
})

describe("what cannot be seen, or changes the order", () => {
  test.each([
    ["a\u202eb", "a⟨U+202E⟩b"],
    ["a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"],
    ["a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"],
    ["hi\u{e0068}\u{e0069}", "hi⟨U+E0068⟩⟨U+E0069⟩"],
    ["\u{e0101}", "⟨U+E0101⟩"],
    ["a\u2028b", "a⟨U+2028⟩b"],
    ["\ud800x\udc00", "\ufffdx\ufffd"],
    ["\ufffe\u{1ffff}\ufdd0", "\ufffd\ufffd\ufffd"],
  ])("%j", (text, expected) => {
    expect(show(text)).toBe(expected)
  })

  test("a flag is no place to hide more than a flag", () => {
    const tags = "\u{e0061}".repeat(7)
    expect(show(`\u{1f3f4}${tags}\u{e007f}`)).toContain("⟨U+E0061⟩")
  })

  test("a letter has twenty accents and no more", () => {
    expect([...show(`a${"\u0301".repeat(5_000)}b`)]).toHaveLength(22)
  })
})

describe("lines that were written over", () => {
  test.each([
    ["a progress bar", " 10%\r 50%\r100%\ndone", "100%\ndone"],
    ["a shorter word over a longer one", "downloading\rdone", "doneloading"],
    ["erased first", "downloading\r\x1b[Kdone", "done"],
    ["erased as a whole", "downloading\x1b[2K\rdone", "done"],
    ["erased to the start", "abcdef\r\x1b[3C\x1b[1K", " bcdef"],
    ["a spinner", "|\b/\b-\b\\", "\\"],
    ["line ends of Windows", "a\r\nb\r\r\nc", "a\nb\nc"],
    ["back over the start", "a\b\b\b\bz", "z"],
    ["bold by overprinting", "N\bNA\bA", "NA"],
    ["a family is one character", "👨‍👩‍👧‍👦x\r.", ".x"],
  ])("%s", (_name, text, expected) => {
    expect(show(text)).toBe(expected)
  })
})

test("tabs go to the next of every four columns", () => {
  expect(show("\tx\nab\ty\nabcd\tz\n世\t.")).toBe("    x\nab  y\nabcd    z\n世  .")
})

describe("long lines", () => {
  test("are cut where 4,000 columns end, and the rest is counted", () => {
    const shown = show(`first\n${"x".repeat(1_204_000)}\nlast`).split("\n")
    expect(shown[0]).toBe("first")
    expect(shown[1]).toBe(`${"x".repeat(3_960)}… 1.2 MB more`)
    expect(shown[2]).toBe("last")
  })

  test("of wide characters are cut in columns, not in the middle of one", () => {
    const shown = show("世".repeat(2_500))
    expect(shown).toBe(`${"世".repeat(1_980)}… 1.6 kB more`)
  })

  test("that fit stay", () => {
    expect(show("y".repeat(4_000))).toBe("y".repeat(4_000))
  })
})

test("a source keeps its tabs and its lines, and nothing else that is special", () => {
  const source = sanitizeSource("\ta\x1b[1m\tb\r\nc\rd\n\u202e\n")
  expect(source as string).toBe("\ta\tb\nd\n⟨U+202E⟩\n")
  expect(expandTabs(sanitizeSource("\ta\t世\tb")) as string).toBe("    a   世  b")
  expect(sanitizeSource("if:\n\tmake\n") as string).toBe("if:\n\tmake\n")
})

test("on one line, line ends become spaces", () => {
  expect(sanitizeLine("one\n  two\r\nthree\x1b]0;x\x07") as string).toBe("one two three")
})

test("our own words take numbers and what is safe", () => {
  expect(ui`${3} more lines of ${sanitize("\x1b[1ma")}` as string).toBe("3 more lines of a")
})

describe("the colours of a program", () => {
  test("are kept as styles, over line ends", () => {
    expect(sanitizeAnsi("a\x1b[1;31mred\nstill\x1b[22m\x1b[39m.")).toEqual([
      [{ text: "a" }, { text: "red", style: { bold: true, fg: 1 } }],
      [{ text: "still", style: { bold: true, fg: 1 } }, { text: "." }],
    ] as never)
  })

  test.each([
    ["\x1b[38;5;208;48;2;1;2;3mx", { fg: 208, bg: "#010203" }],
    ["\x1b[38:2:10:20:30mx", { fg: "#0a141e" }],
    ["\x1b[91;104mx", { fg: 9, bg: 12 }],
    ["\x1b[3;4;7;9;2mx", { italic: true, underline: true, inverse: true, strike: true, dim: true }],
    ["\x1b[38;5;999;1mx", { bold: true }],
    ["\x1b[38;2;1;2mx", undefined],
    ["\x1b[1m\x1b[mx", undefined],
    ["\x1b[1m\x1b[0mx", undefined],
    ["\x1b[31;22;23;24;27;29;39;49mx", undefined],
  ])("%j", (text, style) => {
    const [line] = sanitizeAnsi(text)
    expect(line?.at(-1)).toEqual((style === undefined ? { text: "x" } : { text: "x", style }) as never)
  })

  test("survive what is written over them", () => {
    const line = sanitizeAnsi("\x1b[32m####\x1b[0m....\r\x1b[31m##\x1b[0m")[0]
    expect(line).toEqual([
      { text: "##", style: { fg: 1 } },
      { text: "##", style: { fg: 2 } },
      { text: "...." },
    ] as never)
  })
})

const nasty = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme-composite" }),
    fc.constantFrom("\x1b", "\x1b[", "\x1b]", "\x1b[31m", "\x1b]0;", "\x07", "\x1b\\", "\x9b", "\r", "\n", "\b", "\t"),
    fc.constantFrom(
      "\x1b[K",
      "\x1b[1K",
      "\x1b[2K",
      "\u{e0041}",
      "\u{1f3f4}",
      "\u{e007f}",
      "\u202e",
      "\ud83d",
      "\ude00",
    ),
  ),
)

test("whatever comes, nothing is left that a terminal obeys, and doing it twice changes nothing", () => {
  fc.assert(
    fc.property(nasty, (pieces) => {
      const text = pieces.join("")
      const once = show(text)
      expect(once).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u)
      expect(show(once)).toBe(once)
      const source = sanitizeSource(text)
      expect(source.split("\n").length).toBe(text.split("\n").length)
      expect(source.replaceAll("\t", "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
      for (const span of sanitizeAnsi(text).flat()) expect(span.text as string).not.toMatch(/[\u0000-\u001f\u007f]/)
    }),
    { numRuns: 2_000 },
  )
})

test("a text of 2 MB with colours on every line takes its length, not its square", () => {
  const line = `${"\x1b[32mok\x1b[0m\t".repeat(8)}\n`
  const lines = sanitizeAnsi(line.repeat(20_000))
  expect(lines).toHaveLength(20_001)
})

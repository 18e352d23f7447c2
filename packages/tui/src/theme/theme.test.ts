import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Ink, nearest256, parseHex, type Rgb, rgbOf256 } from "./colour.ts"
import { contrast, isDark, lifted } from "./contrast.ts"
import { modeOf, type Palette, resolveTheme } from "./resolve.ts"
import { grounds, type Mode, parseTheme, type Theme, type Token, tokenNames } from "./theme.ts"
import { builtInTheme, themeNames } from "./themes.ts"

const modes: readonly Mode[] = ["dark", "light"]
const terminals: Readonly<Record<Mode, readonly Rgb[]>> = {
  dark: [
    [0, 0, 0],
    [30, 30, 30],
    [0, 43, 54],
    [40, 44, 52],
  ],
  light: [
    [255, 255, 255],
    [253, 246, 227],
    [239, 241, 245],
  ],
}

function rgb(ink: Ink): Rgb | undefined {
  if (ink === "default") return undefined
  if ("rgb" in ink) return ink.rgb
  return ink.index >= 16 ? rgbOf256(ink.index) : undefined
}

const isText = (token: Token) => token !== "border" && !grounds.some((ground) => ground === token)
const pairs: Partial<Record<Token, Token>> = {
  selectionText: "selection",
  diffAdded: "diffAddedBg",
  diffRemoved: "diffRemovedBg",
}

/** The worst contrast of text in a palette on a terminal's background, with its token. */
function worst(palette: Palette, background: Rgb): [number, Token] {
  const found = tokenNames.filter(isText).flatMap((token): [number, Token][] => {
    const colour = rgb(palette[token].ink)
    if (colour === undefined) return []
    const own = pairs[token]
    const behind = own === undefined ? (["background", "panel"] as const) : ([own] as const)
    return behind.map((ground) => [contrast(colour, rgb(palette[ground].ink) ?? background), token])
  })
  return found.toSorted((a, b) => a[0] - b[0])[0] ?? [21, "text"]
}

test("twelve themes, each of which is one", () => {
  expect(themeNames).toHaveLength(12)
  for (const name of themeNames) expect(builtInTheme(name)?.name).toBe(name)
  expect(builtInTheme("constructor")).toBeUndefined()
})

describe.each([...themeNames])("%s", (name) => {
  const theme = builtInTheme(name) as Theme
  test.each(["truecolor", "256"] as const)("can be read in both modes, on every terminal (%s)", (depth) => {
    for (const mode of modes) {
      for (const background of terminals[mode]) {
        const [ratio, token] = worst(resolveTheme(theme, { mode, depth, background }), background)
        expect([token, mode, Math.round(ratio * 10) / 10 >= 4.5]).toEqual([token, mode, true])
      }
    }
  })

  test("in sixteen colours added is green and removed is red, or the terminal's own", () => {
    for (const mode of modes) {
      const palette = resolveTheme(theme, { mode, depth: "16" })
      expect<Ink[]>([{ index: 2 }, "default"]).toContainEqual(palette.diffAdded.ink)
      expect<Ink[]>([{ index: 1 }, "default"]).toContainEqual(palette.diffRemoved.ink)
      for (const token of tokenNames) {
        const { ink } = palette[token]
        expect(ink === "default" || ("index" in ink && ink.index < 16)).toBe(true)
      }
    }
  })

  test("without colours it has none", () => {
    const palette = resolveTheme(theme, { mode: "dark", depth: "none" })
    expect(tokenNames.every((token) => palette[token].ink === "default")).toBe(true)
    expect([palette.selection.inverse, palette.error.bold, palette.link.underline]).toEqual([true, true, true])
  })
})

describe("a theme file", () => {
  const base = { text: "#ffffff", primary: "blue", error: { dark: "#f00", light: "red" }, warning: 3, border: "none" }
  const defs = { blue: "#0000ff", red: "deep", deep: "#aa0000" }

  test("has colours, defs, palette numbers, none, and one for each mode", () => {
    const theme = parseTheme("mine", { defs, theme: base })
    if (!theme.ok) throw new Error(theme.error)
    const { dark, light } = theme.value
    expect([dark.accent, dark.error, light.error]).toEqual([
      { rgb: [0, 0, 255] },
      { rgb: [255, 0, 0] },
      { rgb: [170, 0, 0] },
    ])
    expect([dark.warn, dark.border, dark.muted]).toEqual([{ index: 3 }, "default", "default"])
    expect([dark.heading, dark.number]).toEqual([{ rgb: [0, 0, 255] }, { index: 3 }])
  })

  test.each([
    [{}, 'no "theme"'],
    [[], 'no "theme"'],
    [null, 'no "theme"'],
    [{ theme: { text: "nonsense" } }, "theme.text is no colour"],
    [{ theme: { text: 256 } }, "theme.text is no colour"],
    [{ theme: { text: { dark: "#fff" } } }, "theme.text is no colour"],
    [{ defs: { a: "b", b: "a" }, theme: { text: "a" } }, "theme.text is no colour"],
    [{ theme: { text: "toString" } }, "theme.text is no colour"],
  ])("%j is refused", (file, reason) => {
    expect(parseTheme("mine", file)).toEqual({ ok: false, error: expect.stringContaining(reason) })
  })
})

const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))

test("a colour is lifted as far as it has to be and no further", () => {
  fc.assert(
    fc.property(colour, colour, (text, background) => {
      const better = lifted(text, background)
      expect(contrast(better, background)).toBeGreaterThanOrEqual(4.5)
      if (contrast(text, background) >= 4.5) expect(better).toBe(text)
      else expect(contrast(better, background)).toBeLessThan(6.5)
    }),
  )
})

test("the nearest of 256 is itself, and near", () => {
  for (let index = 16; index < 256; index++) expect(rgbOf256(nearest256(rgbOf256(index)))).toEqual(rgbOf256(index))
  expect(nearest256([255, 0, 0])).toBe(196)
  expect(nearest256([118, 118, 118])).toBe(243)
})

test.each([
  ["#fff", [255, 255, 255]],
  ["#1a2B3c", [26, 43, 60]],
  ["#1a2b3cff", [26, 43, 60]],
  ["fff", undefined],
  ["#ffff", undefined],
  ["#gggggg", undefined],
] as const)("%s", (text, expected) => {
  expect(parseHex(text)).toEqual(expected as never)
})

test("the mode follows the background", () => {
  expect([modeOf([0, 0, 0]), modeOf([255, 255, 255]), modeOf([0, 43, 54]), modeOf([253, 246, 227])]).toEqual([
    ...(["dark", "light", "dark", "light"] as const),
  ])
  expect(isDark([128, 128, 128])).toBe(false)
})

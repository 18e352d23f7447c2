import { describe, expect, test } from "bun:test"
import { lookOf, styleOf } from "./look.ts"

const terminal = { isTerminal: true, columns: 100 }
const pipe = { isTerminal: false, columns: 80 }

describe("a stream", () => {
  test.each([
    ["a terminal", terminal, {}, true, true],
    ["a pipe", pipe, {}, false, false],
    ["a terminal with NO_COLOR", terminal, { NO_COLOR: "1" }, false, true],
    ["a terminal with an empty NO_COLOR", terminal, { NO_COLOR: "" }, true, true],
    ["a pipe with FORCE_COLOR", pipe, { FORCE_COLOR: "1" }, true, false],
    ["a terminal with FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false, true],
    ["both set", pipe, { FORCE_COLOR: "3", NO_COLOR: "1" }, true, false],
    ["a dumb terminal", terminal, { TERM: "dumb" }, false, false],
    ["a terminal with CAIRN_PLAIN", terminal, { CAIRN_PLAIN: "1" }, false, false],
    ["CAIRN_PLAIN over FORCE_COLOR", terminal, { CAIRN_PLAIN: "1", FORCE_COLOR: "1" }, false, false],
    ["CAIRN_PLAIN=0", terminal, { CAIRN_PLAIN: "0" }, true, true],
  ])("%s", (_name, stream, env, color, live) => {
    expect(lookOf(stream, env)).toMatchObject({ color, live })
  })

  test("has the terminal's width, and no width in a pipe", () => {
    expect(lookOf(terminal, {}).width).toBe(100)
    expect(lookOf({ isTerminal: true, columns: 3 }, {}).width).toBe(20)
    expect(lookOf(pipe, {}).width).toBe(Infinity)
  })
})

test("a style paints, or returns the text as it is", () => {
  expect(styleOf(true).bad("x")).toBe("\u001b[31mx\u001b[39m")
  expect(styleOf(true).dim("")).toBe("")
  for (const paint of Object.values(styleOf(false))) expect(paint("x")).toBe("x")
})

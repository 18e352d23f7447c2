import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { pressVim, selectionOf } from "./press.ts"
import { initialVim, type VimResult, type VimState } from "./state.ts"

const normal: VimState = { ...initialVim, mode: "normal" }

/** `|` is the cursor. Keys are divided by spaces; `"words"` are typed as they are. */
function play(start: string, keys: string, state: VimState = normal): VimResult {
  const cursor = start.indexOf("|")
  let result: VimResult = { state, buffer: { text: start.replace("|", ""), cursor } }
  for (const word of keys.match(/"[^"]*"|\S+/g) ?? []) {
    if (word.startsWith('"') && word.length > 1) {
      const typed = word.slice(1, -1)
      const { text, cursor: at } = result.buffer
      const grown = { text: text.slice(0, at) + typed + text.slice(at), cursor: at + typed.length }
      result = { ...result, buffer: grown }
    } else result = pressVim(result.state, word, result.buffer)
  }
  return result
}

function shown({ buffer: { text, cursor } }: VimResult): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

describe("motions", () => {
  test.each([
    ["|abc", "l", "a|bc"],
    ["|abc", "5 l", "ab|c"],
    ["ab|c", "h", "a|bc"],
    ["|ab\ncd", "h", "|ab\ncd"],
    ["a|b\ncd\ne", "j", "ab\nc|d\ne"],
    ["ab\nc|d\ne", "j", "ab\ncd\n|e"],
    ["ab\ncd\n|e", "2 k", "|ab\ncd\ne"],
    ["|ab", "j", "|ab"],
    ["|one two.three  four", "w", "one |two.three  four"],
    ["one |two.three  four", "2 w", "one two.|three  four"],
    ["one two.three  |four", "b", "one two.|three  four"],
    ["|one two", "e", "on|e two"],
    ["on|e two", "e", "one tw|o"],
    ["  on|e", "0", "|  one"],
    ["  on|e", "^", "  |one"],
    ["|one\ntwo", "$", "on|e\ntwo"],
    ["|one\ntwo", "2 $", "one\ntw|o"],
    ["a\n  b\n|c", "g g", "|a\n  b\nc"],
    ["|a\n  b\nc", "shift+g", "a\n  b\n|c"],
    ["|a\n  b\nc", "2 shift+g", "a\n  |b\nc"],
    ["|a,b,c", "f ,", "a|,b,c"],
    ["|a,b,c", "2 f ,", "a,b|,c"],
    ["|a,b,c", "t c", "a,b|,c"],
    ["a,b,|c", "shift+f a", "|a,b,c"],
    ["a,b,|c", "shift+t a", "a|,b,c"],
    ["|a,b,c", "f , ;", "a,b|,c"],
    ["|a,b,c", "f , ; ,", "a|,b,c"],
    ["|a,b,c", "t , ;", "a,|b,c"],
    ["|a\n,", "f ,", "|a\n,"],
    ["|世界 你好", "w", "世界 |你好"],
    ["|e\u0301👨‍👩‍👧‍👦x", "l", "e\u0301|👨‍👩‍👧‍👦x"],
    ["e\u0301👨‍👩‍👧‍👦|x", "h", "e\u0301|👨‍👩‍👧‍👦x"],
    ["|a\n\nb", "w", "a\n|\nb"],
  ])("%j, %s: %j", (start, keys, end) => {
    expect(shown(play(start, keys))).toBe(end)
  })
})

describe("operators", () => {
  test.each([
    ["|one two three", "d w", "|two three"],
    ["|one two three", "2 d w", "|three"],
    ["|one two three", "d 2 w", "|three"],
    ["one |two\nthree", "d w", "one| \nthree"],
    ["one |two", "d b", "|two"],
    ["|one two", "d e", "| two"],
    ["one t|wo", "d 0", "|wo"],
    ["one t|wo", "d $", "one |t"],
    ["one t|wo", "shift+d", "one |t"],
    ["a\n|b\nc", "d d", "a\n|c"],
    ["a\n|b", "d d", "|a"],
    ["|a\nb\nc", "2 d d", "|c"],
    ["|a\nb\nc", "d j", "|c"],
    ["a\nb\n|c", "d k", "|a"],
    ["|a", "d d", "|"],
    ["a,|b,c", "d f c", "a|,"],
    ["a,|b,c", "d t c", "a,|c"],
    ["|abc", "x", "|bc"],
    ["|abc", "2 x", "|c"],
    ["ab|c", "x", "a|b"],
    ["ab|c", "shift+x", "a|c"],
    ["|abc", "r z", "|zbc"],
    ["|abc", "2 r z", "z|zc"],
    ["|abc", "9 r z", "|abc"],
    ["|a\nb", "> >", "  |a\nb"],
    ["|  a\n  b", "2 < <", "|a\nb"],
    ["a\n|b\nc", "d g g", "|c"],
    ["a\n|b\nc", "d shift+g", "|a"],
    ["a|bc", "d escape", "a|bc"],
    ["a|bc", "d q", "a|bc"],
  ])("%j, %s: %j", (start, keys, end) => {
    expect(shown(play(start, keys))).toBe(end)
  })
})

describe("objects", () => {
  test.each([
    ["one t|wo three", "d i w", "one | three"],
    ["one t|wo three", "d a w", "one |three"],
    ["one t|wo", "d a w", "on|e"],
    ["one| two", "d i w", "one|two"],
    ['say "he|llo" now', 'd i "', 'say "|" now'],
    ['s|ay "hello" now', 'd i "', 'say "|" now'],
    ['say "a\\"|b" now', 'd a "', "say | now"],
    ["f(a, (b|), c)", "d i (", "f(a, (|), c)"],
    ["f(a, |(b), c)", "d a (", "f(a, |, c)"],
    ["f(|a, (b), c)", "d i )", "f(|)"],
    ["{ a: [|1] }", "d i {", "{|}"],
    ["a\nb|\n\nc\nd", "d i p", "|\nc\nd"],
    ["a\nb|\n\nc\nd", "d a p", "|c\nd"],
    ["no |quotes", 'd i "', "no |quotes"],
    ["no (end| here", "d i (", "no (end| here"],
  ])("%j, %s: %j", (start, keys, end) => {
    expect(shown(play(start, keys.replaceAll('"', "\u201d").replaceAll("\u201d", '"')))).toBe(end)
  })
})

describe("typing", () => {
  test.each([
    ["|one two", 'c w "x" escape', "|x two"],
    ["|one two", 'c i w "x" escape', "|x two"],
    ["one |two", 'shift+c "x" escape', "one |x"],
    ["a\n  |b\nc", 'c c "x" escape', "a\n|x\nc"],
    ["|abc", 'i "x" escape', "|xabc"],
    ["|abc", 'a "x" escape', "a|xbc"],
    ["  ab|c", 'shift+i "x" escape', "  |xabc"],
    ["|abc", 'shift+a "x" escape', "abc|x"],
    ["|a\nb", 'o "x" escape', "a\n|x\nb"],
    ["a\n|b", 'shift+o "x" escape', "a\n|x\nb"],
    ["|abc", 's "x" escape', "|xbc"],
    ["a\n|b", 'shift+s "x" escape', "a\n|x"],
    ["|", 'i "x" escape', "|x"],
  ])("%j, %s: %j", (start, keys, end) => {
    const result = play(start, keys)
    expect(shown(result)).toBe(end)
    expect(result.state.mode).toBe("normal")
  })

  test("keys are the widget's until escape", () => {
    const { state, buffer } = play("|abc", "i")
    expect(pressVim(state, "d", buffer)).toMatchObject({ passed: true, state: { mode: "insert" } })
  })
})

describe("registers", () => {
  test.each([
    ["|one two", "d w p", "tone| wo"],
    ["|one two", "y w shift+p", "one| one two"],
    ["|a\nb", "y y p", "a\n|a\nb"],
    ["|a\nb", "d d p", "b\n|a"],
    ["a\n|b", "y y shift+p", "a\n|b\nb"],
    ["|ab", "x 3 p", "baa|a"],
    ["|a b", "y i w $ p", "a b|a"],
    ["|one", "p", "|one"],
  ])("%j, %s: %j", (start, keys, end) => {
    expect(shown(play(start, keys))).toBe(end)
  })

  test("what is copied is told, for the clipboard", () => {
    expect(play("|one two", "y w").yanked).toBe("one ")
    expect(play("o|ne", "y y").yanked).toBe("one\n")
    expect(play("|one two", "d w").yanked).toBeUndefined()
  })
})

describe("again", () => {
  test.each([
    ["|a b c d", "d w . .", "|d"],
    ["|a b c", 'c w "xx" escape w .', "xx x|x c"],
    ["|abc", "x .", "|c"],
    ["|a\nb", 'shift+a "!" escape j .', "a!\nb|!"],
    ["|abcd", "r z l .", "z|zcd"],
    ["|a", ".", "|a"],
    ["|a b c d e f", "2 d w .", "|e f"],
  ])("%j, %s: %j", (start, keys, end) => {
    expect(shown(play(start, keys))).toBe(end)
  })
})

describe("visual", () => {
  test.each([
    ["|one two", "v e d", "| two"],
    ["o|ne two", "v w x", "o|wo"],
    ["a\n|b\nc", "shift+v d", "a\n|c"],
    ["|a\nb\nc", "shift+v j >", "  |a\n  b\nc"],
    ["one t|wo three", "v i w c", "one | three"],
    ["o|ne", "v l o h d", "|"],
    ["a|bc", "v escape x", "a|c"],
    ["a|bc", "v v x", "a|c"],
    ["|abc", "v $ y", "|abc"],
  ])("%j, %s: %j", (start, keys, end) => {
    expect(shown(play(start, keys))).toBe(end)
  })

  test("says what is selected", () => {
    const visual = play("a|bcd", "v l")
    expect(selectionOf(visual.state, visual.buffer)).toEqual({ from: 1, to: 3 })
    const lines = play("a\nb|b\nc", "shift+v")
    expect(selectionOf(lines.state, lines.buffer)).toEqual({ from: 2, to: 4, linewise: true })
    expect(selectionOf(normal, lines.buffer)).toBeUndefined()
  })
})

test("undo and redo are the widget's, by name", () => {
  expect(play("|a", "u").action).toBe("undo")
  expect(play("|a", "ctrl+r").action).toBe("redo")
})

test("escape with nothing to end, and keys of others, are passed", () => {
  expect(play("|a", "escape").passed).toBe(true)
  expect(play("|a", "d escape").passed).toBeUndefined()
  for (const key of ["ctrl+x", "alt+return", "return", "tab", "f2"]) expect(play("|a", key).passed).toBe(true)
})

const key = fc.constantFrom(
  ...[
    "h",
    "j",
    "k",
    "l",
    "w",
    "b",
    "e",
    "0",
    "^",
    "$",
    "g",
    "shift+g",
    "f",
    "t",
    ";",
    ",",
    "d",
    "c",
    "y",
    ">",
    "<",
    "i",
    "a",
  ],
  ...[
    "p",
    "shift+p",
    "x",
    "r",
    "o",
    "shift+o",
    "u",
    ".",
    "v",
    "shift+v",
    "escape",
    "1",
    "2",
    "9",
    "(",
    '"',
    "space",
    "shift+d",
    "s",
  ],
)

test("whatever is pressed: the cursor is in the text, between characters, and on one in normal mode", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "b ", "\n", "e\u0301", "👨‍👩‍👧‍👦", "(", ")", '"', "世"), { maxLength: 20 }),
      fc.array(key, { maxLength: 25 }),
      (pieces, keys) => {
        let result: VimResult = { state: normal, buffer: { text: pieces.join(""), cursor: 0 } }
        for (const each of keys) {
          result = pressVim(result.state, each, result.buffer)
          const { text, cursor } = result.buffer
          expect(cursor).toBeGreaterThanOrEqual(0)
          expect(cursor).toBeLessThanOrEqual(text.length)
          const starts = new Set([text.length, ...Array.from(new Intl.Segmenter().segment(text), ({ index }) => index)])
          if (keys.every((one) => one !== "r" && one !== "p")) expect(starts.has(cursor)).toBe(true)
          const onLineEnd = text[cursor] === "\n" || cursor === text.length
          const lineIsEmpty = cursor === 0 || text[cursor - 1] === "\n"
          if (result.state.mode === "normal" && onLineEnd) expect(lineIsEmpty).toBe(true)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

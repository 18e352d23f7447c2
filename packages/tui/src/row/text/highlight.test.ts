import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { highlight, type Inside } from "./highlight.ts"
import { languageOf } from "./languages.ts"

/** The pieces as `tone:text`. */
function shown(text: string, name: string): string[] {
  const language = languageOf(name)
  if (language === undefined) throw new Error(name)
  return highlight(text, language).pieces.map(({ from, to, tone }) => `${tone}:${text.slice(from, to)}`)
}

describe("languages", () => {
  test.each([
    [
      "ts",
      "const a = call(`x\n${1}`, 'it\\'s') // end",
      ["keyword:const", "function:call", "string:`x\n${1}`", "string:'it\\'s'", "comment:// end"],
    ],
    ["tsx", "type Big = 0xff", ["keyword:type", "type:Big", "number:0xff"]],
    [
      "python",
      'def f():\n  """doc\n  string"""\n  return None # no',
      ["keyword:def", "function:f", 'string:"""doc\n  string"""', "keyword:return", "keyword:None", "comment:# no"],
    ],
    ["rust", "let x = 'a; /* c\n */ 1_000", ["keyword:let", "comment:/* c\n */", "number:1_000"]],
    ["bash", 'if [ "$x" = 1 ]; then # ok', ["keyword:if", 'string:"$x"', "number:1", "keyword:then", "comment:# ok"]],
    ["sql", "SELECT a FROM b -- all", ["keyword:SELECT", "keyword:FROM", "comment:-- all"]],
    ["json", '{"a": true, "b": 1.5e3}', ['string:"a"', "keyword:true", 'string:"b"', "number:1.5e3"]],
    [
      "c",
      "#include <x>\nint main() { return 0; }",
      ["comment:#include <x>", "keyword:int", "function:main", "keyword:return", "number:0"],
    ],
    ["html", "<!-- a\nb --><p>", ["comment:<!-- a\nb -->"]],
    ["lua", "--[[ a\n]] local x", ["comment:--[[ a\n]]", "keyword:local"]],
    ["go", "x := `raw\n`", ["string:`raw\n`"]],
  ] as const)("%s", (name, text, expected) => {
    expect(shown(text, name)).toEqual([...expected])
  })

  test("are known by what stands after a fence, in any case, with more behind it", () => {
    expect(languageOf("TypeScript")).toBe(languageOf("ts"))
    expect(languageOf("js title=x.js")).toBe(languageOf("javascript"))
    expect(languageOf(" c++ ")).toBe(languageOf("cpp"))
  })

  test.each(["", "klingon", "constructor", "toString", "__proto__"])("%j is none", (name) => {
    expect(languageOf(name)).toBeUndefined()
  })
})

const source = fc
  .array(fc.constantFrom("const a", "'b'", '"', "`", "/*", "*/", "// c", "\\", "1", "\n", " ", "é", "f(", "😀"), {
    maxLength: 40,
  })
  .map((list) => list.join(""))

test("a text in pieces, cut at line ends, has the colours of the whole", () => {
  const language = languageOf("ts")!
  fc.assert(
    fc.property(source, (text) => {
      const whole = new Map<number, string>()
      for (const { from, to, tone } of highlight(text, language).pieces) {
        for (let at = from; at < to; at++) whole.set(at, tone)
      }
      const pieced = new Map<number, string>()
      let inside: Inside | undefined
      let offset = 0
      for (const line of text.split(/(?<=\n)/)) {
        const found = highlight(line, language, inside)
        for (const { from, to, tone } of found.pieces) {
          for (let at = from; at < to; at++) pieced.set(offset + at, tone)
        }
        inside = found.inside
        offset += line.length
      }
      expect(pieced).toEqual(whole)
    }),
    { numRuns: 1_000 },
  )
})

test("pieces are in order, in the text, and apart; whatever the text, it ends", () => {
  fc.assert(
    fc.property(
      fc.oneof(source, fc.string({ unit: "binary" })),
      fc.constantFrom("ts", "py", "c", "sh", "sql", "html", "json"),
      (text, name) => {
        let end = 0
        for (const { from, to } of highlight(text, languageOf(name)!).pieces) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(to).toBeGreaterThan(from)
          end = to
        }
        expect(end).toBeLessThanOrEqual(text.length)
      },
    ),
    { numRuns: 1_000 },
  )
})

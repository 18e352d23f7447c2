import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { scan } from "./scan.ts"

/** The words that survive as code. */
function words(source: string): string[] {
  return scan(source).code.match(/[A-Za-z_]+/g) ?? []
}

describe("scan", () => {
  test("comments and the insides of strings are not code", () => {
    expect(words("const a = 'one' // two\n/* three */ b(\"four\", `five`)")).toEqual(["const", "a", "b"])
  })

  test("a substitution in a template is code, nested too", () => {
    expect(words("`one ${two + `three ${four}` + { five: '}' }.five} six`; seven")).toEqual([
      "two",
      "four",
      "five",
      "five",
      "seven",
    ])
  })

  test("escaped quotes do not end a string", () => {
    expect(words(String.raw`a('it\'s', "\\"); b`)).toEqual(["a", "b"])
  })

  test("a comment mark in a string, and a quote in a comment, mean nothing", () => {
    expect(words("a('// no'); b // don't\nc")).toEqual(["a", "b", "c"])
  })

  test("a regular expression is not code, a division is", () => {
    expect(words("x = /['\"`]one/g; y")).toEqual(["x", "g", "y"])
    expect(words("return /[/]'/.test(z)")).toEqual(["return", "test", "z"])
    expect(words("a / b / 'c'")).toEqual(["a", "b"])
    expect(words("f(a) / b / c")).toEqual(["f", "a", "b", "c"])
    expect(words("i++ / j / k")).toEqual(["i", "j", "k"])
    expect(words("types.in / b / c")).toEqual(["types", "in", "b", "c"])
  })

  test("a closing tag opens no regular expression", () => {
    expect(words("<b>{one}</b>; two('three')")).toContain("two")
    expect(words("<b>{one}</b>; two('three')")).not.toContain("three")
  })

  test("an unterminated string ends with its line, an unterminated comment with the file", () => {
    expect(words("a 'b\nc")).toEqual(["a", "c"])
    expect(words("a /* b\nc")).toEqual(["a"])
    expect(words("`${a")).toEqual(["a"])
  })

  test("a first line for the shell is a comment", () => {
    expect(words("#!/usr/bin/env bun\na")).toEqual(["a"])
  })

  test("comments and strings can be had too, in place", () => {
    const source = "a('b') // c"
    expect(scan(source).comments).toBe("       // c")
    expect(scan(source).strings).toBe("a('b')     ")
    expect(scan(source).literals).toEqual([{ at: 2, value: "b" }])
  })

  test("property: offsets and line ends are kept, whatever the input", () => {
    const alphabet = fc.constantFrom(..."ab'\"`/*\\\n{}$()[] ;=")
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 60 }), (characters) => {
        const source = characters.join("")
        const views = scan(source)
        for (const view of [views.code, views.strings, views.comments]) {
          expect(view.length).toBe(source.length)
          for (let at = 0; at < source.length; at++) {
            if (source[at] === "\n") expect(view[at]).toBe("\n")
            else expect([source[at], " "]).toContain(view[at] ?? "")
          }
        }
      }),
    )
  })

  test("property: exactly the code survives a random mix of code, strings and comments", () => {
    const inside = fc.stringMatching(/^[a-z ]{0,8}$/)
    const piece = fc.oneof(
      fc.stringMatching(/^K[A-Z]{1,5}$/).map((word) => ({ source: `${word};`, code: [word] })),
      inside.map((text) => ({ source: `'${text}//"';`, code: [] })),
      inside.map((text) => ({ source: `"${text}/*'";`, code: [] })),
      inside.map((text) => ({ source: `\`${text}\n'"\`;`, code: [] })),
      inside.map((text) => ({ source: `\`${text}\${KIN}\`;`, code: ["KIN"] })),
      inside.map((text) => ({ source: `// ${text} ' \` "\n`, code: [] })),
      inside.map((text) => ({ source: `/* ${text} ' */`, code: [] })),
      inside.map((text) => ({ source: `=/${text}['"/]/;`, code: [] })),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(words(pieces.map(({ source }) => source).join(""))).toEqual(pieces.flatMap(({ code }) => code))
      }),
    )
  })
})

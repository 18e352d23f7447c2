import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { applyEdit } from "./match.ts"

const outcome = (content: string, oldString: string, newString = "zz") => {
  const done = applyEdit(content, { oldString, newString })
  return done.ok ? done.value.strategy : done.error.kind
}

describe("white space that may stand inside a literal is refused", () => {
  test.each([
    ["a comment's apostrophe first", "/* don't */ x = 'a  b'", "/* don't */ x = 'a b'"],
    ["a lifetime first", `fn f<'a>(x: &str) { g("a 'b  c") }`, `fn f<'a>(x: &str) { g("a 'b c") }`],
    ["a regular expression first", `x = /'/; y = "it's  b"`, `x = /'/; y = "it's b"`],
    ["a backtick in an earlier comment", "// don`t\nq := `a  b`\n", "q := `a b`"],
    ["a backslash that escapes nothing", "p := `C:\\`\nq := `a  b`\n", "q := `a b`"],
    ["shell, opened on an earlier line", "echo 'a\nb  c'", "echo 'a\nb c'"],
    ["shell, opened before the block", "echo 'a\nb  c'", "b c'"],
    ["shell, a trailing space", "echo 'a  \nb'", "echo 'a\nb'"],
    ["shell, in the middle of it", "echo 'a\n  b  \nc'\n", "  b\nc'"],
    ["shell, an apostrophe in another literal", `echo "it's" 'a\nb  c' d`, "b c' d"],
    ["shell, a quoted quote", `echo "'" 'a\nb  c'`, "b c'"],
    ["shell, double quotes", 'echo "a\n b  c\n d"', " b c"],
    ["an even number of quotes on the line that opens", "/* don't */ $x = 'a\nb  c';", "/* don't */ $x = 'a\nb c';"],
    ["the same before the block", "/* don't */ $x = 'a\nb  c';", "b c';"],
    ["after lines with apostrophes", "// it's 'a' don't\necho 'q\n b  c\n d'", " b c"],
    ["a template after a backtick in a comment", "// don`t\nx = `\n  a  b\n`\n", "  a b"],
    ["a tagged template", "x = sql`\n  a  b\n`", "  a b"],
    ["a doc string", 'def f():\n  """a  b\n c\n  """\n', 'def f():\n  """a b\n c\n'],
    ["an apostrophe inside triple quotes", "s = '''\nit's\na  b\n'''\n", "a b"],
    ["a blank line of a literal before the block", 'x = """\na\n   \nb\n"""\n', "a\n\nb"],
    ["a blank line of a literal in the block", "x = `\na\n   \nb\n`\n", "x = `\na\n\nb"],
    ["a line that is continued", 'x = "a\\\n  b  c"\n', '  b c"'],
    ["SQL, a doubled quote", "INSERT 'it''s\n a  b\n c'", " a b"],
    ["an earlier line of the block that reads like an apostrophe", "echo it's\nb  c'", "echo it's\nb c'"],
    ["a template alone on its line after a backtick in a comment", "// don`t\nfoo(\n`\na  b\n`)", "a b"],
    ["opened on a line that looks like a comment", "*'\na  b\n'", "a b"],
    ["an apostrophe in a comment after code", "x = 1 // users' data\necho 'a\n b  c\n d'", " b c"],
    ["triple quotes after quoted triple quotes", `q = '"""'\nfoo(\n"""\na  b\n""")`, "a b"],
    ["its mark in a comment where it ends", "'''\nx = #  a ''' # '''\n", "x = # a ''' # '''"],
    ["another mark in it, and its own in a comment", "'''\n#\n\nx = \"\"\"#   \n\na'''# '''\n", '\nx = """#\n'],
    ["the other mark in a comment below", "  \"'''\"'''  b \n# \"\"\"\n)# '''\n", "  \"'''\"''' b \n"],
    ["another quote closes", `"a  b'`, `"a b'`],
  ])("%s", (_name, content, oldString) => {
    expect(outcome(content, oldString)).toBe("refused")
  })

  test("wherever a literal of several lines stands, of any kind", () => {
    const plain = fc.constantFrom("a = 1", "b('x')", 'c("y") // don\'t', "", "d = `z`", "if (x) {", "}")
    const quote = fc.constantFrom("'", '"', "`", '"""', "'''")
    const inner = fc.constantFrom("one", "two three", "", "(four)")
    const input = fc.tuple(fc.array(plain, { maxLength: 6 }), quote, fc.array(inner, { maxLength: 4 }))
    fc.assert(
      fc.property(input, fc.boolean(), ([lines, mark, body], trailing) => {
        const line = (gap: string) => (trailing ? `unique${gap === "" ? "" : "  "}` : `unique ${gap}line`)
        const content = [...lines, `x = ${mark}start`, ...body, line(" "), ...body, `end${mark}`].join("\n")
        expect(outcome(content, `${line("")}\n`)).toBe("refused")
        const whole = [`x = ${mark}start`, ...body, line("")].join("\n")
        expect(outcome(content, `${whole}\n`)).toBe("refused")
      }),
      { numRuns: 500 },
    )
  })
})

describe("indentation inside a literal over several lines", () => {
  const retyped = (content: string, oldString: string, replaceAll = false) => {
    const done = applyEdit(content, { oldString, newString: oldString.toUpperCase(), replaceAll })
    return done.ok ? done.value.strategy : done.error.message
  }

  test.each([
    ["a doc string", 'x = """\n    foo\n"""\n', "\n\tfoo\n"],
    ["its last line", "x = '''\n    foo\n    '''\n", "\tfoo\n\t'''\n"],
    ["a template", "x = `\n    foo\n    bar\n`\n", "foo\nbar\n"],
    ["a here-document", "cat <<EOF\n    foo\nEOF\n", "\tfoo\n"],
    ["a block scalar", "k: |\n    foo\n    bar\n", "foo\nbar"],
    ["a shell literal", "echo '\n    foo\n'\n", "\tfoo\n"],
    ["a raw string", 'x = r#"\n  "foo\n"#;\n', '\t"foo\n'],
    ["blank lines within", '\nx = """\n    foo\n\n    bar"""\n', 'foo\n\nbar"""\n'],
  ])("is refused where no code tells of a shift: %s", (_name, content, oldString) => {
    expect(retyped(content, oldString)).toContain("the indentation inside a string literal differs")
    expect(retyped(content, oldString, true)).toContain("the indentation inside a string literal differs")
  })

  // A block of code that was moved as a whole takes its literals along: that the code around them has moved by
  // the same amount says how the model saw the file, and refusing would make every such block need another read.
  test.each([
    ["code before it", '  x = """\n    foo\n  """\n', 'x = """\n  foo\n"""\n'],
    ["code after it", '  x = """\n    foo\n  """\n  y = 1\n', '  foo\n"""\ny = 1\n'],
    ["code around a template", "  f(`\n    a\n  `)\n  g()\n", "f(`\n  a\n`)\ng()\n"],
    ["a key and its block scalar", "a:\n    k: |\n      foo\n    j: 1\n", "k: |\n  foo\nj: 1\n"],
  ])("moves along with %s", (_name, content, oldString) => {
    expect(retyped(content, oldString)).toBe("indentation")
  })

  test("is no concern of code between two literals", () => {
    expect(retyped('"""A."""\n\n    x = 1\n\n"""\nB.\n"""\n', "\tx = 1\n")).toBe("indentation")
    expect(retyped("const a = `\n`\n    x = 1\nconst b = `\n`\n", "\tx = 1\n")).toBe("indentation")
    expect(retyped("f(\n  `a\nfound`,\n)\n    x = 1\nconst b = `\n`\n", "\tx = 1\n")).toBe("indentation")
  })
})

/** For each character of a text in Python whether it stands inside a literal; undefined when it is none. */
function insideLiterals(text: string): boolean[] | undefined {
  const inside = Array.from(text, () => false)
  let at = 0
  while (at < text.length) {
    if (text[at] === "#") {
      while (at < text.length && text[at] !== "\n") at++
      continue
    }
    const mark = /^(?:'''|"""|'|")/.exec(text.slice(at, at + 3))?.[0]
    if (mark === undefined) {
      at++
      continue
    }
    for (at += mark.length; text.slice(at, at + mark.length) !== mark; at++) {
      if (at >= text.length || (mark.length === 1 && text[at] === "\n")) return undefined
      inside[at] = true
    }
    at += mark.length
  }
  return inside
}

test("in Python, whatever comments and other quotes say, white space inside a literal is refused", () => {
  const marks = ["'''", '"""', "'", '"', '# """\n', "# '''\n"]
  const piece = fc.constantFrom(...marks, "# ", "a", "b ", "it's ", "\n", "  ", "x = ")
  let judged = 0
  fc.assert(
    fc.property(fc.array(piece, { minLength: 5, maxLength: 16 }), fc.nat(3), fc.nat(3), (pieces, above, below) => {
      const content = `${pieces.join("")}\n`
      const inside = insideLiterals(content)
      for (const { 0: gap, index } of content.matchAll(/(?<=\S) {2,}/g)) {
        if (!inside?.[index]) continue
        const lines = `${content.slice(0, index)} ${content.slice(index + gap.length)}`.split("\n")
        const line = content.slice(0, index).split("\n").length - 1
        const oldString = `${lines.slice(Math.max(0, line - above), line + 1 + below).join("\n")}\n`
        // The same text may stand elsewhere as it is.
        if (content.includes(oldString.trim())) continue
        judged++
        expect(["refused", "ambiguous", "not_found"]).toContain(outcome(content, oldString))
      }
    }),
    { numRuns: 20_000 },
  )
  expect(judged).toBeGreaterThan(100)
})

describe("white space clearly outside of literals is passed over", () => {
  test.each([
    ["no quotes", "let  a   = 1\nb\n", "let a = 1\nb"],
    ["an apostrophe and no other quote", "// don't\nx  = 1\ny = 2\n", "x = 1"],
    ["apostrophes around", "// don't\nx  = 1\ny = 'a'\n// can't\n", "x = 1"],
    ["before the first quote", "const a = 'x'\nlet  b = \"y\"\nconst c = `z`\n", 'let b = "y"'],
    ["after the last quote", "foo('a')  // c\nbar('b')\n", "foo('a') // c\nbar('b')"],
    ["between two templates", "const a = `\n x\n`\nlet  b = 1\nconst c = `\n y\n`\n", "let b = 1"],
    ["between two doc strings", 'def f():\n  """Doc.\n\n  """\n  x  = 1\ndef g():\n  """Other\n  """\n', "  x = 1"],
    ["between two shell literals", "awk '\n a\n' file\nx  = 1\nawk '\n b\n' f\n", "x = 1"],
    ["between lifetimes", "impl<'a> F<'a> {\n  fn a(x: &'a str) {\n    y  = 1;\n  }\n}\nimpl<'b> B {}\n", "    y = 1;"],
    ["between prefixed literals", "x = f'a' + b'c'\ny  = 1\nz = r'q'\n", "y = 1"],
    ["between quotes as characters", "if (c == '\"') return\nx  = 1\nif (c == '\"') y\n", "x = 1"],
    ["between escaped quotes", 'p("say \\"hi")\nx  = 1\nq("\\"")\n', "x = 1"],
    ["between Markdown fences", "# Doc\n```js\nx\n```\ntext  here\n```\ny\n```\n", "text here"],
    ["in a block of closed literals", "a = 'x'\nb  = 'y'\nc = 'z'\n", "a = 'x'\nb = 'y'\nc = 'z'"],
  ])("%s", (_name, content, oldString) => {
    expect(outcome(content, oldString)).toBe("inner_whitespace")
  })

  test.each([
    ["//", "// It's."],
    ["/** */", "/** It's. */"],
    ["#", "# It's."],
    ["--", "-- It's."],
    ["a line of a longer one", " * It's."],
    ["JSX", "{/* It's. */}"],
    ["behind code", "foo() # don't"],
    ["behind code, //", "foo(); // don't"],
  ])("an apostrophe in a comment of the block is none that opens: %s", (_name, line) => {
    expect(outcome(`${line}\nx = y + z\nc = 'a'\n`, `${line}\nx = y  + z\n`)).toBe("inner_whitespace")
    expect(outcome(`${line}  \nx = y\nc = 'a'\n`, `${line}\nx = y\n`)).toBe("trailing_space")
  })

  test.each([
    ["code follows the comment", "/* don't */ $x = 'a", "b  c';", "b c';"],
    ["behind the sign stands no word with an apostrophe", "awk -F // 'a", "b  c'", "b c'"],
    ["an option looks like a comment of SQL", "  --data '{", "  a  b }'", "  a b }'"],
    ["a colour looks like a comment", "x '#fff", "a  b'", "a b'"],
  ])("but one in the block that opens counts: %s", (_name, line, there, wanted) => {
    expect(outcome(`${line}\n${there}\n`, `${line}\n${wanted}\n`)).toBe("refused")
  })

  test("trailing space of lines with closed literals", () => {
    expect(outcome("say('a')  \nsay(\"b\")\t\n", "say('a')\nsay(\"b\")")).toBe("trailing_space")
  })

  test("the indentation, also of lines with quotes", () => {
    expect(outcome("  say('a  b')\n  x = `\n    q`\n", "say('a  b')\nx = `\n  q`\n")).toBe("indentation")
  })

  test("an apostrophe far above does not count for ever", () => {
    const far = (lines: number) => `users' data\n${"plain\n".repeat(lines)}x  = 1\nother users' data\n`
    expect(outcome(far(5), "x = 1")).toBe("refused")
    expect(outcome(far(300), "x = 1")).toBe("inner_whitespace")
  })
})

describe("between the literals of one line, when they can be read in one way only", () => {
  test.each([
    ['foo("a",  "b")', 'foo("a", "b")'],
    ["const x = 'a';  const y = 'b'", "const x = 'a'; const y = 'b'"],
    ['if (a == "x"  ||  a == "y") {', 'if (a == "x" || a == "y") {'],
  ])("%s is found", (content, oldString) => {
    expect(["not_found", "refused", "ambiguous"]).not.toContain(outcome(content, oldString))
  })

  test.each([
    ["what differs inside", 'foo("a  c",  "b")', 'foo("a c", "b")'],
    ["apostrophes in even number", "it's 'a  b' don't", "it's 'a b' don't"],
    ["inches", '5" pipe "a  b" 3"', '5" pipe "a b" 3"'],
    ["an escape", String.raw`f("a\"",  "b")`, String.raw`f("a\"", "b")`],
    ["two kinds", `f("it's",  'b')`, `f("it's", 'b')`],
    ["a template around it", 'x = `\nfoo("a",  "b")\n`', 'x = `\nfoo("a", "b")\n`'],
    ["a shell literal around it", `echo 'a\nb("x",  "y")  c'`, `echo 'a\nb("x", "y") c'`],
  ])("not with %s", (_, content, oldString) => {
    expect(outcome(content, oldString)).toBe("refused")
  })
})

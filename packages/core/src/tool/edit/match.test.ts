import { expect, test } from "bun:test"
import fc from "fast-check"
import { linesOf } from "../../workspace/line-ends.ts"
import { applyEdit } from "./match.ts"
import type { EditInput } from "./types.ts"

const edit = (content: string, oldString: string, newString: string, replaceAll?: boolean) =>
  applyEdit(content, { oldString, newString, replaceAll })
const result = (content: string, oldString: string, newString: string, replaceAll?: boolean) => {
  const done = edit(content, oldString, newString, replaceAll)
  return done.ok ? [done.value.strategy, done.value.content] : [done.error.kind]
}
const message = (content: string, oldString: string, newString = "another text") => {
  const done = edit(content, oldString, newString)
  return done.ok ? "" : done.error.message
}

test("exact: one place, also within a line", () => {
  expect(result("a = 1\nb = 2\n", "= 2", "= 3")).toEqual(["exact", "a = 1\nb = 3\n"])
  expect(result("a\nb\n", "b\n", "")).toEqual(["exact", "a\n"])
  expect(result("$& a", "a", "$&$1$$")).toEqual(["exact", "$& $&$1$$"])
})

test("several places are ambiguous and named by line, unless all are wanted", () => {
  expect(result("x\ny\nx\n", "x", "z")).toEqual(["ambiguous"])
  expect(message("x\ny\nx\n", "x")).toContain("2 times, at lines 1, 3")
  expect(result("x\ny\nx\n", "x", "xx", true)).toEqual(["exact", "xx\ny\nxx\n"])
  expect(result("aaa", "aa", "b")).toEqual(["ambiguous"])
  expect(result("aaaa", "aa", "b", true)).toEqual(["exact", "bb"])
  expect(message("a".repeat(10_000), "aa")).toContain("at least 100 times")
})

test("equal strings, and edits that come to nothing, are identical", () => {
  expect(result("a", "a", "a")).toEqual(["identical"])
  expect(result("a\r\nb", "a\nb", "a\r\nb")).toEqual(["identical"])
  expect(result("missing", "x", "x")).toEqual(["identical"])
})

test("an empty oldString only fits an empty file", () => {
  expect(result("", "", "new\n")).toEqual(["exact", "new\n"])
  expect(result("a", "", "new")).toEqual(["refused"])
})

test("NUL bytes make it binary", () => {
  expect(result("a\0b", "a", "c")).toEqual(["binary"])
  expect(result("ab", "a", "\0")).toEqual(["binary"])
})

test("line ends: the file's always win", () => {
  expect(result("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toEqual(["line_ends", "x\r\ny\r\nz\r\nc\r\n"])
  expect(result("a\r\nb\r\n", "b", "x\ny")).toEqual(["exact", "a\r\nx\r\ny\r\n"])
  expect(result("a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n")).toEqual(["line_ends", "x\ny\n"])
  expect(result("a\rb\r", "a\nb", "x\ny")).toEqual(["line_ends", "x\ry\r"])
  expect(result("foo(1,\r\n  2)", "(1,\n  2", "(1,\n  3")).toEqual(["line_ends", "foo(1,\r\n  3)"])
})

test("line ends: a pair is never split", () => {
  expect(result("a\r\nb\r\n", "\nb", "\nc")).toEqual(["line_ends", "a\r\nc\r\n"])
  expect(result("a\r\nb", "a\r", "x\r")).toEqual(["line_ends", "x\r\nb"])
})

test("line ends: a file that mixes them keeps those of the place", () => {
  expect(result("a\r\nb\r\nc\nd\n", "a\nb", "x\ny")).toEqual(["line_ends", "x\r\ny\r\nc\nd\n"])
  expect(result("a\r\nb\r\nc\nd\n", "c\nd", "x\ny")).toEqual(["exact", "a\r\nb\r\nx\ny\n"])
  expect(result("a\r\nb\nc", "b", "x\ny")).toEqual(["exact", "a\r\nx\ny\nc"])
})

test("a byte order mark stays at the start, and is no indentation", () => {
  expect(result("\ufeffx  = 1\n", "x = 1", "a\nb")).toEqual(["inner_whitespace", "\ufeffa\nb\n"])
  expect(result("\ufeffx = 1\n", "x = 1", "a\nb")).toEqual(["exact", "\ufeffa\nb\n"])
  expect(result("\ufeff  x\n  y\n", "x\ny\n", "a\nb\n")).toEqual(["indentation", "\ufeff  a\n  b\n"])
  expect(result("\ufeff", "", "a")).toEqual(["exact", "\ufeffa"])
  expect(result("\ufeffx\ny\n", "\ufeffx\n", "\ufeffa\n")).toEqual(["exact", "\ufeffa\ny\n"])
  expect(result("\ufeffx\n", "\ufeffx", "a")).toEqual(["exact", "\ufeffa\n"])
  expect(result("x\ny\n", "\ufeffx\n", "\ufeffa\n")).toEqual(["exact", "a\ny\n"])
  const done = edit("\ufeffx\ny\n", "y", "z")
  expect(done.ok && done.value.spans).toEqual([{ start: 3, end: 4 }])
})

test("a byte order mark within the text is a character like any other", () => {
  expect(result("a\n\ufeffx\n", "\ufeffx", "y")).toEqual(["exact", "a\ny\n"])
  expect(result("a\n\ufeffx  1\n", "x 1", "b\nc")).toEqual(["not_found"])
  expect(result("a\n  \ufeffx\n", "\ufeffx\n", "b\nc\n")).toEqual(["exact", "a\n  b\nc\n"])
  expect(result("a\n  \ufeffx  1\n", "\ufeffx 1\n", "b\nc\n")).toEqual(["inner_whitespace", "a\n  b\n  c\n"])
})

test("a last line without a line end matches one with it, and stays without", () => {
  expect(result("a\nb", "b\n", "c\n")).toEqual(["line_ends", "a\nc"])
  expect(result("a\nb", "b", "c")).toEqual(["exact", "a\nc"])
})

test("trailing space", () => {
  expect(result("a  \nb\t\nc\n", "a\nb", "x\ny")).toEqual(["trailing_space", "x\ny\nc\n"])
  expect(result("a\nb\nc\n", "a \nb ", "x\ny")).toEqual(["trailing_space", "x\ny\nc\n"])
  expect(result("a\n   \nb\n", "a\n\nb", "x")).toEqual(["trailing_space", "x\n"])
})

test("indentation: a uniform shift moves the new text too", () => {
  const content = "class A {\n    go() {\n        run()\n    }\n}\n"
  expect(result(content, "go() {\n    run()\n}", "go() {\n    if (x) {\n        run()\n    }\n\n}")).toEqual([
    "indentation",
    "class A {\n    go() {\n        if (x) {\n            run()\n        }\n\n    }\n}\n",
  ])
  expect(result("a\n  b\n", "  a\n    b", "  x\n    y\n  z")).toEqual(["indentation", "x\n  y\nz\n"])
  expect(result("\ta\n\t\tb\n", "    a\n    \tb", "    x")).toEqual(["indentation", "\tx\n"])
})

test("indentation: a shift that is not uniform is refused, and the file's text shown", () => {
  expect(result("if x:\n    a\n    b\n", "if x:\n  a\n  b", "if x:\n  c")).toEqual(["refused"])
  expect(message("if x:\n    a\n    b\n", "if x:\n  a\n  b")).toContain("2\t    a")
  expect(result("a\n  b\n", "  a\n    b", "c")).toEqual(["refused"])
  expect(result("\ta\n\t\tb\n", "  a\n    b", "  c")).toEqual(["refused"])
})

test("inner white space", () => {
  expect(result("let  a   = 1\nb\n", "let a = 1\nb", "let a = 2\nb")).toEqual(["inner_whitespace", "let a = 2\nb\n"])
  expect(result("return x\n", "returnx", "y")).toEqual(["not_found"])
})

test("white space inside a string literal is never passed over", () => {
  expect(result('log("a  b")\nend\n', 'log("a b")\nend', "x")).toEqual(["refused"])
  expect(result('log( "a b" )\nend\n', 'log(  "a b" )\nend', "x")).toEqual(["inner_whitespace", "x\n"])
  expect(result("s = `one  \ntwo`\n", "s = `one\ntwo`", "x")).toEqual(["refused"])
  expect(result('"""doc  \nend"""\nx  y\n', '"""doc\nend"""', "x")).toEqual(["refused"])
  expect(result("s = `\n  a  b\n`\n", "  a b", "c")).toEqual(["refused"])
  expect(result("it's  so, isn't it\n", "it's so, isn't it", "x")).toEqual(["refused"])
  expect(result("don't  stop\n", "don't stop", "go")).toEqual(["inner_whitespace", "go\n"])
})

test("escapes: written once too often, the new text read alike", () => {
  expect(result('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\")')).toEqual(["escapes", 'say("ho")\n'])
  expect(result("a\nb\nc\n", "a\\nb", "x\\ny\\nz")).toEqual(["escapes", "x\ny\nz\nc\n"])
  expect(result('p("a\\n")\n', 'p(\\"a\\n\\")', 'p(\\"b\\n\\")')).toEqual(["escapes", 'p("b\\n")\n'])
  expect(result("a\tb\n", "a\\tb", "a\\tc")).toEqual(["escapes", "a\tc\n"])
})

test("escapes: what the new text means must be certain", () => {
  expect(result('say("hi")\n', 'say(\\"hi\\")', 'say(\\"h\\\\i\\")')).toEqual(["refused"])
  expect(result("a\nb\n", "\\n", " ")).toEqual(["not_found"])
  expect(result('x\n  say("hi")\n', 'x\n  say(\\"hi\\")', "y")).toEqual(["escapes", "y\n"])
})

test("blank boundary lines go from both texts", () => {
  expect(result("a\nb\nc\n", "\n\nb\n\n", "\n\nx\n\n")).toEqual(["blank_boundary", "a\nx\nc\n"])
  expect(result("a\nb\nc\n", "\nb", "x")).toEqual(["exact", "axc\n".replace("axc", "ax\nc")])
  expect(result("a\nb\nc\n", "\n \nb\n \n", "x")).toEqual(["blank_boundary", "a\nx\nc\n"])
  expect(result("maximum\n", "\n\nx\n", "y")).toEqual(["not_found"])
})

test("a stricter strategy wins over a more tolerant one with other places", () => {
  expect(result("  a\nb\na\nb\n", "a\nb\n", "x\n")).toEqual(["ambiguous"])
  expect(result(" a \n b\na \nb\n", "a\nb", "x")).toEqual(["trailing_space", " a \n b\nx\n"])
})

test("a tolerant strategy with two places is ambiguous, with all wanted it takes both", () => {
  const content = "  a \n  b\nmid\n    a \n    b\n"
  expect(result(content, "a\nb", "x")).toEqual(["ambiguous"])
  expect(result(content, "a\nb", "x\n  y", true)).toEqual(["indentation", "  x\n    y\nmid\n    x\n      y\n"])
  expect(result("a  1\nmid\nb\n  a 1 \nq  1", "a 1\nzz", "x", true)).toEqual(["not_found"])
})

test("not found shows the nearest text with its line numbers", () => {
  const content = Array.from({ length: 50 }, (_, index) => `const value${index} = compute(${index})`).join("\n")
  const text = message(content, "const value20 = compute(20)\nconst value21 = compute(99)\nconst value22 = compute(22)")
  expect(text).toContain("lines 21-23")
  expect(text).toContain("22\tconst value21 = compute(21)")
  expect(text).toContain('Line 22 is the first that differs: oldString has "const value21 = compute(99)"')
  expect(message(content, "const value7 = computed(7);")).toContain("8\tconst value7 = compute(7)")
  expect(message("", "x")).toContain("0 lines")
  expect(message("alpha", "zzz")).toContain("Nothing in the file resembles it")
})

test("a block whose anchors match is never applied, only shown", () => {
  const content = "function a() {\n  one()\n  two()\n}\n"
  expect(result(content, "function a() {\n  one()\n  three()\n}", "x")).toEqual(["not_found"])
  expect(message(content, "function a() {\n  one()\n  three()\n}")).toContain("Line 3 is the first that differs")
})

test("the brief message holds no text of the file", () => {
  const done = edit("SECRET=abc\nOTHER=1\n", "SECRET=abd\nOTHER=1", "x")
  expect(!done.ok && done.error.message).toContain("SECRET=abc")
  expect(!done.ok && done.error.brief).not.toContain("SECRET")
})

const word = fc.constantFrom(
  "a",
  "b",
  "foo(x)",
  "  a",
  "\tb",
  "",
  " ",
  'say("q  r")',
  "`",
  "x = 1 ",
  "it's",
  "\\n",
  '\\"',
)
const text = fc
  .array(fc.tuple(word, fc.constantFrom("\n", "\n", "\r\n", "\r")), { maxLength: 10 })
  .map((lines) => lines.map(([line, end]) => line + end).join(""))
const squeezed = (value: string) => value.replace(/[\s\\]/g, "")

test("an applied edit changes the matched spans alone, and they differ from oldString in white space and escapes alone", () => {
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (content, oldString, newString, replaceAll) => {
      const done = edit(content, oldString, newString, replaceAll)
      if (!done.ok) return
      const { spans, content: after } = done.value
      if (!replaceAll) expect(spans.length).toBe(1)
      let at = 0
      let rest = after
      for (const [index, span] of spans.entries()) {
        expect(span.start).toBeGreaterThanOrEqual(at)
        const kept = content.slice(at, span.start)
        expect(rest.startsWith(kept)).toBe(true)
        rest = rest.slice(kept.length)
        at = span.end
        const wanted = squeezed(oldString).replaceAll("n", "")
        expect(squeezed(content.slice(span.start, span.end)).replaceAll("n", "")).toBe(wanted)
        const next = spans[index + 1]
        const between = next ? content.slice(at, next.start) : content.slice(at)
        const until = next ? rest.indexOf(between) : rest.length - between.length
        rest = rest.slice(Math.max(0, until))
      }
      expect(rest).toBe(content.slice(at))
    }),
    { numRuns: 2_000 },
  )
})

const plainLine = fc.stringMatching(/^[ \t]{0,4}[a-z(){}"'` =;]{0,12}[ \t]{0,2}$/)
const script = fc.record({
  lines: fc.array(plainLine, { minLength: 1, maxLength: 15 }),
  end: fc.constantFrom("\n", "\r\n"),
  from: fc.nat(14),
  count: fc.integer({ min: 1, max: 5 }),
  fresh: fc.array(plainLine, { maxLength: 4 }),
})

test("an edit of lines as they stand gives exactly the intended text, or an error", () => {
  let applied = 0
  fc.assert(
    fc.property(script, ({ lines, end, from, count, fresh }) => {
      const first = from % lines.length
      const old = lines.slice(first, first + count)
      const intended = [...lines.slice(0, first), ...fresh, ...lines.slice(first + count)]
      const all = (list: readonly string[]) => list.map((line) => line + end).join("")
      const model = (list: readonly string[]) => list.map((line) => `${line}\n`).join("")
      const done = edit(all(lines), model(old), model(fresh))
      if (!done.ok) return expect(["ambiguous", "identical", "refused"]).toContain(done.error.kind)
      applied++
      expect(done.value.content).toBe(all(intended))
    }),
    { numRuns: 1_000 },
  )
  expect(applied).toBeGreaterThan(200)
})

test("lines retyped with other indentation or trailing space never give another text than the intended", () => {
  let applied = 0
  const retyped = fc.tuple(script, fc.constantFrom("", "  ", "\t"), fc.constantFrom("", " ", "\t"))
  fc.assert(
    fc.property(retyped, ([{ lines, from, count, fresh }, indent, trailing]) => {
      const deep = lines.map((line) => (line.trim() === "" ? "" : indent + line))
      const first = from % lines.length
      const old = lines.slice(first, first + count).map((line) => line + trailing)
      const intended = [
        ...deep.slice(0, first),
        ...fresh.map((line) => (line.trim() === "" ? line : indent + line)),
        ...deep.slice(first + count),
      ]
      const done = edit(`${deep.join("\n")}\n`, `${old.join("\n")}\n`, fresh.map((line) => `${line}\n`).join(""))
      if (!done.ok || done.value.strategy === "exact") return
      applied++
      expect(done.value.content).toBe(intended.map((line) => `${line}\n`).join(""))
    }),
    { numRuns: 1_000 },
  )
  expect(applied).toBeGreaterThan(100)
})

test("an edit and the edit back are the identity", () => {
  fc.assert(
    fc.property(script, fc.uuid(), ({ lines, end, from }, unique) => {
      const content = lines.map((line) => line + end).join("")
      const old = lines[from % lines.length] ?? ""
      const there = edit(content, old, unique)
      if (!there.ok) return
      const back = edit(there.value.content, unique, old)
      expect(back.ok && back.value.content).toBe(content)
    }),
  )
})

test("50,000 lines: comparisons stay linear, found or not", () => {
  const size = 50_000
  const lines = Array.from({ length: size }, (_, index) => (index % 2 ? "  x" : "  y"))
  const inputs: EditInput[] = [
    // The worst for a naive search: every position begins like the wanted text.
    {
      oldString: `${lines
        .slice(0, 2_000)
        .map((line) => line.trim())
        .join("\n")}\nnever\n`,
      newString: "z",
    },
    { oldString: `${lines.slice(0, 100).join(" \n")}\\"\n`, newString: "z" },
    { oldString: "\n\nx\nz\n\n", newString: "z" },
  ]
  for (const input of inputs) {
    const counter = { comparisons: 0 }
    const done = applyEdit(lines.join("\n"), input, counter)
    expect(!done.ok && done.error.kind).toBe("not_found")
    expect(counter.comparisons).toBeGreaterThan(size)
    expect(counter.comparisons).toBeLessThan(30 * (size + linesOf(input.oldString).length))
  }
})

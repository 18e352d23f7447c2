import { describe, expect, test } from "bun:test"
import { applyEdit } from "./match.ts"
import type { EditInput } from "./types.ts"

type Sized = EditInput & { readonly content: string }

const numbered = (size: number, line: (index: number) => string) =>
  Array.from({ length: size }, (_, index) => line(index)).join("\n")

type Case = [string, string, (size: number) => Sized]

/** What edits took a time by the square of the file, or could. */
const cases: readonly Case[] = [
  [
    "places that overlap",
    "ambiguous",
    (size) => ({ content: "x  \n".repeat(size), oldString: "x\n".repeat(size / 2), newString: "z" }),
  ],
  [
    "places that overlap, all wanted",
    "applied",
    (size) => ({
      content: "x  \n".repeat(size + 1),
      oldString: "x\n".repeat(size / 2),
      newString: "z",
      replaceAll: true,
    }),
  ],
  [
    "all places of a file with CRLF",
    "applied",
    (size) => ({ content: "a b\r\n".repeat(size), oldString: "a b\n", newString: "c\nd\n", replaceAll: true }),
  ],
  [
    "all places of a file that mixes line ends",
    "applied",
    (size) => ({ content: "a b\r\nq\n".repeat(size), oldString: "a b", newString: "c\nd", replaceAll: true }),
  ],
  [
    "all places after the last line end of a file that mixes them",
    "applied",
    (size) => ({ content: `\r\n\n${"a b ".repeat(size)}`, oldString: "a b", newString: "c\nd", replaceAll: true }),
  ],
  [
    "all places with literals",
    "applied",
    (size) => ({ content: "x  = 'a'\n".repeat(size), oldString: "x = 'a'\n", newString: "z\n", replaceAll: true }),
  ],
  [
    "escaped quotes that nothing closes",
    "applied",
    (size) => ({ content: `"\` ${'\\"'.repeat(size)}\nfoo  bar\n`, oldString: "foo bar", newString: "z" }),
  ],
  [
    "quotes that nothing closes",
    "applied",
    (size) => ({ content: `${"\"`' ".repeat(size)}\nfoo  bar\n`, oldString: "foo bar", newString: "z" }),
  ],
  ...[
    ["here-documents that nothing ends", "x <<EOF <<A"],
    ["here-documents that are ended", "x <<A\nA"],
    ["openings of %q that nothing closes", "x = %q( %w[ %q|"],
    ["long brackets that nothing closes", "x = [[ [=[ [==["],
    ["raw strings that nothing closes", 'x = r#" r##" R"a('],
    ["block scalars, one below the other", "  k: |"],
    ["literals that are closed", 'x = %q(a (b)) [[c]] r#"d"#'],
    ["lists that look like long brackets", "x = [[a, b]] %(c)"],
    ["comments with an apostrophe", "foo() # it's /* don't */"],
    ["braces that nothing closes", "  k: { a: |"],
    ["bodies of SQL and texts of Perl that nothing closes", "as $a$ my $x = q("],
    ["here-documents with small letters", "cat << a\na"],
    ["triple quotes that nothing closes", "x = ''' # \"\"\""],
  ].map(([name = "", line = ""]): Case => [
    name,
    "applied",
    (size) => ({ content: `foo  bar\n${`${line}\n`.repeat(size)}`, oldString: "foo bar", newString: "z" }),
  ]),
  [
    "lines unlike all others",
    "not_found",
    (size) => ({
      content: numbered(size, (index) => `alpha beta ${index}`),
      oldString: `${numbered(size, (index) => `alpha gamma q${index}`)}\nalpha beta and the longest line`,
      newString: "z",
    }),
  ],
  [
    "lines that all vote",
    "not_found",
    (size) => ({ content: "x\ny y\n".repeat(size), oldString: `${"y y\n".repeat(size)}no`, newString: "z" }),
  ],
]

function measured(input: Sized): { readonly outcome: string; readonly comparisons: number } {
  const counter = { comparisons: 0 }
  const done = applyEdit(input.content, input, counter)
  return { outcome: done.ok ? "applied" : done.error.kind, comparisons: counter.comparisons }
}

describe("twice the input takes at most about twice the comparisons", () => {
  test.each(cases)("%s", (_name, outcome, make) => {
    const [once, twice] = [measured(make(5_000)), measured(make(10_000))]
    expect([once.outcome, twice.outcome]).toEqual([outcome, outcome])
    expect(once.comparisons).toBeGreaterThan(1_000)
    expect(twice.comparisons / once.comparisons).toBeLessThanOrEqual(2.2)
    expect(once.comparisons).toBeLessThan(60 * 5_000)
  })
})

test("of places that overlap the first is replaced, and the message counts no further than it must", () => {
  const content = "x  \n".repeat(1_000)
  const done = applyEdit(content, { oldString: "x\n".repeat(600), newString: "z\n" })
  expect(!done.ok && done.error.message).toContain("at least 100 times")
  const all = applyEdit(content, { oldString: "x\n".repeat(600), newString: "z\n", replaceAll: true })
  expect(all.ok && all.value.content).toBe(`z\n${"x  \n".repeat(400)}`)
})

test("one line of some megabytes: found, refused and not found", () => {
  const long = "word and 'quoted' ".repeat(200_000)
  expect(measured({ content: `${long}\nfoo  bar\n`, oldString: "foo bar", newString: "z" }).outcome).toBe("applied")
  expect(measured({ content: long, oldString: `${long} x`, newString: "z" }).outcome).toBe("not_found")
  expect(measured({ content: `${long}  end'`, oldString: `${long}end'`, newString: "z" }).outcome).toBe("refused")
})

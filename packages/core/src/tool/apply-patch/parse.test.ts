import { expect, test } from "bun:test"
import { parsePatch } from "./parse.ts"

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")
const sections = (text: string) => {
  const parsed = parsePatch(text)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

const marks = [
  "*** Begin Patch",
  "*** End Patch",
  "*** Add File: x",
  "*** Update File: x",
  "*** Delete File: x",
  "*** Move to: x",
  "*** End of File",
  "@@",
]

test("a mark behind the sign of a line is content", () => {
  for (const mark of marks) {
    const body = [` ${mark}`, `-${mark}`, `+${mark}!`, `+  ${mark}`]
    expect(sections(patch("*** Update File: f", ...body))).toMatchObject([
      {
        chunks: [
          {
            atEnd: false,
            lines: [
              { sign: " ", text: mark },
              { sign: "-", text: mark },
              { sign: "+", text: `${mark}!` },
              { sign: "+", text: `  ${mark}` },
            ],
          },
        ],
      },
    ])
    expect(sections(patch("*** Add File: f", `+${mark}`))).toMatchObject([{ kind: "add", lines: [mark] }])
  }
})

test("a mark may have white space behind it, and but for the first one none before", () => {
  expect(sections("*** Begin Patch \t\n*** Delete File: f  \n*** End Patch  ")).toMatchObject([{ path: "f" }])
  expect(parsePatch(" *** Begin Patch\n*** Delete File: f\n*** End Patch").ok).toBe(true)
  expect(parsePatch("*** Begin Patch\n*** Delete File: f\n *** End Patch").ok).toBe(false)
  expect(parsePatch(patch(" *** Delete File: f")).ok).toBe(false)
})

test("blank lines before the next section belong to nothing, others are unchanged lines", () => {
  const chunks = (...lines: string[]) =>
    sections(patch("*** Update File: f", ...lines)).map((section) =>
      section.kind === "update" ? section.chunks.map((chunk) => chunk.lines.length) : section.path,
    )
  expect(chunks("-a", "", "", " z")).toEqual([[4]])
  expect(chunks("-a", "", "  ", "*** Delete File: g", "", "")).toEqual([[1], "g"])
  expect(chunks("-a", "", "*** End of File", "")).toEqual([[2]])
  expect(chunks("-a", "", "@@", "-b", "", "")).toEqual([[2, 1]])
})

test("a path longer than the system takes is refused", () => {
  const long = `${"d/".repeat(2_048)}f`
  expect(parsePatch(patch(`*** Delete File: ${long}`))).toMatchObject({ ok: false, error: { kind: "parse" } })
  expect(parsePatch(patch("*** Update File: f", `*** Move to: ${long}`)).ok).toBe(false)
})

test.each([
  ["that are unchanged lines", (count: number) => patch("*** Update File: f", "-a", ...Array(count).fill(""), " z")],
  ["before the next section", (count: number) => patch("*** Update File: f", "-a", ...Array(count).fill(""))],
  [
    "in a section that adds",
    (count: number) => patch("*** Add File: f", "+a", ...Array(count).fill(""), "*** Delete File: g"),
  ],
])("empty lines %s are looked at once each", (_, build) => {
  const work = (count: number) => {
    const counter = { comparisons: 0 }
    expect(parsePatch(build(count), counter).ok).toBe(true)
    return counter.comparisons
  }
  expect(work(2_000)).toBeGreaterThan(1_999)
  expect(work(2_000)).toBeLessThan(2_010)
  expect(work(20_000)).toBeLessThan(20_010)
})

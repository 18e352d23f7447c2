import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Chunk } from "./types.ts"
import { updateText } from "./update-text.ts"

const chunkOf = (lines: readonly string[], atEnd = false, headers: readonly string[] = []): Chunk => ({
  headers,
  lines: lines.map((line) => ({ sign: line[0] as " " | "-" | "+", text: line.slice(1) })),
  atEnd,
  at: 1,
})
const update = (content: string, ...lines: string[]) => {
  const done = updateText(content, [chunkOf(lines)], "f")
  return done.ok ? done.value : done.error.message
}

test("a replaced line takes the end of the line that it replaces, in order", () => {
  expect(update("a\r\nb\nc\n", "-a", "+z")).toBe("z\r\nb\nc\n")
  expect(update("a\r\nb\nc\r\n", "-a", "-b", "-c", "+x", "+y", "+z")).toBe("x\r\ny\nz\r\n")
  expect(update("a\r\nb\nc\r\n", "-a", "+x", "-b", "+y", "-c", "+z")).toBe("x\r\ny\nz\r\n")
  expect(update("a\r\nb\nc\r\n", "+x", "+y", "-a", "-b", " c")).toBe("x\r\ny\nc\r\n")
  expect(update("a\rb\nc\r\n", "-a", " b", "-c", "+z")).toBe("b\nz\r\n")
})

test("further added lines take the end of the last removed line, else of the line before", () => {
  expect(update("a\nb\r\nc\n", "-b", "+1", "+2", "+3")).toBe("a\n1\r\n2\r\n3\r\nc\n")
  expect(update("a\nb\r\nc\n", " b", "+x")).toBe("a\nb\r\nx\r\nc\n")
  expect(update("a\r\nb\nc\n", "+x", " a")).toBe("x\r\na\r\nb\nc\n")
  expect(update("a\r\nb\nc", "-c", "+1", "+2")).toBe("a\r\nb\n1\n2")
  expect(update("a\r\nb", " b", "+c")).toBe("a\r\nb\r\nc")
})

test("a byte order mark stays where it is, and is no white space", () => {
  expect(update("\ufeffx\ny\n", "-x", "+z")).toBe("\ufeffz\ny\n")
  expect(update("\ufeff  x\ny\n", "-x", " y")).toBe("\ufeffy\n")
  expect(update("\ufeffx\ny\n", "-\ufeffx", "+\ufeffz", " y")).toBe("\ufeffz\ny\n")
  expect(update("x\ny\n", " \ufeffx", "-y", "+z")).toBe("x\nz\n")
  expect(update("\ufeff", "+z")).toBe("\ufeffz\n")
  expect(update("a\n\ufeffx\n", "-x", "+z")).toContain("its lines were not found")
  expect(update("a\n\ufeffx\n", "-\ufeffx", "+z")).toBe("a\nz\n")
})

const mixed = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom("a", "b", "  c", "d ", "e"), fc.constantFrom("\n", "\r\n")), {
      minLength: 2,
      maxLength: 10,
    }),
    fc.boolean(),
  )
  .map(([lines, ended]) =>
    lines.map(([text, end], index) => ({ text, end: !ended && index === lines.length - 1 ? "" : end })),
  )

test("a patch that keeps or raises the number of lines and its inverse are the identity, whatever ends the lines", () => {
  let applied = 0
  fc.assert(
    fc.property(
      mixed,
      fc.nat(9),
      fc.nat(4),
      fc.array(fc.constantFrom("x", "y", "a"), { maxLength: 5 }),
      fc.boolean(),
      (lines, place, count, fresh, addFirst) => {
        const from = place % lines.length
        const old = lines.slice(from, from + count).map(({ text }) => text)
        if (fresh.length === 0 || fresh.length < old.length) return
        const content = lines.map(({ text, end }) => text + end).join("")
        const around = (middle: readonly string[]) => [
          ...lines.slice(0, from).map(({ text }) => ` ${text}`),
          ...middle,
          ...lines.slice(from + old.length).map(({ text }) => ` ${text}`),
        ]
        const change = (text: string, minus: readonly string[], plus: readonly string[]) => {
          const removed = minus.map((line) => `-${line}`)
          const added = plus.map((line) => `+${line}`)
          const body = addFirst ? [...added, ...removed] : [...removed, ...added]
          const done = updateText(text, [chunkOf(around(body), true)], "f")
          return done.ok ? done.value : done.error.message
        }
        const there = change(content, old, fresh)
        expect(there.split(/\r?\n/).filter((line) => line !== "")).toHaveLength(
          lines.length - old.length + fresh.length,
        )
        expect(change(there, fresh, old)).toBe(content)
        applied++
      },
    ),
    { numRuns: 600 },
  )
  expect(applied).toBeGreaterThan(200)
})

test("lines outside of the chunk keep their ends", () => {
  fc.assert(
    fc.property(mixed, fc.nat(9), (lines, place) => {
      const from = place % lines.length
      const content = lines.map(({ text, end }) => text + end)
      const body = lines.map(({ text }, index) => (index === from ? [`-${text}`, "+new"] : [` ${text}`])).flat()
      const expected = content.with(from, `new${lines[from]?.end}`).join("")
      expect(updateText(content.join(""), [chunkOf(body)], "f")).toEqual({ ok: true, value: expected })
    }),
  )
})

/** Steps of the search for this many chunks on twice as many lines; the text must come out as expected. */
function workOf(
  count: number,
  written: (line: string) => string,
  headers: (line: string) => readonly string[],
): number {
  const counter = { comparisons: 0 }
  const lines = Array.from({ length: count * 2 }, (_, index) => `line ${index}`)
  const chunks = Array.from({ length: count }, (_, index) => {
    const [first = "", second = ""] = lines.slice(index * 2, index * 2 + 2)
    return chunkOf([`-${written(second)}`, `+new ${index}`], false, headers(first))
  })
  const done = updateText(lines.map((line) => `  ${line}\n`).join(""), chunks, "f", counter)
  const expected = lines.map((line, index) => (index % 2 === 0 ? `  ${line}\n` : `new ${(index - 1) / 2}\n`)).join("")
  expect(done).toEqual({ ok: true, value: expected })
  return counter.comparisons
}

test.each([
  ["exact", (line: string) => `  ${line}`, () => []],
  ["with other white space", (line: string) => line, () => []],
  ["with other typography", (line: string) => line.replace(" ", "\u00a0"), () => []],
  ["below an @@ line", (line: string) => line, (line: string) => [line]],
])("many chunks are found in linear work: %s", (_, written, headers) => {
  const small = workOf(500, written, headers)
  expect(small).toBeGreaterThan(1_000)
  expect(workOf(5_000, written, headers) / small).toBeLessThan(10.5)
})

test("many chunks that all are the same line, found in linear work", () => {
  const work = (count: number) => {
    const counter = { comparisons: 0 }
    const chunks = Array.from({ length: count }, () => chunkOf(["-a", "+b"]))
    expect(updateText("a\n".repeat(count), chunks, "f", counter)).toEqual({ ok: true, value: "b\n".repeat(count) })
    return counter.comparisons
  }
  expect(work(10_000) / work(1_000)).toBeLessThan(10.5)
})

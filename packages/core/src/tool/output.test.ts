import { afterAll, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { silentLog } from "@cairn/kernel/log"
import fc from "fast-check"
import { cutText } from "./cut-text.ts"
import { createOutput, type Direction, type OutputOptions } from "./output.ts"

const home = mkdtempSync(join(tmpdir(), "cairn-output-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))
let count = 0
function fresh(limits: OutputOptions["limits"] = {}, now = Date.now()) {
  const directory = join(home, String(++count), "tool-output")
  return { directory, output: createOutput({ directory, clock: { now: () => now }, log: silentLog, limits }) }
}
const owner = { sessionID: "ses_1", callID: "call_1" }
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`).join("\n")

describe("fit", () => {
  test("what is within the limits stays as it is, and no file is made", async () => {
    const { directory, output } = fresh({ maxLines: 3, maxBytes: 20 })
    for (const text of ["", "one", "1\n2\n3", "1\n2\n3\n", "x".repeat(20)])
      expect(await output.fit(text, owner)).toEqual({ text, truncated: false })
    expect(existsSync(directory)).toBe(false)
  })

  test("2,000 lines and 51,200 bytes are the limits", async () => {
    const { output } = fresh()
    expect((await output.fit(numbers(1, 2_000), owner)).truncated).toBe(false)
    expect((await output.fit(numbers(1, 2_001), owner)).truncated).toBe(true)
    expect((await output.fit("x".repeat(51_200), owner)).truncated).toBe(false)
    expect((await output.fit("x".repeat(51_201), owner)).truncated).toBe(true)
  })

  test("head keeps the first lines, tail the last; the note says what is missing and where all of it is", async () => {
    const { output } = fresh({ maxLines: 3 })
    const head = await output.fit(numbers(1, 10), owner)
    const note = (spill: string, word: string) =>
      `[7 ${word} lines (14 bytes) left out. The whole output is in ${spill}: read it with offset and limit, or grep it.]`
    expect(head.text).toBe(`1\n2\n3\n\n${note(head.spill!, "more")}`)
    expect(readFileSync(head.spill!, "utf8")).toBe(numbers(1, 10))
    const tail = await output.fit(`${numbers(1, 10)}\n`, owner, "tail")
    expect(tail.text).toBe(`${note(tail.spill!, "earlier")}\n\n8\n9\n10`)
    expect(readFileSync(tail.spill!, "utf8")).toBe(`${numbers(1, 10)}\n`)
  })

  test("the file is for the user only, and a name from a provider cannot leave the directory", async () => {
    const { directory, output } = fresh({ maxLines: 1 })
    for (const callID of ["../../etc/passwd", "a/b\0c", "x".repeat(500), "", "."]) {
      const { spill } = await output.fit("1\n2", { sessionID: "s", callID })
      expect(spill).toStartWith(`${directory}/`)
      expect(spill!.slice(directory.length + 1)).toMatch(/^[A-Za-z0-9_-]{1,60}\.txt$/)
      expect(statSync(spill!).mode & 0o777).toBe(0o600)
    }
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(readdirSync(directory)).toHaveLength(5)
  })

  test("no file is written twice, not even for the same call", async () => {
    const { output } = fresh({ maxLines: 1 })
    const first = await output.fit("1\n2", owner)
    const second = await output.fit("3\n4", owner)
    const other = await output.fit("5\n6", { ...owner, sessionID: "ses_2" })
    expect(new Set([first.spill, second.spill, other.spill]).size).toBe(3)
    expect(readFileSync(first.spill!, "utf8")).toBe("1\n2")
  })

  test("a directory that cannot be written costs the file, not the output", async () => {
    const path = join(home, "a-file")
    writeFileSync(path, "")
    const output = createOutput({
      directory: join(path, "below"),
      clock: { now: () => 0 },
      log: silentLog,
      limits: { maxLines: 1 },
    })
    const fitted = await output.fit("1\n2", owner)
    expect(fitted).toMatchObject({ truncated: true })
    expect(fitted.spill).toBeUndefined()
    expect(fitted.text).toMatch(/^1\n\n\[1 more line \(1 bytes\) left out; they could not be saved: .*ENOTDIR/)
  })
})

describe("a stream", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  test("gives the same as the whole text, wherever it is cut", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 10 })
    const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"))
    const direction = fc.constantFrom<Direction>("head", "tail")
    const { output } = fresh({ maxLines: 8, maxBytes: 60 })
    const plain = (text: string) => text.replace(/in .*?: read/, "in FILE: read")
    await fc.assert(
      fc.asyncProperty(text, direction, fc.integer({ min: 1, max: 40 }), async (whole, way, size) => {
        const fitted = await output.fit(whole, owner, way)
        await using writer = output.open(owner, way)
        const all = bytes(whole)
        for (let at = 0; at < all.length; at += size) await writer.write(all.subarray(at, at + size))
        const streamed = await writer.end()
        expect(plain(streamed.text)).toBe(plain(fitted.text))
        expect(Buffer.byteLength(streamed.text)).toBeLessThan(60 + 300)
        if (streamed.spill) expect(readFileSync(streamed.spill, "utf8")).toBe(whole)
      }),
      { numRuns: 60, seed: 11 },
    )
  })

  test("20 MB pass in bounded memory and are all in the file", async () => {
    const { output } = fresh()
    await using writer = output.open(owner, "tail")
    const chunk = bytes(`${"y".repeat(99)}\n`.repeat(2_000))
    for (let i = 0; i < 100; i++) await writer.write(chunk)
    await writer.write(bytes("the end\n"))
    const { text, spill } = await writer.end()
    expect(statSync(spill!).size).toBe(20_000_008)
    expect(text).toEndWith("y\nthe end")
    expect(text).toStartWith("[199489 earlier lines (19948900 bytes) left out.")
    expect(Buffer.byteLength(text)).toBeLessThan(52_000)
  })

  test("one that is given up leaves no file", async () => {
    const { directory, output } = fresh({ maxLines: 1 })
    {
      await using writer = output.open(owner, "tail")
      await writer.write(bytes("1\n2\n3\n"))
      expect(readdirSync(directory)).toHaveLength(1)
    }
    expect(readdirSync(directory)).toEqual([])
  })

  test("bytes that are no text become replacement characters, and stay as they are in the file", async () => {
    const { output } = fresh({ maxLines: 1 })
    await using writer = output.open(owner, "head")
    await writer.write(new Uint8Array([0x61, 0xff, 0x00, 0x0a, 0x62]))
    const { text, spill } = await writer.end()
    expect(text).toStartWith("a\ufffd\0\n\n[1 more")
    expect([...readFileSync(spill!)]).toEqual([0x61, 0xff, 0x00, 0x0a, 0x62])
  })
})

describe("cutText", () => {
  test("a single long line is cut between characters", () => {
    const text = "€".repeat(30)
    const total = { bytes: 90, lines: 1 }
    const limits = { maxLines: 5, maxBytes: 10 }
    expect(cutText(text, total, limits, "head")).toEqual({
      text: "€€€",
      truncated: true,
      left: { bytes: 81, lines: 0 },
    })
    expect(cutText(text, total, limits, "tail")).toEqual({
      text: "€€€",
      truncated: true,
      left: { bytes: 81, lines: 0 },
    })
  })

  test("a cut line at the edge of a part is dropped when there are others", () => {
    const total = { bytes: 100, lines: 10 }
    expect(cutText("ole\nwhole\n", total, { maxLines: 5, maxBytes: 10 }, "tail").text).toBe("whole")
    expect(cutText("whole\nwho", total, { maxLines: 5, maxBytes: 10 }, "head").text).toBe("whole")
  })
})

describe("sweep", () => {
  test("removes files of more than seven days, and nothing else", async () => {
    const day = 24 * 60 * 60
    const now = 2_000_000_000
    const { directory, output } = fresh({}, now * 1_000)
    mkdirSync(join(directory, "old-directory"), { recursive: true })
    const target = join(home, "target")
    writeFileSync(target, "precious")
    symlinkSync(target, join(directory, "old-link"))
    for (const [name, age] of [
      ["old", 8],
      ["new", 6],
    ] as const) {
      writeFileSync(join(directory, name), "")
      utimesSync(join(directory, name), now - age * day, now - age * day)
    }
    expect(await output.sweep()).toBe(1)
    expect(readdirSync(directory).toSorted()).toEqual(["new", "old-directory", "old-link"])
    expect(readFileSync(target, "utf8")).toBe("precious")
  })

  test("a directory that was never made is no failure", async () => {
    expect(await fresh().output.sweep()).toBe(0)
  })
})

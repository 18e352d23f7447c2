import { expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileSink } from "./log-file.ts"

function inTemp(work: (dir: string) => void): void {
  const dir = mkdtempSync(join(tmpdir(), "cairn-log-"))
  try {
    work(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

test("lines are appended to a private file that is made at the first line", () =>
  inTemp((dir) => {
    const file = join(dir, "log", "cairn.log")
    for (const line of ["one", "two"]) {
      using sink = fileSink(file)
      sink.write(line)
    }
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  }))

test("nothing is created while nothing is logged", () =>
  inTemp((dir) => {
    using sink = fileSink(join(dir, "log", "cairn.log"))
    expect(sink.failed).toBe(false)
    expect(() => statSync(join(dir, "log"))).toThrow()
  }))

test("a large file is moved aside", () =>
  inTemp((dir) => {
    const file = join(dir, "cairn.log")
    writeFileSync(file, "x".repeat(6 * 1024 * 1024))
    using sink = fileSink(file)
    sink.write("fresh")
    expect(readFileSync(file, "utf8")).toBe("fresh\n")
    expect(statSync(`${file}.1`).size).toBe(6 * 1024 * 1024)
  }))

test("a log that cannot be written says so and disturbs nobody", () =>
  inTemp((dir) => {
    writeFileSync(join(dir, "file"), "")
    using sink = fileSink(join(dir, "file", "cairn.log"))
    sink.write("lost")
    expect(sink.failed).toBe(true)
  }))

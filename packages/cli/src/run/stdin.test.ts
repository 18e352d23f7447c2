import { describe, expect, test } from "bun:test"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { gate } from "@cairn/testkit/gate"
import { open, stdinOf } from "../../test/fake-io.ts"
import type { Stdin } from "../io.ts"
import { largestInput, readStdin } from "./stdin.ts"

function reading(stdin: Stdin, message: boolean) {
  const clock = new TestClock()
  const notes: string[] = []
  const group = new TaskGroup()
  const result = readStdin(stdin, { message, clock, signal: group.signal, note: (text) => notes.push(text) })
  return { clock, notes, group, result }
}
const value = (text: string) => ({ ok: true, value: text }) as const

describe("stdin is read", () => {
  test.each(["file", "pipe"] as const)("from a %s until it ends, with and without a message", async (kind) => {
    for (const message of [true, false]) {
      const { result, clock, notes } = reading(stdinOf(kind, ["one ", "two"]), message)
      expect(await result).toEqual(value("one two"))
      expect([notes, clock.pending]).toEqual([[], 0])
    }
  })

  test("as UTF-8, also when a character is cut", async () => {
    const bytes = new TextEncoder().encode("a標b")
    const { result } = reading(stdinOf("pipe", [bytes.slice(0, 2), bytes.slice(2)]), true)
    expect(await result).toEqual(value("a標b"))
  })
})

describe("stdin is not read", () => {
  test.each(["terminal", "none"] as const)("from a %s", async (kind) => {
    const { result } = reading(stdinOf(kind, ["never"]), false)
    expect(await result).toEqual(value(""))
  })

  test("when it is a directory, not text, or too large", async () => {
    for (const stdin of [
      stdinOf("directory"),
      stdinOf("file", ["a\0b"]),
      stdinOf("file", [new Uint8Array(largestInput).fill(97), "b"]),
    ]) {
      expect(await reading(stdin, true).result).toMatchObject({ ok: false, error: { kind: "usage" } })
    }
  })
})

describe("a pipe that falls silent", () => {
  test("is left alone after 3 s when there is a message, with a note", async () => {
    const { result, clock, notes } = reading(stdinOf("pipe", [open]), true)
    await clock.timers()
    await clock.advance(2_999)
    expect(notes).toEqual([])
    await clock.advance(1)
    expect(await result).toEqual(value(""))
    expect(notes).toEqual([expect.stringContaining("sent nothing for 3 s")])
  })

  test("is read to its end once it has begun, however long it pauses, with a note", async () => {
    const pause = gate()
    const slow: Stdin = {
      kind: "pipe",
      async *chunks() {
        yield new TextEncoder().encode("building\n")
        await pause.opened
        yield new TextEncoder().encode("ERROR")
      },
    }
    const { result, clock, notes } = reading(slow, true)
    await clock.timers()
    await clock.advance(60_000)
    expect(notes).toEqual([expect.stringContaining("waiting for its end")])
    pause.open()
    expect(await result).toEqual(value("building\nERROR"))
    expect(clock.pending).toBe(0)
  })

  test("is waited for when it is the prompt, with a note", async () => {
    const { result, clock, notes, group } = reading(stdinOf("pipe", [open]), false)
    await clock.timers()
    await clock.advance(3_600_000)
    expect(notes).toEqual([expect.stringContaining("waiting for the prompt on stdin")])
    group.cancel()
    expect(result).rejects.toBeInstanceOf(Interrupted)
  })
})

test("an interruption ends the reading and leaves no timer", async () => {
  const { result, group, clock } = reading(stdinOf("pipe", [open]), true)
  await clock.timers()
  group.cancel()
  expect(await result.catch((error: unknown) => error)).toBeInstanceOf(Interrupted)
  expect(clock.pending).toBe(0)
})

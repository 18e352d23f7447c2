import { expect, test } from "bun:test"
import fc from "fast-check"
import { byteLines } from "./byte-lines.ts"

async function* streamOf(pieces: readonly Uint8Array[]) {
  yield* pieces
}

async function linesOf(pieces: readonly Uint8Array[], longest: number): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = []
  for await (const some of byteLines(streamOf(pieces), longest)) {
    lines.push(...some.map((line) => line && Buffer.from(line).toString("latin1")))
  }
  return lines
}

const bytes = (text: string) => Buffer.from(text, "latin1")

test("lines are the same in whatever pieces they come, and those that are too long are not kept", async () => {
  const piece = fc.array(fc.constantFrom("a", "b\xff", "\n", "\n\n", "\r", "long word"), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (given) => {
      const pieces = given.map((words) => words.join(""))
      const whole = pieces.join("").split("\n")
      if (whole.at(-1) === "") whole.pop()
      const expected = whole.map((line) => (line.length > 12 ? undefined : line))
      expect(await linesOf(pieces.map(bytes), 12)).toEqual(expected)
    }),
    { numRuns: 300, seed: 1 },
  )
})

test("a line is there as soon as it has ended", async () => {
  const gate = Promise.withResolvers<void>()
  async function* slow() {
    yield bytes("one\ntwo\nth")
    await gate.promise
    yield bytes("ree")
  }
  const lines = byteLines(slow(), 100)
  const first = await lines.next()
  expect(first.value?.map(String)).toEqual(["one", "two"])
  gate.resolve()
  expect((await lines.next()).value?.map(String)).toEqual(["three"])
  expect((await lines.next()).done).toBe(true)
})

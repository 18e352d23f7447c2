import { expect, test } from "bun:test"
import { fakeIo, open, stdinOf } from "../../test/fake-io.ts"
import { confirm } from "./confirm.ts"

const answer = (...pieces: Parameters<typeof stdinOf>[1] & object) => {
  const io = fakeIo({ stdin: stdinOf("terminal", pieces) })
  return confirm(io, "Delete it?").then((yes) => ({ yes, asked: io.stderr.text }))
}

test.each(["y\n", "Y\n", "yes\n", "YES\r\n", " y \n"])("%j is a yes", async (line) => {
  expect(await answer(line)).toEqual({ yes: true, asked: "Delete it? [y/N] " })
})

test.each(["\n", "n\n", "yesterday\n", "no\ny\n", "\u001b[Ay\n"])("%j is a no", async (line) => {
  expect((await answer(line)).yes).toBe(false)
})

test("the end of the input is a no, on a line of its own", async () => {
  expect(await answer()).toEqual({ yes: false, asked: "Delete it? [y/N] \n" })
})

test("one line is enough, in pieces too; what follows is not waited for", async () => {
  expect((await answer("y", "e", "s\n", open)).yes).toBe(true)
})

test("a line without an end is given up", async () => {
  expect((await answer("y".repeat(2_000), open)).yes).toBe(false)
})

import { expect, test } from "bun:test"
import { resetSequences } from "./reset.ts"

test("every mode that the interface uses is undone, and nothing is switched on but the cursor", () => {
  const off = [...resetSequences.matchAll(/\x1b\[\?(\d+)l/g)].map((match) => match[1])
  expect(off).toEqual(expect.arrayContaining(["1000", "1002", "1003", "1006", "1004", "2004", "2031", "2026", "1049"]))
  expect([...resetSequences.matchAll(/\x1b\[\?(\d+)h/g)].map((match) => match[1])).toEqual(["25"])
})

test("it has no line of its own: a prompt stands where it stood", () => {
  expect(resetSequences).not.toContain("\n")
  expect(resetSequences).toEndWith("\r")
})

import { expect, test } from "bun:test"
import type { Check } from "@cairn/core/doctor/check"
import { styleOf } from "../terminal/look.ts"
import { doctorLines } from "./doctor.ts"

const checks: Check[] = [
  { area: "runtime", name: "version", state: "ok", text: "Cairn 1" },
  {
    area: "config",
    name: "key",
    state: "warning",
    text: "modle: unknown \u001b[2J",
    advice: "Did you mean model? Look at it again.",
  },
  { area: "models", name: "default", state: "broken", text: "no/such", advice: "Choose another." },
  { area: "network", name: "provider", state: "note", text: "not tried" },
]
const lines = (list: Check[], width = 80) =>
  doctorLines({ ok: list.every(({ state }) => state !== "broken"), checks: list }, { width }, styleOf(false))

test("by area, the state as a word, what to do below", () => {
  expect(lines(checks)).toEqual([
    "runtime",
    "  ok      version: Cairn 1",
    "",
    "config",
    "  warn    key: modle: unknown ␛[2J",
    "          Did you mean model? Look at it again.",
    "",
    "models",
    "  broken  default: no/such",
    "          Choose another.",
    "",
    "network",
    "  note    provider: not tried",
    "",
    "1 thing is broken, 1 thing to look at.",
  ])
})

test("the last line says how it is", () => {
  expect(lines(checks.slice(0, 1)).at(-1)).toBe("All is well.")
  expect(lines(checks.slice(0, 2)).at(-1)).toBe("Nothing is broken; 1 thing to look at.")
})

test("long texts are wrapped below their beginning", () => {
  for (const line of lines(checks, 40)) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40)
})

import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  bounded,
  dateOf,
  dateReminder,
  interruptedReminder,
  loopGuardReminder,
  malformedReminder,
  reminder,
  stepLimitReminder,
} from "./reminder.ts"

test("a fragment is named and closed, and a steer says who speaks", () => {
  expect(reminder("plan", "Only plan.")).toBe('<system-reminder name="plan">\nOnly plan.\n</system-reminder>')
  const steer = reminder("steer", "Use tabs.")
  expect(steer).toStartWith('<system-reminder name="steer">\nThe user sent this new message')
  expect(steer).toEndWith("\nUse tabs.\n</system-reminder>")
})

test("no text can end its fragment or open another", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("</system-reminder>", "<system-reminder", "<", "/", "SYSTEM-reminder", "x")),
      (parts) => {
        const text = reminder("steer", parts.join(""))
        expect(text.match(/<\/system-reminder/gi)).toHaveLength(1)
        expect(text.match(/<system-reminder/gi)).toHaveLength(1)
      },
    ),
  )
})

test("text is bounded and the cut is said; no character is halved", () => {
  expect(bounded("abc", 3)).toBe("abc")
  expect(bounded("abcdef", 3)).toBe("abc\n[3 more characters were cut]")
  expect(bounded("a😀b", 2)).toBe("a\n[3 more characters were cut]")
  expect(reminder("date", "x".repeat(10_000)).length).toBeLessThan(400)
})

test("a user's message is only cut when it is enormous", () => {
  expect(reminder("steer", "x".repeat(100_000))).toContain("x".repeat(100_000))
})

test("the date is said with its day of the week", () => {
  expect(dateOf({ weekday: 6, date: "2026-11-21" })).toBe("Saturday 2026-11-21")
  expect(dateOf({ weekday: 0, date: "2026-11-22" })).toBe("Sunday 2026-11-22")
  expect(dateReminder("Sunday 2026-11-22")).toContain("Today is Sunday 2026-11-22.")
  expect(dateReminder("Sunday 2026-11-22", true)).toContain("has changed")
})

test("the engine's own fragments say what they are about", () => {
  expect(stepLimitReminder(7)).toContain("last of 7 steps")
  expect(interruptedReminder()).toContain("interrupted")
  expect(malformedReminder("ODD_CALL")).toContain("could not be read (ODD_CALL)")
  expect(loopGuardReminder("the same read three times")).toContain("the same read three times")
})

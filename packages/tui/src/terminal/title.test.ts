import { expect, test } from "bun:test"
import { type TitleState, titleOf } from "./title.ts"

test.each([
  [{ busy: false, waits: false }, "cairn"],
  [{ session: "Fix the adder", busy: false, waits: false }, "cairn Fix the adder"],
  [{ session: "Fix the adder", busy: true, waits: false }, "cairn ◐ Fix the adder"],
  [{ session: "Fix the adder", busy: true, waits: true }, "cairn ! Fix the adder"],
  [{ session: "  ", busy: true, waits: false }, "cairn"],
] satisfies [TitleState, string][])("%j: %s", (state, expected) => {
  expect(titleOf(state) as string).toBe(expected)
})

test("a name is no place for orders to the terminal", () => {
  const session = "\x1b]0;evil\x07x\x07\u202e\nnext"
  expect(titleOf({ session, busy: false, waits: false }) as string).toBe("cairn x␇⟨U+202E⟩ next")
})

test("a long name is cut between characters", () => {
  const title = titleOf({ session: "👨‍👩‍👧‍👦".repeat(200), busy: false, waits: false })
  expect(title as string).toBe(`cairn ${"👨‍👩‍👧‍👦".repeat(59)}…`)
})

import { expect, test } from "bun:test"
import { parseMention, triggerAt } from "./trigger.ts"

/** `|` is the cursor. */
function at(shown: string) {
  return triggerAt(shown.replace("|", ""), shown.indexOf("|"))
}

test.each([
  ["@|", { kind: "mention", query: "", from: 0, to: 1 }],
  ["see @src/a|", { kind: "mention", query: "src/a", from: 4, to: 10 }],
  ["see @src|/a.ts now", { kind: "mention", query: "src", from: 4, to: 13 }],
  ["(@a|)", { kind: "mention", query: "a", from: 1, to: 4 }],
  ["line\n@a|", { kind: "mention", query: "a", from: 5, to: 7 }],
  ["/|", { kind: "command", query: "", from: 0, to: 1 }],
  ["/und|o", { kind: "command", query: "und", from: 0, to: 5 }],
  ["me@host|", undefined],
  ["@a b|", undefined],
  ["/undo it|", undefined],
  ["not /a|", undefined],
  ["|@a", undefined],
  ["@a@b|", undefined],
])("%j", (shown, trigger) => {
  expect(at(shown)).toEqual(trigger as never)
})

test.each([
  ["src/a.ts", { path: "src/a.ts" }],
  ["src/a.ts:10", { path: "src/a.ts", lines: [10, 10] }],
  ["src/a.ts:10-40", { path: "src/a.ts", lines: [10, 40] }],
  ["src/a.ts:40-10", { path: "src/a.ts", lines: [40, 40] }],
  ["src/a.ts:10-", { path: "src/a.ts", lines: [10, 10] }],
  ["src/a.ts:0", { path: "src/a.ts", lines: [1, 1] }],
  ["a.ts#main", { path: "a.ts", symbol: "main" }],
  ["a.ts#", { path: "a.ts", symbol: "" }],
  [":10", { path: ":10" }],
] as const)("%s", (query, mention) => {
  expect(parseMention(query)).toEqual(mention as never)
})

import { expect, test } from "bun:test"
import type { SearchHit } from "@cairn/schema/search"
import { messageID, sessionID } from "../../test/values.ts"
import { styleOf } from "../terminal/look.ts"
import { searchHits } from "./search-hits.ts"

const now = Date.UTC(2026, 0, 2)
const hit = (change: Partial<SearchHit> = {}): SearchHit => ({
  ...{ sessionID, title: "Fix the parser", directory: "/repo", messageID, partID: "prt_1" },
  ...{ role: "assistant", type: "text", time: now - 3 * 3_600_000 },
  excerpt: { text: "…where the parser fails", matches: [[11, 17]] },
  ...change,
})
const shown = (hits: SearchHit[], color = false, directories = false) =>
  searchHits(hits, { style: styleOf(color), now, directories })

test("a hit is a block: session, time and whose words; the words; and the command that goes there", () => {
  expect(shown([hit(), hit({ role: "user", title: "Other" })])).toBe(
    [
      "Fix the parser, 3 h ago, answer",
      "  …where the parser fails",
      `  cairn session show ${sessionID} --message ${messageID}`,
      "",
      "Other, 3 h ago, you",
      "  …where the parser fails",
      `  cairn session show ${sessionID} --message ${messageID}`,
      "",
    ].join("\n"),
  )
})

test("whose words they are", () => {
  const whose = (change: Partial<SearchHit>) =>
    shown([hit(change)])
      .split("\n")[0]
      ?.split(", ")
      .at(-1)
  expect(whose({ type: "tool", tool: "bash" })).toBe("bash")
  expect(whose({ type: "reasoning" })).toBe("reasoning")
  expect(whose({ summary: true })).toBe("summary")
  expect(whose({ role: "user" })).toBe("you")
  expect(whose({ role: "user", synthetic: true })).toBe("note")
})

test("with directories where more than one can be meant", () => {
  expect(shown([hit()], false, true)).toStartWith("Fix the parser in /repo, 3 h ago, answer\n")
})

test("with colours the words are marked, each where it stands", () => {
  const [, line] = shown(
    [
      hit({
        excerpt: {
          text: "one two one",
          matches: [
            [0, 3],
            [8, 11],
          ],
        },
      }),
    ],
    true,
  ).split("\n")
  const one = "\x1b[36m\x1b[1mone\x1b[22m\x1b[39m"
  expect(line).toBe(`  ${one} two ${one}`)
})

test("nothing in it can harm a terminal, and the marks stay in their places", () => {
  const text = "\x1b[2J evil\u202e \x1b]0;x\x07 end"
  const at = text.indexOf("evil")
  const out = shown(
    [
      hit({
        title: "a\x1b[2Jb",
        tool: "x\x1b[2J",
        type: "tool",
        directory: "/\x1b[2J",
        excerpt: { text, matches: [[at, at + 4]] },
      }),
    ],
    true,
    true,
  )
  expect(out).toContain("\x1b[36m\x1b[1mevil\x1b[22m\x1b[39m")
  expect(out.replaceAll(/\x1b\[(?:1|2|22|36|39)m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/)
})

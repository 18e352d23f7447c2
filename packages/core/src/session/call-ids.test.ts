import { expect, test } from "bun:test"
import type { ToolPart } from "@cairn/schema/part"
import { createCallIDs } from "./call-ids.ts"

const call = (id: string, callID: string): ToolPart => ({
  ...{ id, sessionID: "ses_1", messageID: "msg_1", type: "tool", tool: "read", callID },
  state: { status: "pending", input: {}, raw: "" },
})

test("a model gets its own ids back, whatever they look like", () => {
  const ids = createCallIDs()
  expect(ids(call("prt_000000000001abcdefghijklmn", "functions.read:0"), true)).toBe("functions.read:0")
  expect(ids(call("prt_000000000002abcdefghijklmn", "toolu_1"), true)).toBe("toolu_1")
})

test("an id that was used before is replaced, the same way every time", () => {
  const name = () => {
    const ids = createCallIDs()
    return ["call_0", "call_0", "call_1", "call_0"].map((callID, index) =>
      ids(call(`prt_00000000000${index}${"abcdefghij"[index]}klmnopqrstuv`, callID), true),
    )
  }
  const [first, second, third, fourth] = name()
  expect([first, third]).toEqual(["call_0", "call_1"])
  expect(new Set(name()).size).toBe(4)
  expect([second, fourth]).toEqual(name().filter((_, index) => index % 2 === 1))
})

test("a call of another model gets an id that every provider takes", () => {
  const ids = createCallIDs()
  const made = ["functions.read:0", "x".repeat(200), "", "toolu_1"].map((callID, index) =>
    ids(call(`prt_00000000000${index}abcdefghijklm${index}`, callID), false),
  )
  for (const id of made) expect(id).toMatch(/^[0-9A-Za-z]{9}$/)
  expect(new Set(made).size).toBe(4)
})

test("parts whose ids end alike stay apart", () => {
  const ids = createCallIDs()
  const first = ids(call("prt_000000000001abcdefghijklmn", "a"), false)
  const second = ids(call("prt_000000000002abcdefghijklmn", "b"), false)
  expect(first).not.toBe(second)
  expect(ids(call("prt_1", "c"), false)).toBe("prt_1")
})

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { text, tool } from "../../test/values.ts"
import { grown, isClosed, newerPart } from "./part-order.ts"

const place = { id: "prt_1", messageID: "msg_1" }

describe("the newer of two states of a part", () => {
  test("is the longer text while it is open, and the closed one afterwards", () => {
    const [short, long, closed] = [text(place, "ab"), text(place, "abc"), text(place, "abc.", 2)]
    expect(newerPart(short, long)).toEqual(long)
    expect(newerPart(long, short)).toEqual(long)
    expect(newerPart(long, closed)).toBe(closed)
    expect(newerPart(closed, long)).toBe(closed)
  })

  test("is the settled call, but what happens to it afterwards counts", () => {
    const [running, done] = [tool(place, "running"), tool(place)]
    expect(newerPart(running, done)).toBe(done)
    expect(newerPart(done, running)).toBe(done)
    const again = tool(place)
    expect(newerPart(done, again)).toBe(again)
  })

  test("is what came when the kind is another one, or nothing tells", () => {
    const came = tool(place)
    expect(newerPart(text(place, "a", 1), came)).toBe(came)
    expect(isClosed({ ...place, sessionID: "ses_1", type: "agent", name: "build" })).toBe(true)
  })
})

describe("a text with a piece of it", () => {
  test("has it where it belongs, once", () => {
    expect(grown("abc", { offset: 3, delta: "de" })).toBe("abcde")
    expect(grown("abc", { offset: 1, delta: "bcd" })).toBe("abcd")
    expect(grown("abc", { offset: 0, delta: "ab" })).toBe("abc")
    expect(grown("abc", { delta: "d" })).toBe("abcd")
  })

  test("is not known when something is missing before the piece", () => {
    expect(grown("abc", { offset: 4, delta: "e" })).toBeUndefined()
  })

  test("property: pieces in order, cut anywhere and sent again from anywhere, make the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.tuple(fc.nat(), fc.nat())), (whole, cuts) => {
        let written: string | undefined = ""
        for (const [from, length] of cuts) {
          const offset: number = from % ((written?.length ?? 0) + 1)
          written = grown(written ?? "", { offset, delta: whole.slice(offset, offset + (length % 10)) })
          expect(whole.startsWith(written ?? "-")).toBe(true)
        }
        expect(grown(written ?? "", { offset: 0, delta: whole })).toBe(whole)
      }),
    )
  })
})

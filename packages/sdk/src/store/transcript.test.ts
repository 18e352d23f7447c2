import { describe, expect, test } from "bun:test"
import { messages, numbered, sessionID, text, user } from "../../test/values.ts"
import type { Topic } from "./notifier.ts"
import { Transcript } from "./transcript.ts"

function setUp(newest = messages(97, 100), limits = { page: 4, pages: 3 }) {
  const touched: Topic[] = []
  const transcript = new Transcript(sessionID, limits, (topic) => void touched.push(topic))
  transcript.begin({ messages: newest, more: true })
  touched.length = 0
  const held = () => transcript.ids.filter((id) => transcript.message(id)).map((id) => Number(id.slice(4)))
  const older = (from: number, to: number) => transcript.putOlder({ messages: messages(from, to), more: from > 1 })
  const update = (number: number) =>
    transcript.follow({
      type: "message.updated",
      properties: { sessionID, info: user(numbered("msg", number)) },
    })
  return { transcript, touched, held, older, update }
}

describe("pages", () => {
  test("going back, three pages are held and every id is kept", () => {
    const { transcript, held, older } = setUp()
    for (let to = 96; to > 0; to -= 4) older(to - 3, to)
    expect(transcript.ids).toHaveLength(100)
    expect(transcript.more).toBe(false)
    expect(held()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 97, 98, 99, 100])
    expect(transcript.counts).toEqual({ messages: 100, held: 12, parts: 100, heldParts: 12 })
  })

  test("what is dropped is told, and comes back when it is looked at", () => {
    const { transcript, touched, held, older } = setUp()
    for (let to = 96; to > 80; to -= 4) older(to - 3, to)
    expect(touched).toContain("message:msg_000096")
    expect(touched).toContain("part:prt_000096")
    const [wanted, ...rest] = transcript.want(
      transcript.ids.indexOf("msg_000094"),
      transcript.ids.indexOf("msg_000095"),
    )
    expect(rest).toEqual([])
    if (!wanted) return expect.unreachable()
    expect(wanted).toMatchObject({ limit: 4, before: "msg_000097" })
    transcript.refill(wanted, messages(93, 96))
    expect(held()).toEqual([81, 82, 83, 84, 93, 94, 95, 96, 97, 98, 99, 100])
  })

  test("a stretch over two pages keeps both, whatever else is held", () => {
    const { transcript, held, older } = setUp()
    for (let to = 96; to > 80; to -= 4) older(to - 3, to)
    const place = transcript.ids.indexOf("msg_000088")
    for (const wanted of transcript.want(place, place + 1)) {
      const to = Number(wanted.before?.slice(4)) - 1
      transcript.refill(wanted, messages(to - 3, to))
    }
    expect(held()).toEqual([85, 86, 87, 88, 89, 90, 91, 92, 97, 98, 99, 100])
  })

  test("while somebody reads old messages, new ones do not push them out", () => {
    const { transcript, held, older, update } = setUp()
    older(93, 96)
    older(89, 92)
    transcript.want(0, 7)
    for (let number = 101; number <= 120; number++) update(number)
    expect(held()).toEqual([89, 90, 91, 92, 93, 94, 95, 96, 117, 118, 119, 120])
    expect(transcript.ids).toHaveLength(32)
  })

  test("a page that is read again without messages that are gone has them no longer", () => {
    const { transcript, older } = setUp()
    for (let to = 96; to > 80; to -= 4) older(to - 3, to)
    const [wanted] = transcript.want(12, 12)
    if (!wanted) return expect.unreachable()
    transcript.refill(wanted, messages(93, 96).slice(2))
    expect(transcript.ids.slice(10, 15).map((id) => Number(id.slice(4)))).toEqual([91, 92, 95, 96, 97])
    transcript.refill(wanted, [])
    expect(transcript.ids).toHaveLength(18)
  })

  test("what overlaps with what is known is not there twice", () => {
    const { transcript, older } = setUp()
    older(93, 98)
    expect(transcript.ids.map((id) => Number(id.slice(4)))).toEqual([93, 94, 95, 96, 97, 98, 99, 100])
  })

  test("a message whose page nobody has read is not put at the end", () => {
    const { transcript, update } = setUp()
    update(3)
    expect(transcript.ids).not.toContain("msg_000003")
  })
})

describe("what is told", () => {
  const part = { id: "prt_000100", messageID: "msg_000100" }
  const grow = (offset: number, delta: string, id = "prt_000101") => {
    const properties = { sessionID, messageID: part.messageID, partID: id, field: "text", offset, delta }
    return { type: "message.part.delta" as const, properties }
  }
  const put = (each: ReturnType<typeof text>) => {
    return { type: "message.part.updated" as const, properties: { sessionID, part: each, time: 1 } }
  }

  test("a piece of text touches its part alone", () => {
    const { transcript, touched } = setUp()
    transcript.follow(put(text({ ...part, id: "prt_000101" }, "")))
    expect(touched).toEqual(["part:prt_000101", "message:msg_000100"])
    touched.length = 0
    transcript.follow(grow(0, "ab"))
    expect(touched).toEqual(["part:prt_000101"])
    touched.length = 0
    transcript.follow(grow(0, "ab"))
    transcript.follow({ ...grow(0, "x", "prt_000100") })
    expect(touched).toEqual([])
  })

  test("a piece that comes too early waits for the part, or for what is before it", () => {
    const { transcript } = setUp()
    expect(transcript.follow(grow(2, "cd"))).toBe("msg_000100")
    transcript.follow(put(text({ ...part, id: "prt_000101" }, "")))
    expect(transcript.gaps).toEqual(["msg_000100"])
    transcript.follow(grow(0, "abc"))
    transcript.follow(grow(4, "e"))
    transcript.follow(put(text({ ...part, id: "prt_000101" }, "abcd")))
    expect(transcript.part(part.messageID, "prt_000101")).toMatchObject({ text: "abcde" })
    expect(transcript.gaps).toEqual([])
  })

  test("a message that is read again closes the gap; what waits for a part that is gone is forgotten", () => {
    const { transcript, touched } = setUp()
    transcript.follow(put(text({ ...part, id: "prt_000101" }, "")))
    transcript.follow(grow(3, "d"))
    transcript.follow(grow(9, "never", "prt_000777"))
    touched.length = 0
    const [newest] = messages(100, 100)
    if (!newest) return expect.unreachable()
    transcript.renew({ ...newest, parts: [...newest.parts, text({ ...part, id: "prt_000101" }, "abc")] })
    expect(transcript.part(part.messageID, "prt_000101")).toMatchObject({ text: "abcd" })
    expect(transcript.gaps).toEqual([])
    expect(touched).toContain("part:prt_000101")
  })

  test("pieces that wait are bounded", () => {
    const { transcript } = setUp()
    transcript.follow(put(text({ ...part, id: "prt_000101" }, "")))
    const piece = "x".repeat(100_000)
    for (let n = 0; n < 40; n++) transcript.follow(grow(1 + n * piece.length, piece))
    transcript.follow(put(text({ ...part, id: "prt_000101" }, "y")))
    expect(transcript.part(part.messageID, "prt_000101")).toMatchObject({ text: "y" })
  })

  test("values are the same until they change", () => {
    const { transcript, update } = setUp()
    const [ids, message] = [transcript.ids, transcript.message("msg_000099")]
    transcript.follow(put(text(part, "text 100", 3)))
    expect(transcript.ids).toBe(ids)
    expect(transcript.message("msg_000099")).toBe(message)
    update(101)
    expect(transcript.ids).not.toBe(ids)
    expect(transcript.message("msg_000099")).toBe(message)
  })

  test("a removed message goes with its parts, and its page when it was the last", () => {
    const { transcript, touched, older } = setUp()
    older(96, 96)
    touched.length = 0
    transcript.follow({ type: "message.removed", properties: { sessionID, messageID: "msg_000096" } })
    expect(touched).toEqual(["message:msg_000096", "part:prt_000096", `transcript:${sessionID}`])
    expect(transcript.ids).toHaveLength(4)
    expect(transcript.want(0, 3)).toEqual([])
  })
})

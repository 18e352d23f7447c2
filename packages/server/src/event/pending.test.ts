import { expect, test } from "bun:test"
import fc from "fast-check"
import * as make from "../../test/event/events.ts"
import { createParser } from "../../test/event/listener.ts"
import { createPending } from "./pending.ts"
import { Told } from "./told.ts"

const text = (id: string) => make.growing("ses_1", "msg_1", id)
const to = { directory: "/a" }
let count = 0
const piece = (id: string, delta: string, offset: number) =>
  new Told({ id: `evt_${++count}`, ...make.piece(text(id), delta, offset) }, { to })
const entry = (seq: number) =>
  new Told({ id: `evt_s${seq}`, ...make.renamed("ses_1", "/a", `${seq}`) }, { to, seq, cursor: `${seq}.x` })

const events = (taken: { text: string }) => createParser()(taken.text).map(({ event }) => event)

test("pieces of one text become one piece, with the place where it begins and the id of the last", () => {
  const pending = createPending("local")
  pending.push(piece("prt_1", "ab", 4))
  pending.push(piece("prt_2", "x", 0))
  const last = piece("prt_1", "cd", 6)
  pending.push(last)
  expect(events(pending.take())).toMatchObject([
    { id: last.event.id, ...make.piece(text("prt_1"), "abcd", 4) },
    make.piece(text("prt_2"), "x", 0),
  ])
  expect([pending.bytes, pending.take()]).toEqual([0, { text: "", seq: undefined }])
})

test("nothing is moved past another event, and a piece that does not follow stays by itself", () => {
  const pending = createPending("global")
  pending.push(piece("prt_1", "ab", 0))
  pending.push(entry(7))
  pending.push(piece("prt_1", "cd", 2))
  pending.push(piece("prt_1", "zz", 9))
  pending.push(piece("prt_1", "!", 11))
  const taken = pending.take()
  expect(taken.seq).toBe(7)
  const heard = createParser()(taken.text)
  expect(heard.map(({ directory, cursor }) => [directory, cursor])).toEqual([
    ["/a", undefined],
    ["/a", "7.x"],
    ["/a", undefined],
    ["/a", undefined],
  ])
  expect(heard.map(({ event }) => ("delta" in event.properties ? event.properties.delta : ""))).toEqual([
    "ab",
    "",
    "cd",
    "zz!",
  ])
})

test("ten thousand pieces of a text cost little more than the text", () => {
  const pending = createPending("local")
  for (let n = 0; n < 10_000; n++) pending.push(piece("prt_1", "word ", n * 5))
  expect(pending.bytes).toBeLessThan(51_000)
  expect(events(pending.take())).toHaveLength(1)
})

test("whatever is pushed and taken when, the texts are whole, and the entries there, in their order", () => {
  const step = fc.oneof(
    fc.record({ is: fc.constant("piece" as const), part: fc.nat({ max: 2 }), delta: fc.string({ minLength: 1 }) }),
    fc.record({ is: fc.constant("entry" as const) }),
    fc.record({ is: fc.constant("take" as const) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pending = createPending("local")
      const texts = ["", "", ""]
      const seen = ["", "", ""]
      const order: number[] = []
      let seq = 0
      const take = () => {
        const taken = pending.take()
        for (const event of events(taken)) {
          if (event.type === "session.updated") order.push(Number(event.properties.info.title))
          if (event.type !== "message.part.delta") continue
          const part = Number(event.properties.partID.slice(4))
          expect(event.properties.offset).toBe(seen[part]!.length)
          seen[part] += event.properties.delta
        }
        expect(taken.seq === undefined || taken.seq === order.at(-1)).toBe(true)
      }
      for (const one of steps) {
        if (one.is === "take") take()
        if (one.is === "entry") pending.push(entry(++seq))
        if (one.is !== "piece") continue
        pending.push(piece(`prt_${one.part}`, one.delta, texts[one.part]!.length))
        texts[one.part] += one.delta
      }
      take()
      expect(seen).toEqual(texts)
      expect(order).toEqual(Array.from({ length: seq }, (_, n) => n + 1))
    }),
  )
})

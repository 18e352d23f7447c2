import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { Ids, idPrefix, timeOf, type IdKind } from "./id.ts"

const wrap = 2 ** 48 / 4_096
/** The first moment after the counter has gone round: 2028-10-17. */
const nextWrap = Math.ceil(Date.UTC(2028, 0, 1) / wrap) * wrap
const at = (start: number) => {
  const clock = { time: start, now: () => clock.time }
  return clock
}
const spring = Date.UTC(2026, 3, 1)
/** Random bytes that are always the same: what remains is the time. */
const fixed = (byte: number) => (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(byte)

test.each(Object.entries(idPrefix))("%s ids begin with %s and have the clients' format", (kind, prefix) => {
  expect(new Ids(at(spring)).next(kind as IdKind)).toMatch(new RegExp(`^${prefix}_[0-9a-f]{12}[0-9A-Za-z]{14}$`))
})

test("an id carries the time of the clock", () => {
  expect(timeOf(new Ids(at(spring)).next("message"))).toBe((BigInt(spring) * 4_096n) & (2n ** 48n - 1n))
  expect(timeOf("msg_custom")).toBeUndefined()
  expect(timeOf("")).toBeUndefined()
})

test("100,000 ids of a clock that hardly moves are unique and ascend", () => {
  const clock = at(spring)
  const ids = new Ids(clock)
  let last = ""
  let disorder = 0
  for (let count = 0; count < 100_000; count++) {
    if (count % 1_000 === 0) clock.time++
    const id = ids.next("part")
    if (id <= last) disorder++
    last = id
  }
  expect(disorder).toBe(0)
})

test("ids ascend without the random part's help, also across kinds", () => {
  const ids = new Ids(at(spring), fixed(0))
  const times = (["message", "part", "message", "event"] as const).map((kind) => timeOf(ids.next(kind)) as bigint)
  expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(new Set(times).size).toBe(4)
})

test("session ids descend, also when the clock is set back", () => {
  const clock = at(spring)
  const ids = new Ids(clock)
  const made = Array.from({ length: 1_000 }, (_, index) => {
    clock.time += index === 500 ? -60_000 : 1
    return ids.next("session")
  })
  expect(made).toEqual(made.toSorted().reverse())
  expect(new Set(made).size).toBe(1_000)
})

test("ids ascend while the clock is set back", () => {
  const clock = at(spring)
  const ids = new Ids(clock)
  const first = ids.next("message")
  clock.time -= 3_600_000
  const second = ids.next("message")
  expect(second > first).toBe(true)
  expect(ids.next("message") > second).toBe(true)
})

describe("after", () => {
  test("a restart with the clock set back goes on above the session's last id", () => {
    const before = new Ids(at(spring)).next("message")
    const ids = new Ids(at(spring - 86_400_000))
    let last = before
    for (let count = 0; count < 100; count++) {
      const next = ids.next("message", last)
      expect(next > last).toBe(true)
      last = next
    }
    expect(last).toHaveLength(before.length)
  })

  test("takes the clock's time again as soon as that is greater", () => {
    const clock = at(spring)
    const ids = new Ids(clock)
    const old = ids.next("message")
    clock.time += 1_000
    expect(timeOf(ids.next("message", old))).toBe((BigInt(clock.time) * 4_096n) & (2n ** 48n - 1n))
  })

  test("the counter goes round on 2028-10-17", () => {
    expect(new Date(nextWrap).toISOString()).toStartWith("2028-10-17")
    const clock = at(nextWrap - 1)
    const ids = new Ids(clock)
    const last = ids.next("message")
    clock.time = nextWrap
    expect(ids.next("message") < last).toBe(true)
    const next = ids.next("message", last)
    expect(next > last).toBe(true)
    expect(next).toHaveLength(last.length)
  })

  test("a session lives on across the wrap, in this process and after a restart", () => {
    const clock = at(nextWrap - 5)
    let ids = new Ids(clock)
    let last = ids.next("part")
    for (let step = 0; step < 2_000; step++) {
      if (step % 100 === 0) clock.time++
      if (step === 700) ids = new Ids(clock)
      const next = ids.next("part", last)
      expect(next > last).toBe(true)
      last = next
    }
    expect(last).toHaveLength(30)
  })

  test("other sessions are not dragged along: a new one starts at the clock's time", () => {
    const clock = at(nextWrap - 1)
    const ids = new Ids(clock)
    const old = ids.next("message")
    clock.time = nextWrap + 60_000
    ids.next("message", old)
    expect(timeOf(ids.next("message"))).toBeLessThan(2n ** 40n)
  })

  test("the very last of the 48 bits counts on in the suffix", () => {
    const ids = new Ids(at(spring))
    let last = `msg_ffffffffffff${"z".repeat(13)}x`
    for (let count = 0; count < 200; count++) {
      const next = ids.next("message", last)
      expect(next > last).toBe(true)
      expect(next).toStartWith("msg_ffffffffffff")
      last = next
    }
  })

  test("any text may stand before: an id that a client made up, another format, none", () => {
    const anything = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.stringMatching(/^msg_[0-9a-z]{0,30}$/))
    fc.assert(
      fc.property(anything, fc.integer({ min: 0, max: 255 }), (after, byte) => {
        const ids = new Ids(at(spring), fixed(byte))
        const next = ids.next("message", after)
        expect(next > after).toBe(true)
        expect(ids.next("message", next) > next).toBe(true)
      }),
    )
  })

  test("whatever the clock does, a chain of ids ascends", () => {
    const jumps = fc.array(fc.integer({ min: -(2 ** 37), max: 2 ** 37 }), { minLength: 2, maxLength: 30 })
    fc.assert(
      fc.property(jumps, (moves) => {
        const clock = at(nextWrap)
        let ids = new Ids(clock)
        let last = ids.next("message")
        for (const [index, move] of moves.entries()) {
          clock.time = Math.max(0, clock.time + move)
          if (index % 3 === 0) ids = new Ids(clock)
          const next = ids.next("message", last)
          expect(next > last).toBe(true)
          last = next
        }
      }),
    )
  })
})

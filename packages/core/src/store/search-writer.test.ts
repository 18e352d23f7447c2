import type { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import type { Part, ToolState } from "@cairn/schema/part"
import fc from "fast-check"
import { runTogether } from "../../test/store/children.ts"
import { deleted, message, part, textPart, turnEnded, turnStarted, userMessage } from "../../test/store/events.ts"
import { begin, completed, fillUp, foundBy, toolPart, searchIn } from "../../test/store/search.ts"
import { type TempStore, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { searchableIn, wordsOf } from "./search-text.ts"
import { verify } from "./verify.ts"

const text = (id: string, value: string, time?: { start: number; end?: number }): Part => ({
  ...textPart("ses_1", "msg_1", id, value),
  ...(time && { time }),
})
/** How many parts are in the index; 0 when there is none. */
const countIn = (database: Database) => {
  const table = "SELECT 1 FROM sqlite_schema WHERE name = 'search_words_docsize'"
  if (database.query(table).get() === null) return 0
  return database.query<{ count: number }, []>("SELECT count(*) AS count FROM search_words_docsize").get()?.count
}
const store = (temp: TempStore, ...parts: Part[]) => temp.store.append("ses_1", parts.map(part))

describe("a part is found", () => {
  test("when it is closed, once, with all of it", () => {
    using temp = tempStore()
    begin(temp)
    const open = textPart("ses_1", "msg_1", "prt_1", "")
    store(temp, { ...open, time: { start: 1 } })
    temp.store.append("ses_1", [
      { type: "message.part.delta", properties: { ...idsOf(open), field: "text", delta: "the needle", offset: 0 } },
    ])
    expect(foundBy(temp, "needle")).toEqual([])
    store(temp, text("prt_1", "the needle", { start: 1, end: 2 }))
    expect(foundBy(temp, "needle")).toEqual(["prt_1"])
  })

  test("as it is now, when it changes", () => {
    using temp = tempStore()
    begin(temp)
    store(temp, text("prt_1", "before"))
    expect(foundBy(temp, "before")).toEqual(["prt_1"])
    store(temp, text("prt_1", "after"))
    expect([foundBy(temp, "before"), foundBy(temp, "after")]).toEqual([[], ["prt_1"]])
    store(temp, text("prt_1", "open again", { start: 1 }))
    expect([foundBy(temp, "after"), foundBy(temp, "again")]).toEqual([[], []])
    store(temp, { ...textPart("ses_1", "msg_1", "prt_1"), type: "step-start" })
    expect(verify(temp.database).problems).toEqual([])
  })

  test("by its output after it was pruned, which makes no work", () => {
    using temp = tempStore()
    begin(temp)
    store(temp, toolPart("prt_1", completed("the needle")))
    expect(foundBy(temp, "needle")).toEqual(["prt_1"])
    const pruned = completed("the needle", { time: { start: 1, end: 2, compacted: 3 } })
    store(temp, toolPart("prt_1", pruned))
    expect(temp.database.query("SELECT * FROM search_pending").all()).toEqual([])
    expect(foundBy(temp, "needle")).toEqual(["prt_1"])
    store(temp, toolPart("prt_1", completed("another", { time: { start: 1, end: 2, compacted: 4 } })))
    expect([foundBy(temp, "needle"), foundBy(temp, "another")]).toEqual([[], ["prt_1"]])
    store(temp, toolPart("prt_2", pruned)) // as an import brings it
    expect(foundBy(temp, "needle")).toEqual(["prt_2"])
  })

  const goings: Record<string, DurableEvent> = {
    "its session": deleted("ses_1"),
    "its message": { type: "message.removed", properties: { sessionID: "ses_1", messageID: "msg_1" } },
    "the part": {
      type: "message.part.removed",
      properties: { sessionID: "ses_1", messageID: "msg_1", partID: "prt_1" },
    },
  }
  test.each(Object.keys(goings))("no more when %s is removed, whether it was pending or not", (what) => {
    const going = goings[what]
    if (!going) throw new Error(what)
    for (const filled of [true, false]) {
      using temp = tempStore()
      begin(temp)
      begin(temp, "2")
      temp.store.append("ses_2", [part(textPart("ses_2", "msg_2", "prt_2", "needle"))])
      store(temp, text("prt_1", "needle"))
      if (filled) fillUp(temp.store)
      temp.store.append("ses_1", [going])
      expect(foundBy(temp, "needle")).toEqual(["prt_2"])
      expect(verify(temp.database).problems).toEqual([])
    }
  })

  test("but not when the append that brought it was refused", () => {
    using temp = tempStore()
    begin(temp)
    const stranger = textPart("ses_1", "msg_9", "prt_9", "needle")
    expect(() => temp.store.append("ses_1", [part(text("prt_1", "needle")), part(stranger)])).toThrow("does not belong")
    expect(foundBy(temp, "needle")).toEqual([])
    expect(verify(temp.database).problems).toEqual([])
  })
})

describe("an append takes parts into the index", () => {
  test("at the end of a turn", () => {
    using temp = tempStore()
    begin(temp)
    temp.store.begin("ses_1", "run_1", [turnStarted("ses_1", "run_1")])
    store(temp, text("prt_1", "needle"))
    expect(countIn(temp.database)).toBe(0)
    temp.store.end("ses_1", "run_1", [turnEnded("ses_1", "run_1")])
    expect(countIn(temp.database)).toBe(1)
  })

  test("when sixty-four wait, or when they are long", () => {
    using temp = tempStore()
    begin(temp)
    for (let n = 0; n < 63; n++) store(temp, text(`prt_${n}`, "needle"))
    expect(countIn(temp.database)).toBe(0)
    store(temp, text("prt_64", "needle"))
    expect(countIn(temp.database)).toBe(64)
    store(temp, text("prt_65", "short"))
    expect(countIn(temp.database)).toBe(64)
    store(temp, text("prt_66", "long ".repeat(26_000)))
    expect(countIn(temp.database)).toBe(66)
    expect(foundBy(temp, "short")).toEqual(["prt_65"])
  })

  test("often enough that no more than a batch waits, whatever else is written", () => {
    using temp = tempStore()
    begin(temp)
    for (let n = 0; n < 200; n++) {
      const id = 1_000 + n
      store(
        temp,
        { ...textPart("ses_1", "msg_1", `prt_s${id}`), type: "step-start" },
        text(`prt_${id}`, "", { start: 1 }),
      )
      store(
        temp,
        text(`prt_${id}`, "needle", { start: 1, end: 2 }),
        toolPart(`prt_t${id}`, completed("long ".repeat(600))),
      )
      expect(2 * (n + 1) - (countIn(temp.database) ?? 0)).toBeLessThan(64)
    }
  })

  test("a batch at a time, however many wait, in the order of the log", () => {
    using temp = tempStore()
    begin(temp)
    store(temp, ...Array.from({ length: 200 }, (_, n) => text(`prt_${1_000 + n}`, "needle")))
    expect(countIn(temp.database)).toBe(64)
    const found = searchIn(temp, { query: "needle", limit: 100 })
    expect(found.ok && found.value.hits.map((hit) => hit.partID).toSorted()).toEqual(
      Array.from({ length: 64 }, (_, n) => `prt_${1_000 + n}`),
    )
    fillUp(temp.store)
    expect(foundBy(temp, "needle")).toHaveLength(100)
  })
})

test("a database that has no index yet gets all of one, in transactions of a bounded size", () => {
  using temp = tempStore()
  begin(temp)
  store(temp, ...Array.from({ length: 5 }, (_, n) => text(`prt_${n}`, `needle ${"x ".repeat(200_000)}`)))
  // As a Cairn without search left it.
  temp.database.run("DROP TABLE search_words")
  temp.database.run("DELETE FROM search")
  expect(temp.store.search.state()).toEqual({ is: "absent" })
  const counts: unknown[] = []
  for (let n = 0; n < 3; n++) {
    temp.store.search.fill()
    counts.push(countIn(temp.database))
  }
  expect(counts).toEqual([3, 5, 5])
  expect(foundBy(temp, "needle")).toHaveLength(5)
  expect(verify(temp.database).problems).toEqual([])
})

test("an index of another version is built anew", () => {
  using temp = tempStore()
  begin(temp)
  store(temp, text("prt_1", "needle"))
  fillUp(temp.store)
  temp.database.run("UPDATE search SET version = 0")
  temp.database.run("DELETE FROM search_words")
  expect(foundBy(temp, "needle")).toEqual(["prt_1"])
})

/** Few ids, so that events meet each other's rows. */
const ids = ["1", "2", "3"] as const
const looked = ["alpha", "betagamma", "snake", "设", "e", "zeta"]
const words = fc.array(fc.constantFrom("alpha", "betaGamma", "snake_case", "设定", "é", "zeta"), { maxLength: 4 })
const toolState: fc.Arbitrary<ToolState> = fc.oneof(
  words.map((output) => completed(output.join(" "), { title: "alpha" })),
  words.map((output) => completed(output.join(" "), { time: { start: 1, end: 2, compacted: 3 } })),
  words.map((value) => ({ status: "running" as const, input: { value }, time: { start: 1 } })),
  words.map((value) => ({ status: "error" as const, input: { value }, error: "zeta", time: { start: 1, end: 2 } })),
)
const partOf = fc
  .tuple(fc.constantFrom(...ids), fc.constantFrom(...ids), words, toolState, fc.nat(3))
  .map(([n, k, said, state, kind]): Part => {
    const of = textPart(`ses_${n}`, `msg_${n}`, `prt_${n}${k}`, said.join(" "))
    if (kind === 0) return toolPart(of.id, state, n)
    if (kind === 1) return { ...of, type: "reasoning", time: { start: 1, end: 2 } }
    return kind === 2 ? { ...of, time: { start: 1 } } : of
  })
const is = (value: DurableEvent): DurableEvent => value
const one = fc.constantFrom(...ids)
const event: fc.Arbitrary<DurableEvent> = fc.oneof(
  { weight: 30, arbitrary: partOf.map(part) },
  { weight: 4, arbitrary: partOf.map((of) => is({ type: "message.part.removed", properties: idsOf(of) })) },
  {
    weight: 1,
    arbitrary: one.map((n) =>
      is({ type: "message.removed", properties: { sessionID: `ses_${n}`, messageID: `msg_${n}` } }),
    ),
  },
  { weight: 1, arbitrary: one.map((n) => deleted(`ses_${n}`)) },
  { weight: 2, arbitrary: one.map((n) => message(userMessage(`ses_${n}`, `msg_${n}`))) },
)

function idsOf({ sessionID, messageID, id: partID }: Part) {
  return { sessionID, messageID, partID }
}

const ownerOf = ({ properties }: DurableEvent) => ("sessionID" in properties ? properties.sessionID : properties.id)

/** Ids of the parts that have the word, by reading every one of them. */
function readFor(temp: TempStore, word: string): string[] {
  return ids
    .flatMap((n) => temp.store.read.messages(`ses_${n}`))
    .flatMap(({ parts }) => parts)
    .filter((each) => wordsOf(searchableIn(each)?.text ?? "").includes(word))
    .map((each) => each.id)
    .toSorted()
}

test("whatever is appended is found, what is gone is not, and a rebuilt index is the same", () => {
  let hits = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.nat(5)), { minLength: 10, maxLength: 60 }), (steps) => {
      using temp = tempStore()
      for (const n of ids) begin(temp, n)
      for (const [step, fills] of steps) {
        try {
          temp.store.append(ownerOf(step), [step])
        } catch {
          continue // its session or message is gone
        }
        if (fills === 0) temp.store.search.fill()
      }
      expect(verify(temp.database).problems).toEqual([])
      const found = () => looked.map((word) => foundBy(temp, `"${word}"`))
      const before = found()
      expect(before).toEqual(looked.map((word) => readFor(temp, word)))
      expect(verify(temp.database).problems).toEqual([])
      expect(temp.store.search.reset()).toEqual({ ok: true, value: undefined })
      expect(found()).toEqual(before)
      expect(verify(temp.database).problems).toEqual([])
      hits += before.flat().length
    }),
    { seed: 2_026, numRuns: process.env["CAIRN_TEST_LONG"] ? 500 : 40 },
  )
  expect(hits).toBeGreaterThan(200)
}, 120_000)

test("several processes write and search at once: everything is found by everybody", async () => {
  using dir = tempDir()
  using temp = tempStore({ file: dir.file })
  begin(temp)
  store(temp, text("prt_0", "part 0"))
  fillUp(temp.store)
  const said = await runTogether(3, "append", dir.file, "150")
  expect(temp.store.search.reset()).toEqual({ ok: true, value: undefined })
  const later = await runTogether(2, "append", dir.file, "70")
  const sessions = [...said, ...later].map((child) => String(child["sessionID"]))
  fillUp(temp.store)
  const found = searchIn(temp, { query: '"part 69"' })
  expect(found.ok && found.value.hits.map((hit) => hit.sessionID).toSorted()).toEqual(sessions.toSorted())
  expect(foundBy(temp, '"part 149"')).toHaveLength(3)
  expect(verify(temp.database).problems).toEqual([])
}, 30_000)

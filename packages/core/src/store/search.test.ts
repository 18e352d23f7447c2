import { afterAll, describe, expect, test } from "bun:test"
import type { Part } from "@cairn/schema/part"
import { assistantMessage, message, part, textPart, updated } from "../../test/store/events.ts"
import { begin, completed, fillUp, foundBy, toolPart, searchIn } from "../../test/store/search.ts"
import { type TempStore, tempStore } from "../../test/store/temp-store.ts"
import type { SearchInput } from "./search.ts"

const day = 24 * 3_600_000

const say = (temp: TempStore, id: string, text: string, n = "1") =>
  temp.store.append(`ses_${n}`, [part(textPart(`ses_${n}`, `msg_${n}`, id, text))])

function find(temp: TempStore, input: SearchInput) {
  fillUp(temp.store)
  const found = searchIn(temp, input)
  if (!found.ok) throw new Error(found.error.message)
  return found.value
}

/** Ids of parts in the order in which they are given. */
const order = (temp: TempStore, query: string) => find(temp, { query, limit: 100 }).hits.map((hit) => hit.partID)

describe("what is found", () => {
  const temp = tempStore()
  afterAll(() => temp.store.close())
  begin(temp)
  const parts: Record<string, string> = {
    prt_code: "const parsed = parseHTTPHeader(line) in src/store/read.ts at v1.2.3",
    prt_snake: "the max_output_tokens of the model",
    prt_french: "Le café est fermé",
    prt_nfd: "a file named re\u0301sume\u0301.txt",
    prt_chinese: "检查配置文件中的设定",
    prt_japanese: "検索エンジンとｱﾙﾌｧ",
    prt_korean: "한국어를 검색한다",
    prt_thai: "ค้นหาข้อความ",
    prt_rare: "𠮷野家",
    prt_russian: "Ёлка стоит",
    prt_nul: "before\u0000after",
    prt_markdown: "```ts\nfoo\n```\n| a | b |",
  }
  for (const [id, text] of Object.entries(parts)) say(temp, id, text)

  test.each([
    ["parseHTTPHeader", "prt_code"],
    ["parsehttpheader", "prt_code"],
    ["parseHTTP", "prt_code"],
    ["header", "prt_code"],
    ["HTTPHeader", "prt_code"],
    ["store/read", "prt_code"],
    ["read.ts", "prt_code"],
    ["v1.2", "prt_code"],
    ["max_output", "prt_snake"],
    ["output_tokens", "prt_snake"],
    ["OUTPUT", "prt_snake"],
    ["cafe ferme", "prt_french"],
    ["CAFÉ", "prt_french"],
    ["résumé", "prt_nfd"],
    ["resume", "prt_nfd"],
    ["配置", "prt_chinese"],
    ["定", "prt_chinese"],
    ["文件中的设", "prt_chinese"],
    ["エンジン", "prt_japanese"],
    ["アルファ", "prt_japanese"],
    ["국어", "prt_korean"],
    ["ข้อความ", "prt_thai"],
    ["𠮷野", "prt_rare"],
    ["елка", "prt_russian"],
    ["after", "prt_nul"],
    ["foo", "prt_markdown"],
  ])("%s", (query, id) => {
    expect(foundBy(temp, query)).toEqual([id])
  })

  test.each(["rse", "tokens output max", "文配", '"store src"', "cafeteria", "fer*me*x"])("not %s", (query) => {
    expect(foundBy(temp, query)).toEqual(query === "tokens output max" ? ["prt_snake"] : [])
  })

  test("the beginning of a word, where it is three letters or has a star; in quotes only whole words", () => {
    expect(foundBy(temp, "sto")).toEqual(["prt_code"])
    expect(foundBy(temp, "st")).toEqual([])
    expect(foundBy(temp, "st*")).toEqual(["prt_code"])
    expect(foundBy(temp, '"sto"')).toEqual([])
    expect(foundBy(temp, '"the max"')).toEqual(["prt_snake"])
  })
})

test("a hit says where it is: session, message, part, role, tool, time and the words around it", () => {
  using temp = tempStore()
  begin(temp, "1", { title: "Fix it", directory: "/repo/a" })
  const answer = { ...assistantMessage("ses_1", "msg_2"), summary: true }
  const thought: Part = {
    ...textPart("ses_1", "msg_2", "prt_2", "a needle in thought"),
    type: "reasoning",
    time: { start: 1, end: 2 },
  }
  const call = { ...toolPart("prt_3", completed("needle in the output")), messageID: "msg_2" }
  say(temp, "prt_1", "where is the needle")
  temp.store.append("ses_1", [message(answer), part(thought), part(call)])
  temp.store.append("ses_1", [part({ ...textPart("ses_1", "msg_1", "prt_4", "note: needle"), synthetic: true })])
  const hits = new Map(find(temp, { query: "needle" }).hits.map((hit) => [hit.partID, hit]))
  const where = { sessionID: "ses_1", title: "Fix it", directory: "/repo/a", time: temp.clock.now() }
  expect(hits.get("prt_1")).toEqual({
    ...where,
    ...{ messageID: "msg_1", partID: "prt_1", role: "user", type: "text" },
    excerpt: { text: "where is the needle", matches: [[13, 19]] },
  })
  expect(hits.get("prt_2")).toMatchObject({
    ...where,
    messageID: "msg_2",
    role: "assistant",
    type: "reasoning",
    summary: true,
  })
  expect(hits.get("prt_3")).toMatchObject({ role: "assistant", type: "tool", tool: "bash" })
  expect(hits.get("prt_4")).toMatchObject({ role: "user", type: "text", synthetic: true })
  expect(hits.get("prt_1")).not.toHaveProperty("tool")
})

describe("the best comes first", () => {
  test("what was said before what a tool gave, and what fits better", () => {
    using temp = tempStore()
    begin(temp)
    temp.store.append("ses_1", [part(toolPart("prt_tool", completed("the needle")))])
    say(temp, "prt_long", `a needle in a ${"hay ".repeat(200)}`)
    say(temp, "prt_said", "the needle")
    for (let n = 0; n < 20; n++) say(temp, `prt_other${n}`, "something else")
    expect(order(temp, "needle")).toEqual(["prt_said", "prt_tool", "prt_long"])
  })

  test("what is new, where it fits as well", async () => {
    using temp = tempStore()
    begin(temp)
    for (let n = 0; n < 20; n++) say(temp, `prt_other${n}`, "something else")
    for (const id of ["prt_a", "prt_b", "prt_c"]) {
      say(temp, id, "the needle")
      await temp.clock.advance(10 * day)
    }
    expect(order(temp, "needle")).toEqual(["prt_c", "prt_b", "prt_a"])
  })

  test("but what is much better stays ahead of what is newer", async () => {
    using temp = tempStore()
    begin(temp)
    for (let n = 0; n < 20; n++) say(temp, `prt_other${n}`, "something else")
    say(temp, "prt_old", "needle needle")
    await temp.clock.advance(3 * day)
    say(temp, "prt_new", `needle ${"hay ".repeat(500)}`)
    expect(order(temp, "needle")).toEqual(["prt_old", "prt_new"])
  })
})

describe("a search stays within its scope", () => {
  const temp = tempStore()
  afterAll(() => temp.store.close())
  begin(temp, "1", { projectID: "a", directory: "/a/x" })
  begin(temp, "2", { projectID: "a", directory: "/a/y" })
  begin(temp, "3", { projectID: "b", directory: "/b" })
  for (const n of ["1", "2", "3"]) say(temp, `prt_${n}`, "needle", n)
  const within = (where: Omit<SearchInput, "query">) =>
    find(temp, { query: "needle", ...where })
      .hits.map((hit) => hit.partID)
      .toSorted()

  test("projects by their ids and aliases, and directories of them", () => {
    expect(within({})).toEqual(["prt_1", "prt_2", "prt_3"])
    expect(within({ projects: ["a", "former"] })).toEqual(["prt_1", "prt_2"])
    expect(within({ projects: ["a"], directories: ["/a/y", "/b"] })).toEqual(["prt_2"])
    expect(within({ projects: [] })).toEqual([])
    expect(within({ projects: ["a"], directories: [] })).toEqual([])
  })

  test("a session that moves takes its parts along", () => {
    temp.store.append("ses_3", [updated("ses_3", { projectID: "a", directory: "/a/y", title: "Moved" })])
    expect(within({ projects: ["a"], directories: ["/a/y"] })).toEqual(["prt_2", "prt_3"])
    expect(find(temp, { query: "needle", projects: ["a"] }).hits.map((hit) => hit.title)).toContain("Moved")
  })
})

describe("pages", () => {
  const filled = (count: number) => {
    const temp = tempStore()
    begin(temp)
    const texts = Array.from({ length: count }, (_, n) => textPart("ses_1", "msg_1", `prt_${1_000 + n}`, `needle ${n}`))
    temp.store.append("ses_1", texts.map(part))
    return temp
  }

  test("go on where the last one ended, also when more was said and time went by meanwhile", async () => {
    using temp = filled(50)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = find(temp, { query: "needle", limit: 20, ...(cursor !== undefined && { cursor }) })
      seen.push(...page.hits.map((hit) => hit.partID))
      cursor = page.cursor
      say(temp, `prt_late${seen.length}`, "needle")
      await temp.clock.advance(40 * day)
    } while (cursor !== undefined)
    expect(seen).toHaveLength(50)
    expect(new Set(seen).size).toBe(50)
  })

  test("are no longer than a hundred, however many are asked for, and twenty when none are", () => {
    using temp = filled(150)
    expect(find(temp, { query: "needle" }).hits).toHaveLength(20)
    expect(find(temp, { query: "needle", limit: 999_999 }).hits).toHaveLength(100)
    expect(find(temp, { query: "needle", limit: 5 })).toMatchObject({ cursor: expect.stringMatching(/^5-\d+-\d+$/) })
    expect(find(temp, { query: '"needle 7"', limit: 5 })).not.toHaveProperty("cursor")
  })

  test("a cursor that no search gave is refused; one beyond the end is an empty page", () => {
    using temp = filled(3)
    fillUp(temp.store)
    for (const cursor of ["", "x", "1-2", "1-2-3-4", "-1-2-3", "99999-1-1", "1-2-3; DROP"])
      expect(searchIn(temp, { query: "needle", cursor })).toMatchObject({
        ok: false,
        error: { kind: "cursor" },
      })
    expect(find(temp, { query: "needle", cursor: "50-999-1" })).toEqual({ hits: [] })
  })

  test("of very many matches the newest are ranked", () => {
    using temp = filled(2_100)
    say(temp, "prt_zlast", "needle")
    let [count, cursor]: [number, string | undefined] = [0, undefined]
    const seen = new Set<string>()
    do {
      const page: ReturnType<typeof find> = find(temp, {
        query: "needle",
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      })
      for (const hit of page.hits) seen.add(hit.partID)
      count += page.hits.length
      cursor = page.cursor
    } while (cursor !== undefined)
    expect([count, seen.size]).toEqual([2_000, 2_000])
    expect(seen.has("prt_zlast")).toBe(true)
    expect(seen.has("prt_1000")).toBe(false)
  })
})

test("a query without words is refused, and one of a message that is gone finds nothing", () => {
  using temp = tempStore()
  begin(temp)
  say(temp, "prt_1", "needle")
  fillUp(temp.store)
  expect(searchIn(temp, { query: "::" })).toEqual({
    ok: false,
    error: { kind: "query", message: "There is nothing to search for: a word has letters or digits." },
  })
  // Behind the store's back: the index still has it.
  temp.database.run("DELETE FROM part")
  expect(searchIn(temp, { query: "needle" })).toEqual({ ok: true, value: { hits: [] } })
})

test("the words of the tables are read by number, and matches newest first, without sorting", () => {
  using temp = tempStore()
  begin(temp)
  fillUp(temp.store)
  const plan = temp.database
    .query<{ detail: string }, []>(
      `EXPLAIN QUERY PLAN SELECT search_words.rowid FROM search_words
         CROSS JOIN event ON event.seq = search_words.rowid CROSS JOIN session ON session.id = event.session_id
       WHERE search_words MATCH 'x' AND search_words.rowid <= 5 ORDER BY search_words.rowid DESC LIMIT 5`,
    )
    .all()
  expect(plan.map((row) => row.detail).join("; ")).toMatch(
    /^SCAN search_words VIRTUAL TABLE.*; SEARCH event USING INTEGER PRIMARY KEY.*; SEARCH session USING .*$/,
  )
})

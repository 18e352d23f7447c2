import { expect, test } from "bun:test"
import { noTokens, type Tokens } from "@cairn/schema/model"
import * as make from "../../test/store/events.ts"
import { tempStore } from "../../test/store/temp-store.ts"
import { createPurses } from "./purse.ts"

const tokens = (input: number): Tokens => ({ ...noTokens(), input })
const created = (id: string, parentID?: string) => make.created(id, parentID === undefined ? {} : { parentID })

test("what a subagent spends counts in every run above it, not beside it or below", () => {
  using temp = tempStore()
  const { store, clock } = temp
  for (const [id, parent] of [["ses_1"], ["ses_2", "ses_1"], ["ses_3", "ses_2"], ["ses_4", "ses_1"]] as const)
    store.append(id, [created(id, parent)])
  const open = createPurses({ store, clock, budget: { run: { tokens: 10 } } })
  using top = open("ses_1")
  using middle = open("ses_2")
  using bottom = open("ses_3")
  using beside = open("ses_4")
  bottom.add(tokens(4), 1)
  middle.add(tokens(2), 0.5)
  const inputs = [top, middle, bottom, beside].map((purse) => [purse.tokens.input, purse.cost])
  expect(inputs).toEqual([
    [6, 1.5],
    [6, 1.5],
    [4, 1],
    [0, 0],
  ])
  expect(beside.stop(true)).toBeUndefined()
  // The budget is that of the run that the user began.
  beside.add(tokens(4), 1)
  for (const purse of [top, middle, bottom, beside]) expect(purse.stop(true)).toContain("10 of 10")
})

test("a run that is over takes no more, and the next one begins with nothing", () => {
  using temp = tempStore()
  const { store, clock } = temp
  store.append("ses_1", [created("ses_1")])
  store.append("ses_2", [created("ses_2", "ses_1")])
  const open = createPurses({ store, clock, budget: undefined })
  {
    using first = open("ses_1")
    first.add(tokens(1), 1)
  }
  using child = open("ses_2")
  child.add(tokens(2), 2)
  using second = open("ses_1")
  expect([second.cost, child.cost]).toEqual([0, 2])
})

test("a run finds the run above it over a session that does not run, and a ring of parents has an end", () => {
  using temp = tempStore()
  const { store, clock } = temp
  store.append("ses_1", [created("ses_1")])
  store.append("ses_2", [created("ses_2", "ses_1")])
  store.append("ses_3", [created("ses_3", "ses_2")])
  store.append("ses_4", [created("ses_4", "ses_5")])
  store.append("ses_5", [created("ses_5", "ses_4")])
  const open = createPurses({ store, clock, budget: undefined })
  using top = open("ses_1")
  using grandchild = open("ses_3")
  grandchild.add(tokens(3), 3)
  expect(top.cost).toBe(3)
  using ring = open("ses_4")
  ring.add(tokens(1), 1)
  expect(ring.cost).toBe(1)
})

test("session and day are read anew before each call, so another process and midnight count", () => {
  using temp = tempStore()
  const { store, clock } = temp
  const spent = (time: number, cost: number) => [
    { type: "session.spent" as const, properties: { sessionID: "ses_1", spent: make.spent({ time, cost }) } },
  ]
  store.append("ses_1", [created("ses_1")])
  const noon = new Date(2026, 5, 1, 12).getTime()
  clock.setNow(noon)
  using purse = createPurses({ store, clock, budget: { day: { money: 1 }, session: { money: 5 } } })("ses_1")
  store.append("ses_1", spent(new Date(2026, 4, 31, 23, 59, 59).getTime(), 4))
  expect(purse.stop(true)).toBeUndefined()
  store.append("ses_1", spent(noon, 1))
  expect(purse.stop(true)).toContain("today")
  clock.setNow(new Date(2026, 5, 2, 0, 0, 0).getTime())
  expect(purse.stop(true)).toBeUndefined()
  store.append("ses_1", [make.updated("ses_1", { cost: 5 })])
  expect(purse.stop(true)).toContain("this session")
})

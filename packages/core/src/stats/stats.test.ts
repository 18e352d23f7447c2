import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import type { Session } from "@cairn/schema/session"
import * as make from "../../test/store/events.ts"
import { type TempStore, tempDir, tempStore } from "../../test/store/temp-store.ts"
import { projectsAt, readStats } from "./stats.ts"

/** Noon on the clock of this machine, so many days before the day of the test. */
const day = (before: number, hour = 12): number => new Date(2026, 10, 22 - before, hour).getTime()
const now = day(0)

type Answer = Parameters<typeof make.answered>[2] & { readonly at?: number }
let last = 0

/** A session with answers, each of which was open and is finished. */
function session(temp: TempStore, id: string, info: Partial<Session>, answers: readonly Answer[]): void {
  const events: DurableEvent[] = [make.created(id, info)]
  for (const { at = now, ...more } of answers) {
    const messageID = `msg_${String(++last).padStart(6, "0")}`
    const time = { created: at, completed: at }
    events.push(make.message(make.assistantMessage(id, messageID)))
    events.push(make.message(make.answered(id, messageID, { time, ...more })))
  }
  temp.store.append(id, events)
}

/** A settled call of a tool in a session that has an answer. */
function call(temp: TempStore, id: string, tool: string, output: string, end = now, failed = false): void {
  const messageID = `msg_${String(++last).padStart(6, "0")}`
  const partID = `prt_${last}`
  const time = { start: end, end }
  const state = failed ? { status: "error" as const, input: {}, error: output, time } : make.completed(output, { time })
  temp.store.append(id, [
    make.message(make.assistantMessage(id, messageID)),
    ...[make.running, state].map((each) => make.part({ ...make.toolPart(id, messageID, partID, each), tool })),
  ])
}

const project = (id: string, worktree: string, aliases: string[] = []): DurableEvent => ({
  type: "project.updated",
  properties: { id, worktree, aliases, time: { created: 1, updated: 1 } },
})
const tokens = (input: number, read = 0) => ({ input, output: 0, reasoning: 0, cache: { read, write: 0 } })

test("an empty database gives zeros and empty lists", () => {
  using temp = tempStore()
  const usage = { calls: 0, tokens: tokens(0), cost: 0, unpriced: 0, cacheHitRate: 0 }
  const lists = { days: [], models: [], agents: [], projects: [], sessions: [], tools: [] }
  const totals = { ...usage, sessions: 0, subagents: 0, deleted: 0 }
  expect(readStats(temp.database, { now })).toEqual({ to: now, totals, ...lists })
  expect(readStats(temp.database, { now, days: 1 })).toMatchObject({ from: day(0, 0), totals })
})

test("totals, models and agents are sums, what cost most first", () => {
  using temp = tempStore()
  session(temp, "ses_1", {}, [
    { cost: 1, tokens: tokens(1, 10) },
    { cost: 2, tokens: tokens(2, 20), modelID: "dear" },
    { cost: 0, tokens: tokens(9), modelID: "unknown", unpriced: true, agent: "plan" },
    { cost: 0, tokens: tokens(4), modelID: "free" },
  ])
  temp.store.append("ses_1", [
    {
      type: "session.spent",
      properties: { sessionID: "ses_1", spent: make.spent({ time: now, cost: 0.5, tokens: tokens(5) }) },
    },
  ])
  const { totals, models, agents } = readStats(temp.database, { now })
  expect(totals).toEqual({
    ...{ calls: 5, tokens: tokens(21, 30), cost: 3.5, unpriced: 1, sessions: 1, subagents: 0, deleted: 0 },
    cacheHitRate: 30 / 51,
  })
  expect(models.map((each) => [each.providerID, each.modelID, each.calls, each.cost, each.unpriced])).toEqual([
    ["demo", "dear", 1, 2, 0],
    ["demo", "tour", 2, 1.5, 0],
    ["demo", "unknown", 1, 0, 1],
    ["demo", "free", 1, 0, 0],
  ])
  expect(agents.map((each) => [each.agent, each.calls, each.cost])).toEqual([
    ["build", 3, 3],
    ["title", 1, 0.5],
    ["plan", 1, 0],
  ])
})

describe("days", () => {
  test("begin at midnight on the clock of this machine; empty ones are left out", () => {
    using temp = tempStore()
    const at = [day(0, 0), day(1, 0) - 1, day(1, 0), day(1, 23), day(5)]
    session(
      temp,
      "ses_1",
      {},
      at.map((time) => ({ at: time, cost: 1, tokens: tokens(1) })),
    )
    const dates = (days?: number) =>
      readStats(temp.database, { now, ...(days !== undefined && { days }) }).days.map((each) => [each.date, each.calls])
    expect(dates()).toEqual([
      ["2026-11-17", 1],
      ["2026-11-20", 1],
      ["2026-11-21", 2],
      ["2026-11-22", 1],
    ])
    expect(dates(1)).toEqual([["2026-11-22", 1]])
    expect(dates(2)).toEqual([
      ["2026-11-21", 2],
      ["2026-11-22", 1],
    ])
  })

  test("what a clock that was ahead has left in the future belongs to today", () => {
    using temp = tempStore()
    session(
      temp,
      "ses_1",
      {},
      [now, day(-3), day(-400)].map((at) => ({ at })),
    )
    expect(readStats(temp.database, { now, days: 7 }).days.map((each) => [each.date, each.calls])).toEqual([
      ["2026-11-22", 3],
    ])
  })
})

describe("projects", () => {
  const two = () => {
    const temp = tempStore()
    temp.store.append("root", [project("root", "/repo/a", ["before"])])
    session(temp, "ses_1", { projectID: "root", directory: "/repo/a" }, [{ cost: 1 }])
    session(temp, "ses_2", { projectID: "before", directory: "/repo/a/sub" }, [{ cost: 2 }])
    session(temp, "ses_3", { projectID: "other", directory: "/repo/b" }, [{ cost: 5 }])
    call(temp, "ses_1", "read", "four")
    call(temp, "ses_3", "bash", "four")
    return temp
  }

  test("have their former ids in one row, and the place where they are", () => {
    using temp = two()
    const { projects } = readStats(temp.database, { now })
    expect(projects.map((each) => [each.id, each.directory, each.sessions, each.cost])).toEqual([
      ["other", "/repo/b", 1, 5],
      ["root", "/repo/a", 2, 3],
    ])
  })

  test("can be looked at alone, in every list", () => {
    using temp = two()
    const stats = readStats(temp.database, { now, projects: ["root", "before"] })
    expect(stats.totals).toMatchObject({ cost: 3, sessions: 2 })
    expect([stats.days.length, stats.projects.length, stats.sessions.length]).toEqual([1, 1, 2])
    expect(stats.tools.map((each) => each.tool)).toEqual(["read"])
    expect(readStats(temp.database, { now, projects: [] }).totals).toMatchObject({ calls: 0, sessions: 0 })
  })

  test("are found by a directory that they worked in, also when it is gone", () => {
    using temp = two()
    expect(projectsAt(temp.database, "/repo/a").toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["before", "root"])
    expect(projectsAt(temp.database, "/repo/b")).toEqual(["other"])
    expect(projectsAt(temp.database, "/repo")).toHaveLength(3)
    expect(projectsAt(temp.database, "/repo/a%")).toEqual([])
    expect(projectsAt(temp.database, "/rep")).toEqual([])
  })
})

test("subagents count in the outermost session above them", () => {
  using temp = tempStore()
  session(temp, "ses_1", { title: "Top" }, [{ cost: 1 }])
  session(temp, "ses_2", { parentID: "ses_1", title: "Child" }, [{ cost: 2 }])
  session(temp, "ses_3", { parentID: "ses_2", title: "Grandchild" }, [{ cost: 4 }])
  session(temp, "ses_4", { title: "Alone" }, [{ cost: 3 }])
  session(temp, "ses_5", { parentID: "ses_gone", title: "Orphan" }, [{ cost: 0.5 }])
  const { sessions, totals } = readStats(temp.database, { now })
  expect(sessions.map((each) => [each.title, each.subagents, each.calls, each.cost])).toEqual([
    ["Top", 2, 3, 7],
    ["Alone", 0, 1, 3],
    ["Orphan", 0, 1, 0.5],
  ])
  expect(totals).toMatchObject({ sessions: 5, subagents: 3 })
})

test("a deleted session is in the totals, days, models and its project, and is said; its name and tools are gone", () => {
  using temp = tempStore()
  temp.store.append("project-1", [project("project-1", "/repo/a")])
  session(temp, "ses_1", { projectID: "project-1" }, [{ cost: 1, toolTokens: { read: 8 } }, { cost: 1 }])
  session(temp, "ses_2", { projectID: "project-1" }, [{ cost: 4, toolTokens: { read: 8 } }])
  call(temp, "ses_1", "read", "four")
  temp.store.append("ses_1", [make.deleted("ses_1", temp.store.read.spendingOf("ses_1"))])
  const stats = readStats(temp.database, { now })
  expect(stats.totals).toMatchObject({ calls: 3, cost: 6, sessions: 2, deleted: 1 })
  expect(stats.projects).toMatchObject([{ id: "project-1", directory: "/repo/a", cost: 6, sessions: 2 }])
  expect(stats.models).toMatchObject([{ calls: 3, cost: 6 }])
  expect(stats.sessions.map((each) => each.id)).toEqual(["ses_2"])
  expect(stats.tools).toEqual([{ tool: "read", calls: 0, failures: 0, requests: 1, schemaTokens: 8, outputTokens: 0 }])
})

describe("tools", () => {
  test("have calls, failures, and the tokens of their results", () => {
    using temp = tempStore()
    session(temp, "ses_1", {}, [])
    call(temp, "ses_1", "read", "x".repeat(40))
    call(temp, "ses_1", "read", "no!", now, true)
    call(temp, "ses_1", "bash", "")
    call(temp, "ses_1", "bash", "old", day(40))
    const { tools } = readStats(temp.database, { now, days: 30 })
    expect(tools.map((each) => [each.tool, each.calls, each.failures, each.outputTokens])).toEqual([
      ["read", 2, 1, 11],
      ["bash", 1, 0, 0],
    ])
  })

  test("have the schema that was sent with each request: the agent's last one, until it changes", () => {
    using temp = tempStore()
    session(temp, "ses_1", {}, [
      { at: day(40), toolTokens: { read: 10, bash: 100 } },
      { at: day(2) },
      // A summary is sent with the same tools, and the agent goes on with its own.
      { at: day(2, 13), agent: "compaction", toolTokens: { read: 10, bash: 100 } },
      { at: day(1) },
      { at: day(0, 1), toolTokens: { read: 20 } },
      { at: day(0, 2) },
    ])
    session(temp, "ses_2", {}, [{ at: day(0, 1), toolTokens: { edit: 7 } }])
    temp.store.append("ses_1", [
      { type: "session.spent", properties: { sessionID: "ses_1", spent: make.spent({ time: day(0, 3) }) } },
    ])
    const { tools } = readStats(temp.database, { now, days: 30 })
    expect(tools.map((each) => [each.tool, each.requests, each.schemaTokens])).toEqual([
      ["bash", 3, 300],
      ["read", 5, 30 + 40],
      ["edit", 1, 7],
    ])
    expect(readStats(temp.database, { now }).tools[0]).toMatchObject({ requests: 4, schemaTokens: 400 })
  })
})

describe("however much there is", () => {
  /** The database with a count of the statements that were made and the rows that came. */
  function counted(database: Database) {
    const count = { statements: [] as string[], rows: 0 }
    const prepare = (sql: string) => {
      count.statements.push(sql)
      const statement = database.prepare<unknown, (string | number | null)[]>(sql)
      return {
        all: (...values: (string | number | null)[]) => {
          const rows = statement.all(...values)
          count.rows += rows.length
          return rows
        },
        *iterate(...values: (string | number | null)[]) {
          for (const row of statement.iterate(...values)) {
            count.rows++
            yield row
          }
        },
        [Symbol.dispose]: () => statement[Symbol.dispose](),
      }
    }
    const view = { prepare, transaction: database.transaction.bind(database) } as unknown as Database
    return { count, view }
  }

  test("the number of statements and of rows that come out of SQLite is the same, and no message is read", () => {
    const seen = [20, 4_000].map((calls) => {
      using temp = tempStore()
      session(
        temp,
        "ses_1",
        {},
        Array.from({ length: calls }, (_, index) => ({
          at: day(index % 20),
          modelID: `m${index % 5}`,
          ...(index % 10 === 0 && { toolTokens: { read: 1, bash: 2 } }),
        })),
      )
      for (let index = 0; index < calls / 10; index++) call(temp, "ses_1", index % 2 ? "read" : "bash", "x")
      const { count, view } = counted(temp.database)
      const stats = readStats(view, { now, days: 30 })
      expect(stats.totals.calls).toBe(calls)
      const plans = count.statements.flatMap((sql) =>
        temp.database.prepare<{ detail: string }, [number, null]>(`EXPLAIN QUERY PLAN ${sql}`).all(0, null),
      )
      expect(plans.filter(({ detail }) => /\b(message|part|event)\b/.test(detail))).toEqual([])
      return [count.statements.length, count.rows]
    })
    expect(seen[1]).toEqual(seen[0]!)
  }, 20_000)

  test("lists are cut: names come from models and from the disk", () => {
    using temp = tempStore()
    session(
      temp,
      "ses_1",
      {},
      Array.from({ length: 230 }, (_, index) => ({ modelID: `m${index}`, cost: index })),
    )
    for (let index = 0; index < 230; index++) call(temp, "ses_1", `invented_${index}`, "x")
    const stats = readStats(temp.database, { now })
    expect([stats.models.length, stats.tools.length]).toEqual([200, 200])
    expect(stats.models[0]?.modelID).toBe("m229")
  })
})

test("reads a file that it may not write, beside a process that does, from one snapshot", () => {
  using dir = tempDir()
  using temp = tempStore({ file: dir.file })
  session(temp, "ses_1", {}, [{ cost: 1 }])
  temp.store.begin("ses_1", "run_1", [make.turnStarted("ses_1", "run_1")])
  using reader = new Database(dir.file, { readonly: true })
  expect(readStats(reader, { now }).totals.cost).toBe(1)
  temp.store.append("ses_1", [make.updated("ses_1")])
  expect(reader.inTransaction).toBe(false)
  expect(temp.store.leases.get("ses_1")).toMatchObject({ runID: "run_1" })
})

import { describe, expect, test } from "bun:test"
import { readlinkSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { offeredTools, toolResults } from "../packages/testkit/src/request.ts"
import { startModelServer } from "../packages/testkit/src/server.ts"
import { type Client, benchWorkspace, cairnClient, checkWork, floorClient, prepare, stepsInLog } from "./client.ts"
import { measure, peakMemory } from "./measure.ts"
import { pageWith } from "./page.ts"
import { keptShare, promptSize } from "./prompt-bytes.ts"
import { startScripted } from "./scripted.ts"
import { figure, growth, median, peak } from "./stats.ts"
import { type Row, cells, holds, markdownTable, ratio, shown, terminalTable } from "./table.ts"
import { commandLoop, countAfter, toolLoop, workFile, workloadNamed } from "./workload.ts"

const bun = process.execPath
const floor = floorClient([bun, join(import.meta.dir, "floor.ts")])
const cairnCommand = [bun, join(import.meta.dir, "../packages/cli/src/main.ts")]
const cairn = cairnClient(cairnCommand)
const hasSandbox = Bun.which("bwrap") !== null

describe("stats", () => {
  test("the median of an odd and of an even number of values, whatever their order", () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  test("the median lies between the extremes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const { min, median: middle } = figure(values)
        expect(min).toBe(Math.min(...values))
        expect(middle).toBeGreaterThanOrEqual(min)
        expect(middle).toBeLessThanOrEqual(Math.max(...values))
      }),
    )
  })

  test("a peak that is watched for is the greatest that was seen", () => {
    expect(peak([30, 16, 31])).toEqual({ min: 31, median: 30 })
  })

  test("growth is the time of the last steps by that of the first", () => {
    // Three steps of 1 ms, three of 2 ms, three of 4 ms.
    const arrivals = [0, 1, 2, 3, 5, 7, 9, 13, 17, 21]
    expect(growth(arrivals, 3, 0)).toBe(4)
    expect(growth(arrivals, 3, 3)).toBe(2)
  })
})

const row = (more: Partial<Row>): Row => ({ name: "a row", unit: "ms", cairn: { min: 6, median: 8 }, ...more })

describe("table", () => {
  test("a ratio has two digits that mean something, and none when there is nothing to divide by", () => {
    expect(ratio(6, 4)).toBe("1.5")
    expect(ratio(1, 3)).toBe("0.33")
    expect(ratio(1000, 4)).toBe("250")
    expect(ratio(1, 0)).toBe("–")
    expect(ratio(Number.NaN, 2)).toBe("–")
  })

  test("values carry their unit; a share is never rounded up to the whole", () => {
    expect(shown(0.512, "ms")).toBe("0.51 ms")
    expect(shown(123.4, "ms")).toBe("123 ms")
    expect(shown(300, "s")).toBe("0.300 s")
    expect(shown(50 * 1024 * 1024, "MB")).toBe("50.0 MB")
    expect(shown(0.999_99, "%")).toBe("99.99 %")
    expect(shown(1, "%")).toBe("100 %")
    expect(shown(3000, "tokens")).toBe("3,000")
    expect(shown(Number.NaN, "ms")).toBe("–")
  })

  test("the least repetition is held against the budget, a share from the other side", () => {
    expect(holds(row({ budget: 6 }))).toBe(true)
    expect(holds(row({ budget: 5.9 }))).toBe(false)
    expect(holds(row({}))).toBe(true)
    const share = row({ unit: "%", cairn: { min: 0.9, median: 0.9 } })
    expect(holds({ ...share, budget: 1 })).toBe(false)
    expect(holds({ ...share, budget: 0.9 })).toBe(true)
  })

  test("a row shows both programs, how many times the floor, the budget and whether it is kept", () => {
    const [, line] = cells([row({ floor: { min: 3, median: 4 }, budget: 5, counted: true })])
    expect(line).toEqual(["a row ●", "≤ 5.00 ms", "6.00 ms", "8.00 ms", "3.00 ms", "4.00 ms", "2.0", "**no**"])
  })

  test("every line of either form has all columns", () => {
    const rows = [row({ budget: 7 }), row({ unit: "×", floor: { min: 1, median: 1 } })]
    const lines = markdownTable(rows).split("\n")
    expect(lines.map((line) => line.match(/\|/g)?.length)).toEqual([9, 9, 9, 9])
    expect(lines[2]).toBe("| a row | ≤ 7.00 ms | 6.00 ms | 8.00 ms | | | | yes |")
    const [head = "", ...rest] = terminalTable(rows).split("\n")
    expect(rest[0]?.endsWith("yes")).toBe(true)
    expect(rest[0]?.indexOf("≤ 7.00 ms")).toBe(head.indexOf("budget") + "budget".length - "≤ 7.00 ms".length)
  })

  test("a new run stands first, old ones stay, the oldest go", () => {
    let page = ""
    for (let n = 1; n <= 14; n++) page = pageWith(page, `## run ${n}\n\ntable ${n}\n`)
    const titles = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(titles).toEqual(Array.from({ length: 12 }, (_, index) => `run ${14 - index}`))
    expect(page.match(/^# Benchmarks$/gm)).toHaveLength(1)
    expect(page).toContain("table 3\n")
  })
})

describe("prompt bytes", () => {
  const body = (...messages: { role: string; content: string }[]) => ({ tools: [{ name: "read" }], messages })
  const system = { role: "system", content: "äb" }
  const user = { role: "user", content: "hello" }

  test("the size counts bytes of system text and tools, not of the conversation", () => {
    expect(promptSize(body(system, user))).toEqual({ system: 3, tools: 17, tokens: 5 })
  })

  test("all is kept while messages are only added", () => {
    expect(keptShare([body(system), body(system, user), body(system, user, user)])).toBe(1)
    expect(keptShare([body(system, user), body({ ...system, content: "äc" }, user)])).toBeLessThan(1)
    expect(keptShare([body(system, user), { ...body(system, user), tools: [] }])).toBeLessThan(1)
  })
})

/** What a client does with a tool loop, as the model sees it. */
async function work(client: Client, steps: number) {
  await using space = await benchWorkspace()
  const loop = toolLoop(steps)
  await using server = await startModelServer((request) => loop.reply(request))
  await measure(await prepare(space, client, server.baseURL("chat"), loop.prompt))
  await checkWork(space, steps)
  expect(server.unexpected).toEqual([])
  const last = server.requests.at(-1)
  const begun = client.name === "cairn" ? stepsInLog(space, 100) : []
  const outputs = last ? toolResults(last).map(({ output }) => output) : []
  return { requests: server.requests, outputs, begun, text: await readFile(join(space.dir, workFile), "utf8") }
}

describe("programs", () => {
  test("the floor program does the same work as cairn", async () => {
    const done = await Promise.all([work(floor, 6), work(cairn, 6)])
    for (const { requests, outputs, text } of done) {
      expect(requests).toHaveLength(toolLoop(6).requests)
      expect(offeredTools(requests[0]!)).toEqual(expect.arrayContaining(["read", "edit", "bash"]))
      expect(text).toContain(`\n${countAfter(6)}\n`)
      expect(outputs).toHaveLength(6)
      expect(outputs[0]).toContain("line 39 of a file")
      expect(outputs[0]).toContain("count: 0")
      expect(outputs[1]).toStartWith("Edited work.txt")
      expect(outputs[2]).toStartWith("round 0\n")
      expect(outputs[3]).toContain("count: 1")
      expect(outputs[5]).toContain("round 1\n\n[exit code 0]")
    }
    expect(done[1].text).toBe(done[0].text)
    const { begun } = done[1]
    expect(begun).toHaveLength(toolLoop(6).requests)
    expect(begun).toEqual(begun.toSorted((a, b) => a - b))
  })

  test("commands run in the sandbox, and without it", async () => {
    const unbounded = cairnClient(cairnCommand, { sandbox: { enabled: false } })
    const spaces = await Promise.all(
      [cairn, unbounded].map(async (client) => {
        await using space = await benchWorkspace()
        const loop = commandLoop(2)
        await using server = await startModelServer((request) => loop.reply(request))
        await measure(await prepare(space, client, server.baseURL("chat"), loop.prompt))
        return toolResults(server.requests.at(-1)!).map(({ output }) => /^\d+ (pid:\[\d+\])\n/.exec(output)?.[1])
      }),
    )
    const ours = readlinkSync("/proc/self/ns/pid")
    expect(spaces[1]).toEqual([ours, ours])
    expect(spaces[0]).toHaveLength(2)
    expect(new Set(spaces[0]!.map((one) => one === ours || one === undefined))).toEqual(new Set([!hasSandbox]))
  }, 20_000)

  test("a run that did not do its work, or failed, is no measurement", async () => {
    await using space = await benchWorkspace()
    expect(checkWork(space, 6)).rejects.toThrow("count: 2")
    const program = { argv: [bun, "-e", "console.error('no luck'); process.exit(3)"], cwd: space.dir, env: space.env }
    expect(measure(program)).rejects.toThrow(/ended with 3\nno luck/)
  })

  test("the memory is that of the program, not of the bench", async () => {
    const ballast = Buffer.alloc(200 * 1024 * 1024, 1)
    const program = { argv: [bun, "-e", "await Bun.sleep(50)"], cwd: "/", env: {} }
    const small = await peakMemory(program)
    expect(small).toBeGreaterThan(1024 * 1024)
    if (process.platform === "linux") expect(small).toBeLessThan(ballast.length / 2)
  })

  test("the scripted model in its own process tells what it saw", async () => {
    await using space = await benchWorkspace()
    await using scripted = await startScripted("hi")
    const cost = await measure(await prepare(space, floor, scripted.baseURL, workloadNamed("hi").prompt))
    expect(cost.cpu).toBeGreaterThan(0)
    const { arrivals, first, kept, unexpected } = await scripted.served()
    expect({ requests: arrivals.length, kept, unexpected }).toEqual({ requests: 1, kept: 1, unexpected: [] })
    expect(first?.system).toBe("You are an agent.".length)
  })
})

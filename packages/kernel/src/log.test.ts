import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { createLog, silentLog, type LogLevel } from "./log.ts"

type Line = Record<string, unknown>

function recorder(level: LogLevel = "debug") {
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line) }, { now: () => Date.UTC(2026, 0, 1) }, level)
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "null") as Line }
}

test("a line is one JSON object: time, level, scope, message, fields", () => {
  const { log, lines } = recorder()
  log.info("hello", { count: 1 })
  expect(lines).toEqual(['{"time":"2026-01-01T00:00:00.000Z","level":"info","scope":"","message":"hello","count":1}'])
})

test("levels below the chosen one are not written", () => {
  const { log, lines } = recorder("warn")
  log.debug("a")
  log.info("b")
  log.warn("c")
  log.child("deep").error("d")
  expect(lines.map((line) => (JSON.parse(line) as Line).message)).toEqual(["c", "d"])
})

test("children carry scope and fields on, and their own override", () => {
  const { log, last } = recorder()
  log.child("session", { id: 1 }).child("turn", { step: 2 }).warn("x", { step: 3 })
  expect(last()).toMatchObject({ scope: "session.turn", id: 1, step: 3 })
})

test("a field cannot hide the line's own", () => {
  const { log, last } = recorder()
  log.error("what happened", { message: "inner", level: "none", time: 0 })
  expect(last()).toMatchObject({
    message: "what happened",
    level: "error",
    message_: "inner",
    level_: "none",
    time_: 0,
  })
})

test("line breaks in values do not break the line", () => {
  const { log, lines } = recorder()
  log.info("a\nb", { text: "c\r\nd\u2028e" })
  expect(lines[0]).not.toMatch(/[\r\n]/)
})

test("errors are readable, with code and cause", () => {
  const { log, last } = recorder()
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
  log.error("failed", { error: new TypeError("no answer", { cause }) })
  expect(last().error).toMatchObject({
    name: "TypeError",
    message: "no answer",
    cause: { message: "refused", code: "ECONNREFUSED" },
  })
  expect(JSON.stringify(last())).toContain("log.test.ts")
})

describe("secrets", () => {
  const secret = "s3cr3t-value-0123456789"
  test.each([
    "authorization",
    "Authorization",
    "x-api-key",
    "apiKey",
    "api_key",
    "OPENAI_API_KEY",
    "x-goog-api-key",
    "password",
    "clientSecret",
    "access_token",
    "refreshToken",
    "cookie",
    "Set-Cookie",
    "private_key",
  ])("a field named %s is not written", (name) => {
    const { log, lines } = recorder()
    log.info("x", { headers: { [name]: secret }, list: [{ [name]: [secret] }] })
    expect(lines[0]).not.toContain(secret)
    expect(lines[0]).toContain("[redacted]")
  })

  test.each([
    `Bearer ${secret}`,
    "key sk-proj-abcdefghijklmnop0123",
    "ghp_abcdefghijklmnopqrst",
    `https://host/v1?key=${secret}&x=1`,
    `https://user:${secret}@host/path`,
  ])("what looks like a secret is not written: %s", (text) => {
    const { log, lines } = recorder()
    log.warn(`failed: ${text}`, { error: new Error(text), text })
    expect(lines[0]).toContain("[redacted]")
    expect(lines[0]).not.toContain(secret)
    expect(lines[0]).not.toContain("abcdefghijklmnop")
  })

  test("a secret at the place where a text is cut is not written either", () => {
    const { log, lines } = recorder()
    for (const before of [1_980, 1_995, 3_980, 3_995])
      log.info("x", { text: `${"a ".repeat(before / 2)}Bearer ${secret}` })
    expect(lines.join("")).not.toContain("s3cr3t")
  })

  test("counts and ordinary words stay", () => {
    const { log, last } = recorder()
    const fields = {
      tokens: { input: 5 },
      maxToken: 3,
      tokenizer: "bpe",
      skipPermissionChecks: "skipPermissionChecksOnce",
    }
    log.info("the task-runner-is-done-with-everything", fields)
    expect(last()).toMatchObject({ ...fields, message: "the task-runner-is-done-with-everything" })
  })
})

describe("bounds", () => {
  const circle: Line = { name: "circle" }
  circle.self = circle
  const deep = Array.from({ length: 20_000 }).reduce<Line>((inner) => ({ inner }), {})
  const hostile: [string, Line][] = [
    ["a long text", { text: 'é"\n'.repeat(1_000_000) }],
    ["many long texts", Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, "y".repeat(5_000)]))],
    ["a long list", { list: Array.from({ length: 100_000 }, (_, index) => index) }],
    ["very many fields", Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, index]))],
    [
      "lists of lists",
      { list: Array.from({ length: 90 }, () => Array.from({ length: 90 }, () => "word ".repeat(90))) },
    ],
    ["a cycle", circle],
    ["deep nesting", deep],
    ["a bigint, a symbol, a function, undefined", { a: 1n, b: Symbol("b"), c: () => 1, d: undefined }],
    [
      "a getter that throws",
      Object.defineProperty({}, "bad", {
        enumerable: true,
        get: () => {
          throw new Error("no")
        },
      }),
    ],
    [
      "a toJSON that throws",
      {
        bad: {
          toJSON: () => {
            throw new Error("no")
          },
        },
      },
    ],
    ["half a surrogate pair at the cut", { text: `${"a".repeat(1_999)}😀 tail` }],
  ]
  test.each(hostile)("%s gives one valid line of at most 8,192 characters", (_, fields) => {
    const { log, lines, last } = recorder()
    log.info("still here", fields)
    expect(lines).toHaveLength(1)
    expect(lines[0]?.length).toBeLessThanOrEqual(8_192)
    expect(last()).toMatchObject({ level: "info", message: "still here" })
  })

  test("a cycle and many long texts are shortened, not dropped", () => {
    const { log, last } = recorder()
    log.info("x", { circle })
    expect(last()).toEqual(expect.objectContaining({ circle: { name: "circle", self: "[seen]" } }))
    log.info("x", Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`f${index}`, "y".repeat(5_000)])))
    expect(last().f7).toBe(`${"y".repeat(200)}… (5000 characters)`)
  })

  test("a long message alone is cut and says how long it was", () => {
    const { log, last } = recorder()
    log.info("m".repeat(100_000))
    expect(last().message).toMatch(/^m{2000}… \(100000 characters\)$/)
  })

  test("any fields give one valid line", () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.anything()), (message, fields) => {
        const { log, lines } = recorder()
        log.error(message, fields)
        expect(lines).toHaveLength(1)
        expect(lines[0]?.length).toBeLessThanOrEqual(8_192)
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error" })
      }),
      { numRuns: 200 },
    )
  })
})

test("the silent log writes nothing and has silent children", () => {
  expect(() => silentLog.child("x", { a: 1 }).error("y")).not.toThrow()
})

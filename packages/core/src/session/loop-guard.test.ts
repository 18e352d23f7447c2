import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type GuardedCall, canonical, createLoopGuard } from "./loop-guard.ts"

const call = (over: Partial<GuardedCall> = {}): GuardedCall => ({
  tool: "bash",
  input: { command: "npm test" },
  result: "1 failed",
  failed: false,
  changedFile: false,
  ...over,
})

describe("loop guard", () => {
  test("the third equal call with an equal result is a loop", () => {
    const guard = createLoopGuard()
    expect(guard.record(call())).toBeUndefined()
    expect(guard.record(call({ tool: "read" }))).toBeUndefined()
    expect(guard.record(call())).toBeUndefined()
    expect(guard.record(call())).toEqual({ tool: "bash", why: "the same bash call gave the same result 3 times" })
  })

  test("equal calls whose results differ are progress", () => {
    const guard = createLoopGuard()
    for (let n = 0; n < 10; n++) expect(guard.record(call({ result: `${n} failed` }))).toBeUndefined()
  })

  test("a changed file between equal calls is work, a failed edit is not", () => {
    const edit = (failed: boolean, n: number) => call({ tool: "edit", input: { n }, failed, changedFile: true })
    const working = createLoopGuard()
    for (let n = 0; n < 5; n++) {
      expect(working.record(call())).toBeUndefined()
      expect(working.record(edit(false, n))).toBeUndefined()
    }
    const failing = createLoopGuard()
    const loops = [0, 1, 2].flatMap((n) => [failing.record(call()), failing.record(edit(true, n))])
    expect(loops.filter(Boolean)).toHaveLength(1)
  })

  test("six failures of one tool in a row are a loop, a success starts the count anew", () => {
    const guard = createLoopGuard()
    const fail = (n: number) => guard.record(call({ tool: "edit", input: { n }, failed: true }))
    for (let n = 0; n < 5; n++) expect(fail(n)).toBeUndefined()
    expect(guard.record(call({ tool: "edit", input: { n: 100 } }))).toBeUndefined()
    for (let n = 5; n < 10; n++) expect(fail(n)).toBeUndefined()
    expect(fail(10)?.why).toBe("edit failed 6 times in a row")
  })

  test("a user message resets it", () => {
    const guard = createLoopGuard()
    guard.record(call())
    guard.record(call())
    guard.reset()
    expect(guard.record(call())).toBeUndefined()
  })

  test("the order of keys does not make a call another one", () => {
    expect(canonical({ b: [1, { d: 1, c: undefined }], a: "x" })).toBe(canonical({ a: "x", b: [1, { d: 1 }] }))
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        expect(canonical(turned)).toBe(canonical(value))
      }),
    )
  })

  test("inputs that differ in a value differ", () => {
    expect(canonical({ a: "1" })).not.toBe(canonical({ a: 1 }))
    expect(canonical({ a: [1, 2] })).not.toBe(canonical({ a: [2, 1] }))
  })
})

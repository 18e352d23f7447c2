import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { listeners } from "../test/listeners.ts"
import { Interrupted } from "./interrupted.ts"
import { TaskGroup, abortable, onAbort, until } from "./task.ts"

const never = <T = never>() => new Promise<T>(() => {})
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const problem = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no problem",
    (error: unknown) => error,
  )
/** A child that ends only when it is told to, with the signal's reason. */
const hanging = (signal: AbortSignal) => abortable(never(), signal)

describe("TaskGroup", () => {
  test("gives each child's result and is empty after join", async () => {
    await using group = new TaskGroup()
    const one = group.run(() => Promise.resolve(1))
    const two = group.run(async () => {
      await turn()
      return "two"
    })
    expect(group.size).toBe(2)
    await group.join()
    expect(group.size).toBe(0)
    expect(await one).toBe(1)
    expect(await two).toBe("two")
    expect(group.signal.aborted).toBe(false)
  })

  test("the first failure cancels the siblings, and join throws it", async () => {
    await using group = new TaskGroup()
    const failure = new Error("first")
    const sibling = group.run(hanging)
    void group.run(() => Promise.reject(failure))
    expect(await problem(group.join())).toBe(failure)
    expect(await problem(sibling)).toBe(failure)
    expect(group.signal.reason).toBe(failure)
  })

  test("of several failures the first is thrown, after every child has settled", async () => {
    await using group = new TaskGroup()
    const order: string[] = []
    void group.run(async (signal) => {
      await problem(abortable(never(), signal))
      await turn()
      order.push("cleaned up")
      throw new Error("second")
    })
    void group.run(() => Promise.reject(new Error("first")))
    const thrown = await problem(group.join())
    order.push("joined")
    expect(String(thrown)).toBe("Error: first")
    expect(order).toEqual(["cleaned up", "joined"])
  })

  test("an interruption by the parent does not throw from join", async () => {
    const parent = new TaskGroup()
    await using group = new TaskGroup(parent.signal)
    const child = group.run(hanging)
    const own = group.run(async (signal) => {
      await problem(hanging(signal))
      throw new Interrupted("in my own words")
    })
    const platform = group.run(async (signal) => {
      await problem(hanging(signal))
      throw new DOMException("The operation was aborted.", "AbortError")
    })
    const reason = new Interrupted("by the user")
    await turn()
    parent.cancel(reason)
    expect(await problem(group.join())).toBe("no problem")
    expect(await problem(child)).toBe(reason)
    await Promise.all([own, platform].map(problem))
  })

  test("a child that fails while the group is cancelled for another reason is reported", async () => {
    const parent = new TaskGroup()
    await using group = new TaskGroup(parent.signal)
    const failure = new Error("could not clean up")
    void group.run(hanging)
    void group.run(async (signal) => {
      await problem(hanging(signal))
      throw failure
    })
    await turn()
    parent.cancel()
    expect(await problem(group.join())).toBe(failure)
    expect(group.signal.reason).toBeInstanceOf(Interrupted)
  })

  test("a child that gives up by itself fails the group: nobody had interrupted it", async () => {
    await using group = new TaskGroup()
    void group.run(() => Promise.reject(new Interrupted("a nested scope")))
    expect(String(await problem(group.join()))).toContain("a nested scope")
  })

  test("join waits for children that are started while it waits", async () => {
    await using group = new TaskGroup()
    const order: number[] = []
    const spawn = (depth: number) =>
      group.run(async () => {
        await turn()
        order.push(depth)
        if (depth < 5) void spawn(depth + 1)
      })
    void spawn(1)
    await group.join()
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  test("children start after run returns, in order, and never in a cancelled group", async () => {
    await using group = new TaskGroup()
    const started: string[] = []
    void group.run(() => Promise.resolve(started.push("first")))
    void group.run(() => Promise.resolve(started.push("second")))
    expect(started).toEqual([])
    await group.join()
    expect(started).toEqual(["first", "second"])
    group.cancel()
    const late = group.run(() => Promise.resolve(started.push("late")))
    expect(await problem(late)).toBeInstanceOf(Interrupted)
    await group.join()
    expect(started).toHaveLength(2)
  })

  test("cancel is idempotent: the first reason wins", async () => {
    await using group = new TaskGroup()
    group.cancel("first")
    group.cancel("second")
    expect(group.signal.reason).toBe("first")
  })

  test("a group of an aborted parent is cancelled from the start", async () => {
    const parent = new TaskGroup()
    parent.cancel("gone")
    await using group = new TaskGroup(parent.signal)
    expect(group.signal.reason).toBe("gone")
  })

  test("leaving the scope cancels, waits, and closes", async () => {
    const order: string[] = []
    let group: TaskGroup
    {
      await using scope = new TaskGroup()
      group = scope
      void scope.run(async (signal) => {
        await problem(hanging(signal))
        await turn()
        order.push("child")
      })
      await turn()
    }
    order.push("scope")
    expect(order).toEqual(["child", "scope"])
    expect(() => group.run(() => Promise.resolve())).toThrow("the scope has ended")
  })

  test("leaves no listener on the parent, however it ends", async () => {
    const parent = new TaskGroup()
    for (let round = 0; round < 100; round++) {
      await using group = new TaskGroup(parent.signal)
      const child = group.run((signal) => abortable(round % 3 === 0 ? Promise.resolve() : never(), signal))
      if (round % 2 === 0) group.cancel()
      else if (round % 3 === 1) void group.run(() => Promise.reject(new Error("x")))
      void child.catch(() => undefined)
    }
    expect(listeners(parent.signal)).toBe(0)
  })

  test("whatever the children do, join settles after all of them and reports a real failure if there is one", async () => {
    const ending = fc.constantFrom("value", "failure", "waits", "fails when cancelled")
    const plan = fc.record({ children: fc.array(ending, { maxLength: 6 }), cancel: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(plan, async ({ children, cancel }) => {
        await using group = new TaskGroup()
        let settled = 0
        for (const kind of children) {
          const work = async (signal: AbortSignal) => {
            try {
              if (kind === "failure") throw new Error("real")
              if (kind !== "value") await hanging(signal)
            } catch (error) {
              if (kind === "fails when cancelled") throw new Error("real")
              throw error
            } finally {
              settled++
            }
          }
          group.run(work).catch(() => undefined)
        }
        await turn()
        const fails = children.includes("failure")
        const waits = children.some((kind) => kind === "waits" || kind === "fails when cancelled")
        const stopped = cancel || (waits && !fails)
        if (stopped) group.cancel()
        const outcome = await problem(group.join())
        expect(settled).toBe(children.length)
        const real = fails || children.includes("fails when cancelled")
        expect(String(outcome)).toBe(real ? "Error: real" : "no problem")
      }),
      { numRuns: 60 },
    )
  })
})

describe("abortable", () => {
  test("settles as the promise does", async () => {
    const { signal } = new TaskGroup()
    expect(await abortable(Promise.resolve(7), signal)).toBe(7)
    expect(await problem(abortable(Promise.reject(new Error("own")), signal))).toEqual(new Error("own"))
    expect(listeners(signal)).toBe(0)
  })

  test("rejects with the reason at once, also when the promise never settles", async () => {
    const group = new TaskGroup()
    const waiting = abortable(never(), group.signal)
    expect(listeners(group.signal)).toBe(1)
    group.cancel("stop")
    expect(await problem(waiting)).toBe("stop")
    expect(await problem(abortable(never(), group.signal))).toBe("stop")
    expect(listeners(group.signal)).toBe(0)
  })

  test("ten thousand calls leave no listener", async () => {
    const { signal } = new TaskGroup()
    for (let round = 0; round < 10_000; round++) await abortable(Promise.resolve(round), signal)
    expect(listeners(signal)).toBe(0)
  })
})

describe("onAbort", () => {
  test("runs once, at once when already aborted, never after it was called off", () => {
    const group = new TaskGroup()
    let calls = 0
    onAbort(group.signal, () => calls++)
    onAbort(group.signal, () => calls++)()
    group.cancel()
    group.cancel()
    expect(calls).toBe(1)
    onAbort(group.signal, () => calls++)
    expect(calls).toBe(2)
    expect(listeners(group.signal)).toBe(0)
  })
})

describe("until", () => {
  /** A source that counts how it was used. Hangs after its items when told so. */
  function source(items: readonly number[], end: "ends" | "hangs" | "fails" = "ends") {
    const seen = { nexts: 0, returns: 0 }
    let at = 0
    const iterable: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          seen.nexts++
          const value = items[at++]
          if (value !== undefined) return Promise.resolve({ done: false, value })
          if (end === "fails") return Promise.reject(new Error("source failed"))
          return end === "hangs" ? never() : Promise.resolve({ done: true, value: undefined })
        },
        return: () => {
          seen.returns++
          return end === "hangs" ? never() : Promise.resolve({ done: true, value: undefined })
        },
      }),
    }
    return { seen, iterable }
  }
  const collect = async (items: AsyncIterable<number>, into: number[] = []) => {
    for await (const item of items) into.push(item)
    return into
  }

  test("passes every item on and does not return a source that has ended", async () => {
    const { signal } = new TaskGroup()
    const { iterable, seen } = source([1, 2, 3])
    expect(await collect(until(iterable, signal))).toEqual([1, 2, 3])
    expect(seen).toEqual({ nexts: 4, returns: 0 })
    expect(listeners(signal)).toBe(0)
  })

  test("throws the reason when interrupted, tells a hanging source to return and does not wait for it", async () => {
    const group = new TaskGroup()
    const { iterable, seen } = source([1], "hangs")
    const into: number[] = []
    const reading = collect(until(iterable, group.signal), into)
    await turn()
    group.cancel("stop")
    expect(await problem(reading)).toBe("stop")
    expect(into).toEqual([1])
    expect(seen.returns).toBe(1)
    expect(listeners(group.signal)).toBe(0)
  })

  test("reads nothing when the signal is aborted already", async () => {
    const group = new TaskGroup()
    group.cancel("stop")
    const { iterable, seen } = source([1])
    expect(await problem(collect(until(iterable, group.signal)))).toBe("stop")
    expect(seen).toEqual({ nexts: 0, returns: 1 })
  })

  test("passes the source's own failure on without returning it", async () => {
    const { signal } = new TaskGroup()
    const { iterable, seen } = source([1], "fails")
    expect(String(await problem(collect(until(iterable, signal))))).toBe("Error: source failed")
    expect(seen.returns).toBe(0)
  })

  test("a consumer that stops early waits for the source's clean-up", async () => {
    const { signal } = new TaskGroup()
    const order: string[] = []
    async function* generator() {
      try {
        yield 1
        yield 2
      } finally {
        await turn()
        order.push("source cleaned up")
      }
    }
    for await (const _ of until(generator(), signal)) break
    order.push("loop left")
    expect(order).toEqual(["source cleaned up", "loop left"])
  })

  test("an interruption ends the wait for a clean-up that hangs", async () => {
    const group = new TaskGroup()
    const { iterable, seen } = source([1], "hangs")
    const stopping = (async () => {
      for await (const _ of until(iterable, group.signal)) break
    })()
    await turn()
    expect(seen.returns).toBe(1)
    group.cancel()
    expect(await problem(stopping)).toBe("no problem")
  })

  test("an abort between two items ends before the next one", async () => {
    const group = new TaskGroup()
    const { iterable } = source([1, 2, 3])
    const into: number[] = []
    const reading = (async () => {
      for await (const item of until(iterable, group.signal)) {
        into.push(item)
        if (item === 2) group.cancel("enough")
      }
    })()
    expect(await problem(reading)).toBe("enough")
    expect(into).toEqual([1, 2])
  })

  test("a source without return is fine", async () => {
    const group = new TaskGroup()
    const iterable: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: () => never() }) }
    const reading = collect(until(iterable, group.signal))
    group.cancel("stop")
    expect(await problem(reading)).toBe("stop")
  })

  test("a stream is read to its end, then released", async () => {
    const { signal } = new TaskGroup()
    const stream = new ReadableStream<number>({
      start(controller) {
        for (const item of [1, 2]) controller.enqueue(item)
        controller.close()
      },
    })
    expect(await collect(until(stream, signal))).toEqual([1, 2])
    expect(stream.locked).toBe(false)
  })

  test("a stream that hangs in a read is cancelled at once, with the reason", async () => {
    const group = new TaskGroup()
    let cancelled: unknown
    const stream = new ReadableStream<number>({ cancel: (reason) => void (cancelled = reason) })
    const reading = collect(until(stream, group.signal))
    await turn()
    group.cancel("stop")
    expect(await problem(reading)).toBe("stop")
    expect(cancelled).toBe("stop")
  })

  test("a stream that fails passes its failure on", async () => {
    const { signal } = new TaskGroup()
    const stream = new ReadableStream<number>({ pull: () => Promise.reject(new Error("broken pipe")) })
    expect(String(await problem(collect(until(stream, signal))))).toBe("Error: broken pipe")
  })
})

test("no unhandled rejection, whatever is dropped", async () => {
  const script = join(import.meta.dir, "../test/dropped.ts")
  const child = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "pipe" })
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect(problems).toBe("")
  expect(out).toBe("[]\n")
  expect(child.exitCode).toBe(0)
})

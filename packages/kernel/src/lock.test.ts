import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { listeners } from "../test/listeners.ts"
import { KeyedLock, Semaphore } from "./lock.ts"
import { TaskGroup } from "./task.ts"

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const problem = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no problem",
    (error: unknown) => error,
  )

describe("Semaphore", () => {
  test("lets as many in as it has permits, the others in their order", async () => {
    const semaphore = new Semaphore(2)
    const { signal } = new TaskGroup()
    const order: number[] = []
    const enter = async (name: number) => {
      const release = await semaphore.acquire(signal)
      order.push(name)
      return release
    }
    const [first, second] = await Promise.all([enter(1), enter(2)])
    const third = enter(3)
    const fourth = enter(4)
    await turn()
    expect(order).toEqual([1, 2])
    second()
    const releaseThird = await third
    expect(order).toEqual([1, 2, 3])
    first()
    const releaseFourth = await fourth
    expect(order).toEqual([1, 2, 3, 4])
    expect(semaphore.idle).toBe(false)
    releaseThird()
    releaseFourth()
    expect(semaphore.idle).toBe(true)
    expect(listeners(signal)).toBe(0)
  })

  test("a permit given back twice counts once", async () => {
    const semaphore = new Semaphore(1)
    const { signal } = new TaskGroup()
    const release = await semaphore.acquire(signal)
    release()
    release()
    const again = await semaphore.acquire(signal)
    let third = false
    void semaphore.acquire(signal).then(() => (third = true))
    await turn()
    expect(third).toBe(false)
    again()
  })

  test("who is interrupted while waiting gives the place up to the next", async () => {
    const semaphore = new Semaphore(1)
    const impatient = new TaskGroup()
    const { signal } = new TaskGroup()
    const release = await semaphore.acquire(signal)
    const leaves = problem(semaphore.acquire(impatient.signal))
    const stays = semaphore.acquire(signal)
    impatient.cancel("no longer")
    expect(await leaves).toBe("no longer")
    release()
    const last = await stays
    last()
    expect(semaphore.idle).toBe(true)
  })

  test("who is interrupted in the moment the turn comes hands it on", async () => {
    const semaphore = new Semaphore(1)
    const impatient = new TaskGroup()
    const { signal } = new TaskGroup()
    const release = await semaphore.acquire(signal)
    const leaves = problem(semaphore.acquire(impatient.signal))
    const stays = semaphore.acquire(signal)
    release()
    impatient.cancel("now")
    expect(await leaves).toBe("now")
    const last = await stays
    last()
    expect(semaphore.idle).toBe(true)
  })

  test("an aborted signal gets no permit, though one is free", async () => {
    const semaphore = new Semaphore(1)
    const gone = new TaskGroup()
    gone.cancel("gone")
    expect(await problem(semaphore.acquire(gone.signal))).toBe("gone")
    expect(semaphore.idle).toBe(true)
  })

  test.each([0, -1, 1.5, Number.NaN])("%p permits make no sense", (permits) => {
    expect(() => new Semaphore(permits)).toThrow("is not a number of permits")
  })

  test("under any mix of work and interruption nobody is lost and the limit holds", async () => {
    const visit = fc.record({ turns: fc.nat(3), interrupt: fc.option(fc.nat(4)) })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(visit, { maxLength: 12 }), async (permits, visits) => {
        const semaphore = new Semaphore(permits)
        let inside = 0
        let most = 0
        const outcomes = await Promise.all(
          visits.map(async ({ turns, interrupt }) => {
            const group = new TaskGroup()
            if (interrupt !== null) void wait(interrupt).then(() => group.cancel())
            try {
              const release = await semaphore.acquire(group.signal)
              most = Math.max(most, ++inside)
              await wait(turns)
              inside--
              release()
              return "worked"
            } catch {
              return "left"
            }
          }),
        )
        expect(most).toBeLessThanOrEqual(permits)
        expect(semaphore.idle).toBe(true)
        outcomes.forEach((outcome, index) => {
          if (visits[index]?.interrupt === null) expect(outcome).toBe("worked")
        })
      }),
      { numRuns: 80 },
    )
  })
})

const wait = async (turns: number) => {
  for (let left = turns; left > 0; left--) await turn()
}

describe("KeyedLock", () => {
  test("one at a time per key, in the order of asking; keys do not wait for each other", async () => {
    const lock = new KeyedLock()
    const { signal } = new TaskGroup()
    const order: string[] = []
    const visit = (key: string, name: string) =>
      lock.with(key, signal, async () => {
        order.push(`${name} in`)
        await turn()
        order.push(`${name} out`)
        return name
      })
    const results = await Promise.all([visit("a", "a1"), visit("a", "a2"), visit("b", "b1"), visit("a", "a3")])
    expect(results).toEqual(["a1", "a2", "b1", "a3"])
    const of = (key: string) => order.filter((entry) => entry.startsWith(key))
    expect(of("a")).toEqual(["a1 in", "a1 out", "a2 in", "a2 out", "a3 in", "a3 out"])
    expect(order.indexOf("b1 in")).toBeLessThan(order.indexOf("a1 out"))
  })

  test("costs nothing for keys that nobody holds, however the work ends", async () => {
    const lock = new KeyedLock()
    const group = new TaskGroup()
    const gone = new TaskGroup()
    gone.cancel("gone")
    const holding = lock.with("held", group.signal, turn)
    const failing = problem(lock.with("x", group.signal, () => Promise.reject(new Error("own"))))
    const waiting = problem(lock.with("held", group.signal, turn))
    const late = problem(lock.with("held", gone.signal, turn))
    expect(lock.size).toBe(2)
    group.cancel("stop")
    expect(await failing).toEqual(new Error("own"))
    expect(await waiting).toBe("stop")
    expect(await late).toBe("gone")
    await holding
    expect(lock.size).toBe(0)
    expect(listeners(group.signal)).toBe(0)
  })

  test("an interrupted waiter's work never starts, and the next in line gets its turn", async () => {
    const lock = new KeyedLock()
    const impatient = new TaskGroup()
    const { signal } = new TaskGroup()
    const order: string[] = []
    const note = (name: string) => async () => {
      await turn()
      order.push(name)
    }
    const first = lock.with("k", signal, note("first"))
    const second = problem(lock.with("k", impatient.signal, note("second")))
    const third = lock.with("k", signal, note("third"))
    impatient.cancel()
    await Promise.all([first, second, third])
    expect(order).toEqual(["first", "third"])
    expect(lock.size).toBe(0)
  })

  test("a failure frees the key", async () => {
    const lock = new KeyedLock()
    const { signal } = new TaskGroup()
    const failing = problem(lock.with("k", signal, () => Promise.reject(new Error("x"))))
    expect(await lock.with("k", signal, () => Promise.resolve("next"))).toBe("next")
    expect(String(await failing)).toBe("Error: x")
  })
})

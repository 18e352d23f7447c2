import { expect, test } from "bun:test"
import { Interrupted } from "@cairn/kernel/interrupted"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { createTuiRelay } from "./tui-relay.ts"

const request = (n: number) => ({ path: "/tui/append-prompt", body: { text: `${n}` } })
const here = "/repo"
const never = new TaskGroup().signal

test("each call goes to one client of its directory, in order", async () => {
  using relay = createTuiRelay(new TestClock())
  const [first, second, elsewhere] = [relay.next(here, never), relay.next(here, never), relay.next("/other", never)]
  relay.send(here, request(1))
  relay.send(here, request(2))
  relay.send("/other", request(3))
  expect(await Promise.all([first, second, elsewhere])).toEqual([request(1), request(2), request(3)])
})

test("calls wait for a client that fetches, the newest hundred of them, but not for one that never came", async () => {
  const clock = new TestClock()
  using relay = createTuiRelay(clock)
  relay.send(here, request(0))
  const first = relay.next(here, never)
  relay.send(here, request(1))
  expect(await first).toEqual(request(1))
  for (let n = 2; n < 120; n++) relay.send(here, request(n))
  expect(await relay.next(here, never)).toEqual(request(20))
  await clock.advance(60_001)
  relay.send(here, request(500))
  const late = relay.next(here, never)
  relay.send(here, request(501))
  expect(await late).toEqual(request(501))
})

test("a client that goes takes no call with it", async () => {
  using relay = createTuiRelay(new TestClock())
  const group = new TaskGroup()
  const gone = relay.next(here, group.signal)
  group.cancel()
  await expect(gone).rejects.toBeInstanceOf(Interrupted)
  relay.send(here, request(1))
  expect(await relay.next(here, never)).toEqual(request(1))
})

test("clients that wait are let go when the server stops", async () => {
  const relay = createTuiRelay(new TestClock())
  const waiting = relay.next(here, never)
  relay[Symbol.dispose]()
  await expect(waiting).rejects.toBeInstanceOf(Interrupted)
})

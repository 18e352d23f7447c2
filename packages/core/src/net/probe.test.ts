import { expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { createNet } from "./net.ts"
import { probe } from "./probe.ts"

const quiet = new TaskGroup().signal

test("an open port is fine and the socket is closed again", async () => {
  const closed = Promise.withResolvers<void>()
  using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {}, close: () => closed.resolve() } })
  const net = createNet({ env: {}, log: silentLog, clock: systemClock })
  expect(await net.probe(`http://127.0.0.1:${listener.port}/v1`, quiet)).toEqual({ ok: true, value: undefined })
  await closed.promise
})

test("a closed port is refused, with host and port in the message", async () => {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  const result = await createNet({ env: {}, log: silentLog, clock: systemClock }).probe(
    `http://127.0.0.1:${port}`,
    quiet,
  )
  expect(result).toMatchObject({ ok: false, error: { code: "probe_refused" } })
  expect(!result.ok && result.error.message).toContain(`127.0.0.1:${port}`)
})

test("the probe goes to the proxy when one is in front", async () => {
  using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const env = { HTTPS_PROXY: `http://127.0.0.1:${listener.port}` }
  const net = createNet({ env, log: silentLog, clock: systemClock })
  expect((await net.probe("https://unreachable.test/v1", quiet)).ok).toBe(true)
})

test("an unknown host is told from a refused connection", async () => {
  const connect = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }))
  const result = await probe(
    { host: "nowhere.test", port: 443 },
    { clock: systemClock, ms: 5_000, signal: quiet, connect },
  )
  expect(result).toMatchObject({ ok: false, error: { code: "probe_unknown_host" } })
})

test("silence is an error after the limit, and a socket that opens later is closed", async () => {
  const clock = new TestClock()
  const late = Promise.withResolvers<{ end(): void }>()
  const ended = Promise.withResolvers<void>()
  const result = probe({ host: "h", port: 1 }, { clock, ms: 5_000, signal: quiet, connect: () => late.promise })
  await clock.timers()
  await clock.advance(4_999)
  expect(clock.pending).toBe(1)
  await clock.advance(1)
  expect(await result).toMatchObject({ ok: false, error: { code: "probe_silent" } })
  late.resolve({ end: () => ended.resolve() })
  await ended.promise
  expect(clock.pending).toBe(0)
})

test("interruption rejects with the reason and leaves no timer", async () => {
  const clock = new TestClock()
  const group = new TaskGroup()
  const result = probe(
    { host: "h", port: 1 },
    { clock, ms: 5_000, signal: group.signal, connect: () => new Promise(() => {}) },
  )
  await clock.timers()
  const reason = new Error("stop")
  group.cancel(reason)
  expect(await result.catch((error: unknown) => error)).toBe(reason)
  expect(clock.pending).toBe(0)
})

import { describe, expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { firstProcess } from "./first-process.ts"
import { leftAlone } from "./group.ts"

const told = (text: string, end = true) => {
  let closed = false
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text))
      if (end) controller.close()
    },
    cancel: () => void (closed = true),
  })
  return { stream, isClosed: () => closed }
}

describe("the first process of a namespace", () => {
  test("is the number that was told", async () => {
    const text = '{\n    "child-pid": 4711,\n    "pid-namespace": 4026532178\n}\n'
    expect(await firstProcess(told(text).stream, systemClock)).toBe(4711)
  })

  test("is not known when nothing was told, and a writer that stays is not waited for", async () => {
    expect(await firstProcess(told("").stream, systemClock)).toBeUndefined()
    expect(await firstProcess(told("bwrap: no").stream, systemClock)).toBeUndefined()
    const open = told("", false)
    expect(await firstProcess(open.stream, systemClock)).toBeUndefined()
    expect(open.isClosed()).toBe(true)
  })
})

describe.skipIf(process.platform !== "linux")("nobody is left", () => {
  const never = () => false

  test("once the first process of the namespace is gone, also while nobody can tell of the session", async () => {
    await using other = Bun.spawn(["sleep", "1000"], { detached: true, stdio: ["ignore", "ignore", "ignore"] })
    const first = Bun.spawn(["true"], { stdin: "ignore" })
    await first.exited
    expect(await leftAlone(other.pid, systemClock, 0, never, first.pid)).toBe(true)
  })

  test("when it is alone there, and not when somebody is with it", async () => {
    const leader = Bun.spawn(["bash", "-c", "sleep 1000 >/dev/null & echo $!"], { detached: true, stdin: "ignore" })
    const { value } = await leader.stdout.getReader().read()
    await leader.exited
    const first = Number(new TextDecoder().decode(value))
    expect(await leftAlone(leader.pid, systemClock, 0, never, first)).toBe(true)
    expect(await leftAlone(leader.pid, systemClock, 0, never, 1)).toBe(false)
    process.kill(first, "SIGKILL")
  })
})

import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { systemClock } from "@cairn/kernel/clock"
import { endGroup, leftAlone, members } from "./group.ts"
import { lazyLibc, type Libc } from "./libc.ts"
import { createVacancy } from "./vacancy.ts"

const linux = process.platform === "linux"
const vacant = createVacancy()
const never = createVacancy(() => undefined)

/** A leader of its own session that has ended and whose exit was taken. */
async function ended(script: string): Promise<number> {
  const leader = Bun.spawn(["bash", "-c", script], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore"],
  })
  await leader.exited
  return leader.pid
}

const background = {
  "in its group": "sleep 1000 &",
  "in a group of its own": "set -m; sleep 1000 &",
  "after a double fork": "(set -m; (sleep 1000 & exit) & wait) & wait",
  "whose group has another leader that is dead": "set -m; bash -c 'sleep 1000 &' & wait",
}

describe("a number is taken while", () => {
  for (const [name, script] of Object.entries(background))
    test(`somebody is left of the session, ${name}`, async () => {
      const leader = await ended(script)
      expect(vacant(leader)).toBe(false)
      expect(await leftAlone(leader, systemClock, 0, vacant)).toBe(false)
      expect(await leftAlone(leader, systemClock, 0, never)).toBe(false)
      expect(await endGroup(leader, systemClock, 500)).toBe(true)
      expect(members(leader, false)).toEqual([])
    })

  test("its process lives, or is one of our threads", () => {
    expect(vacant(process.pid)).toBe(false)
    for (const thread of linux ? readdirSync("/proc/self/task") : []) expect(vacant(Number(thread))).toBe(false)
  })
})

describe("a number is free", () => {
  test.skipIf(!linux)("after the end of a leader that left nobody", async () => {
    for (const script of ["true", "true; (true; true); true | true", "set -m; true & wait"])
      expect(vacant(await ended(script))).toBe(true)
  })

  test.skipIf(!linux)("after the end of a leader whose daemon made a session of its own", async () => {
    const leader = Bun.spawn(["bash", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.1"], {
      detached: true,
      stdin: "ignore",
    })
    await leader.exited
    const { value } = await leader.stdout.getReader().read()
    expect(await leftAlone(leader.pid, systemClock, 1_000, vacant)).toBe(true)
    process.kill(Number(new TextDecoder().decode(value)), "SIGKILL")
  })
})

describe("nobody can tell", () => {
  const libc = lazyLibc()
  const spoilt = (fcntl: Libc["fcntl"]) => createVacancy(() => ({ pipe2: () => -1, fcntl }))

  test("without the library: the processes are looked at", async () => {
    const leader = await ended("true")
    expect(never(leader)).toBe(false)
    expect(await leftAlone(leader, systemClock, 1_000, never)).toBe(true)
  })

  test("where the kernel refuses everything, or all but processes", async () => {
    const leader = await ended("true")
    expect(spoilt(() => -1)(leader)).toBe(false)
    expect(spoilt((_, __, pid) => (pid === process.pid ? 0 : -1))(leader)).toBe(false)
  })

  test.skipIf(!linux)("where it refuses from some moment on", async () => {
    const leader = await ended("true")
    let open = true
    const later = spoilt((...call) => (open ? (libc()?.fcntl(...call) ?? -1) : -1))
    expect(later(leader)).toBe(true)
    open = false
    expect(later(leader)).toBe(false)
  })
})

test.skipIf(!linux)("asking leaves no descriptor open", () => {
  const open = () => readdirSync("/proc/self/fd").length
  const before = open()
  for (let i = 0; i < 100; i++) vacant(process.pid)
  expect(open()).toBe(before)
})

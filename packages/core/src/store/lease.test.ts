import { describe, expect, test } from "bun:test"
import { spawnChild } from "../../test/store/children.ts"
import { created, turnStarted } from "../../test/store/events.ts"
import { tempDir, tempStore } from "../../test/store/temp-store.ts"
import { type Lease, heartbeatLimit, isDead, self } from "./lease.ts"

const here = self()
const lease = (more: Partial<Lease> = {}): Lease => ({
  sessionID: "ses_1",
  runID: "run_1",
  ...here,
  since: 0,
  heartbeat: 0,
  ...more,
})
const late = heartbeatLimit + 1
const linux = process.platform === "linux"

describe("isDead", () => {
  test("this process lives, however long ago its heartbeat was", () => {
    expect(isDead(lease(), here, 1_000_000_000)).toBe(!linux)
  })

  test("a pid that is gone is dead at once", async () => {
    await using child = await spawnChild("read", "/nowhere")
    const of = lease({ pid: child.pid, started: "" })
    expect(isDead(of, here, 0)).toBe(false)
    await child.kill("SIGKILL")
    expect(isDead(of, here, 0)).toBe(true)
  })

  test.if(linux)("a pid that was given to another process is dead at once", () => {
    expect(isDead(lease({ started: "1" }), here, 0)).toBe(true)
  })

  test.if(linux)("a zombie is dead", async () => {
    // The shell becomes `sleep`, which never collects its child.
    const shell = Bun.spawn(["sh", "-c", "sleep 0 & echo $!; exec sleep 60"], { stdout: "pipe" })
    try {
      const { value } = await shell.stdout.getReader().read()
      const pid = Number(new TextDecoder().decode(value))
      const state = async () => (await Bun.file(`/proc/${pid}/stat`).text()).split(") ")[1]?.[0]
      while ((await state()) !== "Z") await Bun.sleep(1)
      expect(isDead(lease({ pid }), here, 0)).toBe(true)
      expect(isDead(lease({ pid, started: "" }), here, 0)).toBe(true)
    } finally {
      shell.kill("SIGKILL")
      await shell.exited
    }
  })

  for (const [name, more] of Object.entries({
    "another namespace": { namespace: "pid:[1]" },
    "another boot or machine": { boot: "another" },
  }))
    test(`${name}: the heartbeat decides, whatever the pid is here`, () => {
      for (const pid of [process.pid, 2 ** 22 - 3]) {
        expect(isDead(lease({ ...more, pid }), here, heartbeatLimit)).toBe(false)
        expect(isDead(lease({ ...more, pid }), here, late)).toBe(true)
      }
    })

  test("a pid that lives without a start time to compare: the heartbeat decides", () => {
    expect(isDead(lease({ started: "" }), here, heartbeatLimit)).toBe(false)
    expect(isDead(lease({ started: "" }), here, late)).toBe(true)
  })

  test.if(linux)("a process says of itself what tells it from others", () => {
    expect(here).toEqual({
      pid: process.pid,
      started: expect.stringMatching(/^\d+$/),
      boot: expect.stringMatching(/^[0-9a-f-]{36}$/),
      namespace: expect.stringMatching(/^pid:\[\d+\]$/),
    })
  })
})

describe("begin, end, recover", () => {
  test("a run takes the lease with its first event and gives it back with its last", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    expect(temp.store.begin("ses_1", "run_1", [turnStarted("ses_1", "run_1")])).toBeUndefined()
    expect(temp.store.leases.get("ses_1")).toMatchObject({ runID: "run_1", pid: process.pid, since: temp.clock.now() })
    temp.store.end("ses_1", "run_1", [])
    expect(temp.store.leases.all()).toEqual([])
  })

  test("while it is held nobody else begins, and nothing of the attempt is stored or published", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.begin("ses_1", "run_1", [])
    const seq = temp.store.read.lastSeq()
    const held = temp.store.begin("ses_1", "run_2", [turnStarted("ses_1", "run_2")])
    expect(held).toMatchObject({ runID: "run_1", pid: process.pid })
    expect(temp.store.read.lastSeq()).toBe(seq)
    expect(temp.published.map((event) => event.type)).toEqual(["session.created"])
  })

  test("begin takes no lease when its events cannot be stored", () => {
    using temp = tempStore()
    expect(() => temp.store.begin("ses_1", "run_1", [turnStarted("ses_1", "run_1")])).toThrow("FOREIGN KEY")
    expect(temp.store.leases.all()).toEqual([])
  })

  test("a run that lost its session can write nothing, and learns it from its heartbeat", () => {
    using temp = tempStore()
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.begin("ses_1", "run_1", [])
    expect(temp.store.leases.beat("run_1", 5)).toBe(true)
    expect(temp.store.leases.get("ses_1")?.heartbeat).toBe(5)
    temp.store.end("ses_1", "run_1", [])
    const seq = temp.store.read.lastSeq()
    expect(temp.store.leases.beat("run_1", 6)).toBe(false)
    expect(() => temp.store.append("ses_1", [turnStarted("ses_1", "run_1")], "run_1")).toThrow(
      "not this run's any more",
    )
    expect(() => temp.store.end("ses_1", "run_1", [turnStarted("ses_1", "run_1")])).toThrow("not this run's any more")
    expect(temp.store.read.lastSeq()).toBe(seq)
  })

  test("recover closes the run of a dead owner once, and leaves a living one alone", () => {
    using temp = tempStore({ owner: { ...here, started: "1" } })
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.begin("ses_1", "run_1", [turnStarted("ses_1", "run_1")])
    const close = (of: Lease) => [
      {
        type: "session.turn.ended",
        properties: { sessionID: "ses_1", runID: of.runID, time: 2, reason: "interrupted_by_restart" },
      } as const,
    ]
    // To itself this owner is another process than the one with its pid.
    expect(temp.store.recover("ses_1", close)).toHaveLength(1)
    expect(temp.store.read.openTurns("ses_1")).toEqual([])
    expect(temp.store.leases.all()).toEqual([])
    expect(temp.store.recover("ses_1", close)).toBeUndefined()
    expect(temp.store.recover("ses_2", close)).toBeUndefined()

    using living = tempStore()
    living.store.append("ses_1", [created("ses_1")])
    living.store.begin("ses_1", "run_1", [turnStarted("ses_1", "run_1")])
    expect(living.store.recover("ses_1", close)).toBeUndefined()
    expect(living.store.read.openTurns("ses_1")).toEqual(["run_1"])
  })

  test("a recovery that fails half-way leaves the lease for the next try", () => {
    using temp = tempStore({ owner: { ...here, started: "1" } })
    temp.store.append("ses_1", [created("ses_1")])
    temp.store.begin("ses_1", "run_1", [])
    expect(() => temp.store.recover("ses_1", () => [created("ses_1")])).toThrow("UNIQUE")
    expect(temp.store.leases.get("ses_1")?.runID).toBe("run_1")
  })

  test("two processes race for one session: one gets it, the other is told who; it is free when the owner is killed", async () => {
    using dir = tempDir()
    using temp = tempStore({ file: dir.file })
    temp.store.append("ses_1", [created("ses_1")])
    await using one = await spawnChild("begin", dir.file, "ses_1")
    await using other = await spawnChild("begin", dir.file, "ses_1")
    one.go()
    other.go()
    const said = await Promise.all([one.next(), other.next()])
    expect(said.filter((each) => each["got"] === true)).toHaveLength(1)
    const winner = said[0]["got"] === true ? one : other
    expect(said.map((each) => each["owner"])).toEqual([winner.pid, winner.pid])
    expect(temp.store.recover("ses_1", () => [])).toBeUndefined()
    await winner.kill("SIGKILL")
    expect(temp.store.recover("ses_1", () => [])).toEqual([])
    expect(temp.store.begin("ses_1", "run_3", [])).toBeUndefined()
  })
})

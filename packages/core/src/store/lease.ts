import type { Database } from "bun:sqlite"
import { readFileSync, readlinkSync } from "node:fs"
import type { lease } from "./schema.ts"
import { codeOf } from "./trouble.ts"
import { prepareLater } from "./statement.ts"

/** A process, described so that another one can tell whether it still lives. */
export interface Owner {
  readonly pid: number
  /** Start time of the process in the system's own count; empty where it cannot be known. */
  readonly started: string
  readonly boot: string
  readonly namespace: string
}

export type Lease = typeof lease.$inferSelect

/** Without a heartbeat for this long, an owner that cannot be looked at counts as dead. ms */
export const heartbeatLimit = 30_000
/** How often an owner writes its heartbeat. ms */
export const heartbeatEvery = 5_000

/** The run does not own its session any more: it was judged dead by another process, or the session was deleted. Nothing may be written for it. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost"
  constructor(readonly sessionID: string) {
    super(`session ${sessionID} is not this run's any more: another process took it over, or it was deleted`)
  }
}

export interface Leases {
  get(sessionID: string): Lease | undefined
  all(): Lease[]
  put(sessionID: string, runID: string, owner: Owner, now: number): void
  /** Ends a lease if `runID` still holds it. */
  release(sessionID: string, runID: string): void
  /** Ends the lease of a session, whoever holds it. */
  drop(sessionID: string): void
  holds(sessionID: string, runID: string): boolean
  /** Writes the heartbeat. False when the run holds no lease any more. */
  beat(runID: string, now: number): boolean
}

export function createLeases(database: Database): Leases {
  const columns = `session_id AS sessionID, run_id AS runID, pid, started, boot, namespace, since, heartbeat`
  const byID = prepareLater<Lease, [string]>(database, `SELECT ${columns} FROM lease WHERE session_id = ?`)
  const every = prepareLater<Lease, []>(database, `SELECT ${columns} FROM lease`)
  const put = prepareLater<never, (string | number)[]>(
    database,
    `INSERT INTO lease (session_id, run_id, pid, started, boot, namespace, since, heartbeat)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const release = prepareLater<never, (string | number)[]>(
    database,
    "DELETE FROM lease WHERE session_id = ? AND run_id = ?",
  )
  const drop = prepareLater<never, (string | number)[]>(database, "DELETE FROM lease WHERE session_id = ?")
  const beat = prepareLater<never, (string | number)[]>(database, "UPDATE lease SET heartbeat = ? WHERE run_id = ?")
  const get = (sessionID: string) => byID.get(sessionID) ?? undefined
  return {
    get,
    all: () => every.all(),
    put: (sessionID, runID, { pid, started, boot, namespace }, now) =>
      void put.run(sessionID, runID, pid, started, boot, namespace, now, now),
    release: (sessionID, runID) => void release.run(sessionID, runID),
    drop: (sessionID) => void drop.run(sessionID),
    holds: (sessionID, runID) => get(sessionID)?.runID === runID,
    beat: (runID, now) => beat.run(now, runID).changes > 0,
  }
}

/** This process. */
export function self(): Owner {
  const { started } = look(process.pid)
  return { pid: process.pid, started: started ?? "", boot: bootID(), namespace: pidNamespace() }
}

/**
 * True when the owner cannot be running any more: same boot and namespace, and its pid is gone or belongs to a process
 * that started at another time. Where that cannot be known (another container, no start times), no heartbeat for
 * 30 s decides.
 */
export function isDead(owner: Lease, here: Owner, now: number): boolean {
  const silent = now - owner.heartbeat > heartbeatLimit
  if (owner.boot !== here.boot || owner.namespace !== here.namespace) return silent
  const { alive, started } = look(owner.pid)
  if (!alive) return true
  return started === undefined || owner.started === "" ? silent : started !== owner.started
}

/** Whether a process runs, and when it started, where the system tells. A zombie does not run. */
function look(pid: number): { alive: boolean; started?: string } {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === undefined) return { alive: answers(pid) }
  // Counted after the command name, which may hold spaces and brackets: field 3 is the state, 22 the start time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const alive = fields[0] !== "Z" && fields[0] !== "X"
  return { alive, ...(fields[19] && { started: fields[19] }) }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== "ESRCH" // a process of another user answers EPERM
  }
}

const bootID = () => readText("/proc/sys/kernel/random/boot_id")?.trim() ?? ""

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return "" // not Linux: one namespace
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

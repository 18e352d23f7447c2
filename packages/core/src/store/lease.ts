import type { Database } from "bun:sqlite"
import { readFileSync, readlinkSync } from "node:fs"
import { eq, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/bun-sqlite"
import { lease } from "./schema.ts"

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

/** The run does not own its session any more: another process judged it dead. Nothing may be written for it. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost"
  constructor(readonly sessionID: string) {
    super(`another process took over session ${sessionID}`)
  }
}

export interface Leases {
  get(sessionID: string): Lease | undefined
  all(): Lease[]
  put(sessionID: string, runID: string, owner: Owner, now: number): void
  /** Ends a lease if `runID` still holds it. */
  release(sessionID: string, runID: string): void
  holds(sessionID: string, runID: string): boolean
  beat(runID: string, now: number): void
}

export function createLeases(database: Database): Leases {
  const orm = drizzle(database)
  const value = sql.placeholder
  const byID = orm.select().from(lease).where(eq(lease.sessionID, value("id"))).prepare()
  const every = orm.select().from(lease).prepare()
  const holder = database.query<{ run_id: string }, [string]>("SELECT run_id FROM lease WHERE session_id = ?")
  const release = database.query("DELETE FROM lease WHERE session_id = ? AND run_id = ?")
  const beat = database.query("UPDATE lease SET heartbeat = ? WHERE run_id = ?")
  return {
    get: (sessionID) => byID.get({ id: sessionID }),
    all: () => every.all(),
    put: (sessionID, runID, owner, now) =>
      void orm.insert(lease).values({ sessionID, runID, ...owner, since: now, heartbeat: now }).run(),
    release: (sessionID, runID) => void release.run(sessionID, runID),
    holds: (sessionID, runID) => holder.get(sessionID)?.run_id === runID,
    beat: (runID, now) => void beat.run(now, runID),
  }
}

/** This process. */
export function self(): Owner {
  return { pid: process.pid, started: startOf(process.pid) ?? "", boot: bootID(), namespace: pidNamespace() }
}

/**
 * True when the owner cannot be running any more: same boot and namespace, and its pid is gone or belongs to a process
 * that started at another time. Where that cannot be known (another container), no heartbeat for 30 s decides.
 */
export function isDead(owner: Lease, here: Owner, now: number): boolean {
  const comparable = owner.boot === here.boot && owner.namespace === here.namespace
  if (!comparable) return now - owner.heartbeat > heartbeatLimit
  const started = startOf(owner.pid)
  if (started === undefined) return !isRunning(owner.pid)
  return owner.started !== "" && started !== owner.started
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}

/** Field 22 of /proc/<pid>/stat, counted after the command name, which may hold spaces and brackets. Zombies count as gone. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields?.[0] === "Z" ? undefined : fields?.[19]
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

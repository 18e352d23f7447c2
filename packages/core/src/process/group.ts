import { readdirSync, readFileSync } from "node:fs"
import { type Clock, sleep } from "@cairn/kernel/clock"
import { TaskGroup } from "@cairn/kernel/task"
import type { Vacant } from "./vacancy.ts"

interface Row {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
}

/**
 * The living processes that belong to a child that was started as leader of its own session: its group, every group
 * of its session (job control makes new ones) and, with `family`, all descendants (they may have left the session).
 * Zombies do not count. Where there is no /proc, `[-leader]` (the whole group) or nothing.
 */
export function members(leader: number, family: boolean): number[] {
  const rows = table()
  if (rows === undefined) return reaches(-leader) ? [-leader] : []
  const found = new Set<number>()
  for (const row of rows) if (row.session === leader || row.group === leader || row.pid === leader) found.add(row.pid)
  for (let size = -1; family && size < found.size;) {
    size = found.size
    for (const row of rows) if (found.has(row.parent)) found.add(row.pid)
  }
  return [...found]
}

/**
 * Ends all members: SIGTERM, then SIGKILL for those that live on after `graceMs`. Resolves with true when
 * none is left, and with false when some survived SIGKILL for a second (they hang in the kernel). Cannot be interrupted.
 */
export async function endGroup(leader: number, clock: Clock, graceMs: number): Promise<boolean> {
  const first = members(leader, true)
  // Those that left the session are remembered: once their parent is dead nothing links them to the leader.
  const left = () => union(members(leader, true), first.filter(alive))
  send(leader, first, "SIGTERM")
  if (await gone(left, clock, graceMs)) return true
  for (let round = 0; round < 4; round++) {
    send(leader, left(), "SIGKILL")
    if (await gone(left, clock, 250)) return true
  }
  return false
}

/**
 * True when nobody is left of a leader that exited, at the latest after `withinMs` (its output closes a moment before
 * they are gone). `first` was the first process of a namespace that the leader made: with it all others there end, and
 * it ends by itself when it is alone there.
 */
export async function leftAlone(
  leader: number,
  clock: Clock,
  withinMs: number,
  vacant: Vacant,
  first?: number,
): Promise<boolean> {
  const isOver = () => first !== undefined && row(String(first)) === undefined
  // It mostly takes less than to look at all processes.
  if (first !== undefined && (await gone(() => (isOver() ? [] : [first]), clock, Math.min(withinMs, 3)))) return true
  const left = () => {
    if (vacant(leader) || isOver()) return []
    const seen = leftovers(leader, first)
    // The table is no snapshot: who came while it was read by somebody who went meanwhile is in the next.
    return seen.length > 0 ? seen : leftovers(leader, first)
  }
  return await gone(left, clock, withinMs)
}

function leftovers(leader: number, first: number | undefined): number[] {
  const rows = table()
  if (rows === undefined) return members(leader, false)
  const isAlone = !rows.some((row) => row.parent === first)
  const ours = rows.filter((row) => row.session === leader || row.group === leader || row.pid === leader)
  return ours.filter((row) => !(row.pid === first && isAlone)).map((row) => row.pid)
}

async function gone(left: () => number[], clock: Clock, withinMs: number): Promise<boolean> {
  await using scope = new TaskGroup()
  const end = clock.monotonic() + withinMs
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    if (left().length === 0) return true
    const rest = end - clock.monotonic()
    if (rest <= 0) return false
    await sleep(clock, Math.min(pause, rest), scope.signal)
  }
}

function send(leader: number, pids: readonly number[], signal: "SIGTERM" | "SIGKILL"): void {
  deliver(-leader, signal)
  for (const pid of pids) if (pid > 0) deliver(pid, signal)
}

function deliver(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: it is gone, which is what we want. EPERM: it changed its user; it is reported as not gone.
    if (!isCode(error, "ESRCH") && !isCode(error, "EPERM")) throw error
  }
}

function reaches(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isCode(error, "EPERM")
  }
}

function alive(pid: number): boolean {
  return pid < 0 ? reaches(pid) : reaches(pid) && row(String(pid)) !== undefined
}

function table(): Row[] | undefined {
  if (process.platform !== "linux") return undefined
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (row(name) ?? []) : []))
}

function row(pid: string): Row | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in parentheses may hold anything, so the fields are counted from its end.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 4)
    if (state === "Z" || state === "X") return undefined
    return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) }
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ESRCH")) return undefined
    throw error
  }
}

function union(first: readonly number[], second: readonly number[]): number[] {
  return [...new Set([...first, ...second])]
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}

import { lstat } from "node:fs/promises"
import { dirname } from "node:path"
import type { FileState } from "@cairn/schema/history"
import type { SeenCommand } from "./running-commands.ts"
import { isSame } from "./states.ts"

/** What one path went through. */
export interface StateChange {
  readonly before: FileState
  readonly after: FileState
}

/** What was recorded while a command ran, by other calls, sessions and processes of ours. */
export interface OtherChanges {
  /** A moment, for `since`. */
  mark(): number
  /** All changes since, of each path (absolute) in their order. */
  since(mark: number): ReadonlyMap<string, readonly StateChange[]>
}

/** What is left of a change of a path when the changes that others recorded meanwhile are taken out of it. Pure. */
export function betweenOthers(was: FileState, others: readonly StateChange[], now: FileState): StateChange[] {
  if (isSame(was, now)) return []
  const left: StateChange[] = []
  let at = was
  for (const { before, after } of [...others, { before: now, after: now }]) {
    if (!isSame(at, before)) left.push({ before: at, after: before })
    at = after
  }
  return left.filter(({ before, after }) => before.kind !== "not_covered" || after.kind !== "not_covered")
}

/** File systems note the time of their last tick, some ms ago. */
const tick = 10

/**
 * May one of these commands have changed a path that another one, which ran beside all of them, found changed at its end?
 * Only when it changed last before they began is it certain that they did not.
 */
export async function mayBeTheirs(path: string, others: readonly SeenCommand[]): Promise<boolean> {
  if (others.length === 0) return false
  const changed = await lastChange(path)
  return others.some(({ from }) => from - tick <= changed)
}

/** When a path changed last, or later: what is gone went before its directory changed last. */
async function lastChange(path: string): Promise<number> {
  for (let at = path; ; at = dirname(at)) {
    const info = await lstat(at).catch(() => undefined)
    if (info) return info.ctimeMs
    if (at === dirname(at)) return Number.POSITIVE_INFINITY
  }
}

import { closeSync, openSync, readdirSync } from "node:fs"
import { type Libc, lazyLibc } from "./libc.ts"

/** True only when no process, zombie, group or session bears this number. False may also mean that nobody can tell. */
export type Vacant = (pid: number) => boolean

const setOwner = 8

/**
 * Asks the kernel to make the number the owner (the one to be signalled) of a descriptor that never signals. Linux
 * refuses that exactly when the number is free, and a number is not free while the group or the session that was
 * named after it has a member, in whatever group, even though its leader is dead.
 */
export function createVacancy(libc: () => Libc | undefined = lazyLibc()): Vacant {
  let owners: Owners | undefined
  return (pid) => {
    owners ??= ownersBy(libc())
    // Ours is taken: where that is refused too, a refusal says nothing.
    const [ours, taken] = owners(process.pid, pid)
    return ours === true && taken === false
  }
}

type Owners = (...numbers: number[]) => boolean[]

function ownersBy(libc: Libc | undefined): Owners {
  if (libc === undefined) return () => []
  const owners: Owners = (...numbers) => {
    try {
      const descriptor = openSync("/dev/null", "r")
      const taken = numbers.map((number) => libc.fcntl(descriptor, setOwner, number) === 0)
      closeSync(descriptor)
      return taken
    } catch {
      // No descriptor is left: nobody can tell.
      return []
    }
  }
  // An imitation of Linux (gVisor) looks for a process of that number instead, and would not find the session of a dead
  // leader; nor does it find the number of a thread.
  return owners(...threads()).includes(true) ? owners : () => []
}

function threads(): number[] {
  return readdirSync("/proc/self/task")
    .map(Number)
    .filter((thread) => thread !== process.pid)
}

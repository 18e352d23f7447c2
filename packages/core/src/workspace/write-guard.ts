import { closeSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { type Clock, sleep } from "@cairn/kernel/clock"
import { Semaphore } from "@cairn/kernel/lock"
import type { Log } from "@cairn/kernel/log"
import { codeOf } from "./files.ts"

/** Keeps processes of ours that write the same file apart, for the moment from the last look at it to the rename. */
export interface WriteGuard {
  /**
   * Runs `work` while no other process holds one of these real paths. Short work only: some paths share a lock. After ten
   * seconds, and where the system has no such locks, it runs all the same. Does not nest. Interruption while waiting
   * rejects with the reason.
   */
  readonly alone: <T>(paths: readonly string[], signal: AbortSignal, work: () => Promise<T>) => Promise<T>
}

/** As many files as there are locks; which of them a path has follows from its hash. */
const most = 64
const patience = 10_000
const between = 2

interface GuardDeps {
  readonly clock: Clock
  readonly log: Log
}

/** The locks are files of `directory` that hold nothing. The system lets go of them when their holder dies. */
export function createWriteGuard(directory: string, { clock, log }: GuardDeps): WriteGuard {
  const turns = new Map<number, Semaphore>()
  let flock: Promise<Flock | undefined> | undefined
  const take = async (lock: number, system: Flock, signal: AbortSignal): Promise<() => void> => {
    const turn = turns.get(lock) ?? new Semaphore(1)
    turns.set(lock, turn)
    const release = await turn.acquire(signal)
    let file: number | undefined
    const giveBack = () => {
      if (file !== undefined) closeSync(file)
      release()
    }
    try {
      file = openLock(directory, lock)
      for (const until = clock.monotonic() + patience; file !== undefined && !system(file);) {
        if (clock.monotonic() > until) {
          log.warn("a file is written without its lock: another process holds it for long", { lock })
          break
        }
        await sleep(clock, between, signal)
      }
      return giveBack
    } catch (error) {
      giveBack()
      throw error
    }
  }
  return {
    async alone(paths, signal, work) {
      const system = await (flock ??= loadFlock())
      if (!system) return await work()
      const held: (() => void)[] = []
      try {
        // Always in the same order, so that two cannot wait for each other.
        for (const lock of [...new Set(paths.map(lockOf))].toSorted((a, b) => a - b))
          held.push(await take(lock, system, signal))
        return await work()
      } finally {
        for (const giveBack of held.toReversed()) giveBack()
      }
    },
  }
}

const lockOf = (path: string): number => Number(Bun.hash(path) % BigInt(most))

/** Undefined where none can be made. */
function openLock(directory: string, lock: number): number | undefined {
  const path = join(directory, String(lock).padStart(2, "0"))
  try {
    return openSync(path, "a", 0o600)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return withoutLock(error)
  }
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return openSync(path, "a", 0o600)
  } catch (error) {
    return withoutLock(error)
  }
}

function withoutLock(error: unknown): undefined {
  if (codeOf(error) === undefined) throw error
}

/** Takes the lock of an open file for this process alone. False when another one has it. */
type Flock = (descriptor: number) => boolean

const libraries: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
}
/** `LOCK_EX | LOCK_NB` */
const exclusive = 2 | 4

/** Asks the C library, since the runtime has no call for it. Costs about a millisecond, once. */
async function loadFlock(): Promise<Flock | undefined> {
  const { dlopen } = await import("bun:ffi")
  for (const name of libraries[process.platform] ?? []) {
    try {
      const { symbols } = dlopen(name, { flock: { args: ["int", "int"], returns: "int" } })
      return (descriptor) => symbols.flock(descriptor, exclusive) === 0
    } catch {
      // Another C library: the next name.
      continue
    }
  }
  return undefined
}

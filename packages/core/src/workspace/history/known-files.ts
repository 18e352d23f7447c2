import { lstat } from "node:fs/promises"
import type { Clock } from "@cairn/kernel/clock"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileState } from "@cairn/schema/history"
import { shownSize } from "../files.ts"
import type { BlobStore } from "./blob-store.ts"
import { keep } from "./capture.ts"

/** A larger file is not kept, unless the file system can share it with a copy. */
export const largestKept = 10 * 1024 * 1024
/** More contents than this are not kept in one go, bytes. */
const mostKept = 256 * 1024 * 1024
const atOnce = 16
const mostKnown = 50_000
/** A file that was written this shortly before it was looked at may change again without showing it, ms. */
const settling = 20

/** How much is kept, bytes. */
export interface Room {
  /** Of one file, unless the file system can share it with a copy. */
  readonly each: number
  /** Of all that are looked at in one go. */
  readonly all: number
}
const usual: Room = { each: largestKept, all: mostKept }

/** What stood at a path, and by what it is known again without reading it; undefined when that is not to be trusted. */
export interface Known {
  readonly state: FileState
  readonly identity: string | undefined
}

/** Files as they were when somebody looked last, their contents stored. A file that has not changed is not read again. */
export interface KnownFiles {
  /** What stands at each path (absolute) now. A failure: the store takes nothing more. */
  look(
    paths: readonly string[],
    signal: AbortSignal,
    room?: Room,
  ): Promise<Result<ReadonlyMap<string, Known>, ToolFailure>>
  /** True when the file certainly is what it was. Reads nothing. */
  isUnchanged(path: string, known: Known): Promise<boolean>
}

export function createKnownFiles(blobs: Pick<BlobStore, "putFile" | "touch">, clock: Pick<Clock, "now">): KnownFiles {
  const known = new Map<string, Known>()
  const remember = (path: string, found: Known): Known => {
    known.delete(path)
    if (found.identity === undefined || found.state.kind !== "file") return found
    known.set(path, found)
    if (known.size > mostKnown) known.delete(known.keys().next().value ?? "")
    return found
  }
  const lookAtOne = async (path: string, most: number, signal: AbortSignal): Promise<Result<Known, ToolFailure>> => {
    const identity = await identityOf(path, clock)
    const last = known.get(path)
    // Touching keeps it from being collected, and tells whether it still is there.
    const held = last?.identity !== undefined && last.identity === identity && last.state.kind === "file"
    if (held && (await blobs.touch(last.state.kind === "file" ? last.state.hash : ""))) return ok(last)
    if (most === 0) return ok({ state: tooMuch, identity })
    const kept = await keep(path, blobs, { most, signal })
    if (!kept.ok) return err(kept.error)
    const after = await identityOf(path, clock)
    return ok(remember(path, { state: named(kept.value, most), identity: after === identity ? identity : undefined }))
  }
  return {
    async look(paths, signal, { each, all } = usual) {
      const found = new Map<string, Known>()
      let bytes = 0
      for (let from = 0; from < paths.length; from += atOnce) {
        signal.throwIfAborted()
        const some = paths.slice(from, from + atOnce)
        const looked = await Promise.all(some.map((path) => lookAtOne(path, bytes < all ? each : 0, signal)))
        for (const [at, path] of some.entries()) {
          const one = looked[at]
          if (!one?.ok) return one ?? ok(found)
          found.set(path, one.value)
          if (one.value.state.kind === "file") bytes += one.value.state.size
        }
      }
      return ok(found)
    },
    async isUnchanged(path, { identity }) {
      return identity !== undefined && (await identityOf(path, clock)) === identity
    },
  }
}

const tooMuch: FileState = { kind: "not_covered", reason: `more than ${shownSize(mostKept)} are not kept at once` }

/** Why a large file is not kept, without its name. */
function named(state: FileState, most: number): FileState {
  if (state.kind !== "not_covered" || !state.reason.includes("has more than")) return state
  return { kind: "not_covered", reason: `larger than ${shownSize(most)}` }
}

async function identityOf(path: string, clock: Pick<Clock, "now">): Promise<string | undefined> {
  const info = await lstat(path, { bigint: true }).catch(() => undefined)
  if (!info || clock.now() - Number(info.ctimeMs) < settling) return undefined
  return [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs, info.mode].join(" ")
}

import { z } from "zod"
import type { FileStat } from "./files.ts"

/** What the model knows of a file: a real path and the hash of the content that it last saw or wrote. */
export const SeenEntry = z.object({ path: z.string(), hash: z.string() })
export type SeenEntry = z.infer<typeof SeenEntry>

export type SeenState = "unseen" | "same" | "changed"

/** Per session: what the model last saw or wrote of each file. Rebuilt after a restart from tool results. */
export interface Seen {
  /** The model saw or wrote this content. With `stat` a later look may be spared the hashing. */
  record(sessionID: string, path: string, hash: string, stat?: FileStat): void
  check(sessionID: string, path: string, hash: string): SeenState
  /** The recorded hash if the file has not been touched since by all that its stat shows. Only a shortcut: never for a write. */
  unchanged(sessionID: string, path: string, stat: FileStat): string | undefined
  /** Takes over the entries of a session's tool results, oldest first. Later ones and live records win. */
  restore(sessionID: string, entries: Iterable<SeenEntry>): void
  forget(sessionID: string): void
}

interface Known {
  readonly hash: string
  readonly stat?: FileStat
}

export function createSeen(): Seen {
  const sessions = new Map<string, Map<string, Known>>()
  const of = (sessionID: string): Map<string, Known> => {
    const known = sessions.get(sessionID) ?? new Map<string, Known>()
    sessions.set(sessionID, known)
    return known
  }
  return {
    record(sessionID, path, hash, stat) {
      of(sessionID).set(path, stat ? { hash, stat } : { hash })
    },
    check(sessionID, path, hash) {
      const known = sessions.get(sessionID)?.get(path)
      if (!known) return "unseen"
      return known.hash === hash ? "same" : "changed"
    },
    unchanged(sessionID, path, stat) {
      const known = sessions.get(sessionID)?.get(path)
      return known?.stat && sameStat(known.stat, stat) ? known.hash : undefined
    },
    restore(sessionID, entries) {
      const live = of(sessionID)
      const restored = new Map<string, Known>()
      for (const { path, hash } of entries) restored.set(path, { hash })
      for (const [path, known] of live) restored.set(path, known)
      sessions.set(sessionID, restored)
    },
    forget(sessionID) {
      sessions.delete(sessionID)
    },
  }
}

/** The entries that a tool result carries in `metadata.seen`; none when there are none, or when they are malformed. */
export function entriesFrom(metadata: Readonly<Record<string, unknown>> | undefined): SeenEntry[] {
  if (!Array.isArray(metadata?.seen)) return []
  return metadata.seen.flatMap((entry) => {
    const parsed = SeenEntry.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
}

/** Up to here the whole file is hashed, whatever is wanted of it. */
export const largestHashed = 50 * 1024 * 1024

/** Stands for the content of a file that is too large to hash on every look. */
export function statIdentity(stat: FileStat): string {
  return `stat:${stat.size}:${stat.mtimeMs}:${stat.ino}`
}

function sameStat(a: FileStat, b: FileStat): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs
}

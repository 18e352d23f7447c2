import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { largestText } from "../files.ts"
import { bytesOf, lookAt } from "./capture.ts"
import type { BlobStore } from "./blob-store.ts"
import type { PlanSources } from "./plan-revert.ts"

/** What a plan is made from: the files as they are, and the stored contents. */
export function diskSources(blobs: Pick<BlobStore, "get" | "touch">, signal: AbortSignal): PlanSources {
  return {
    current: (path) => lookAt(path, signal),
    currentBytes: bytesOf,
    async below(path) {
      const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
      const files = entries.filter((entry) => !entry.isDirectory())
      return files.slice(0, 1_000).map((entry) => join(entry.parentPath, entry.name))
    },
    stored: (state) => blobs.get(state),
    async check(state) {
      // A large one is read when it is put back, and compared then.
      if (state.size > largestText && (await blobs.touch(state.hash))) return undefined
      const stored = await blobs.get(state)
      return stored.ok ? undefined : stored.error
    },
  }
}

import { largestText } from "../files.ts"
import { bytesOf, lookAt } from "./capture.ts"
import type { BlobStore } from "./blob-store.ts"
import type { PlanSources } from "./plan-revert.ts"
import { walkFiles } from "./walk-files.ts"

/** What a plan is made from: the files as they are, and the stored contents. */
export function diskSources(blobs: Pick<BlobStore, "get" | "touch">, signal: AbortSignal): PlanSources {
  return {
    current: (path, sizes) => lookAt(path, signal, sizes),
    currentBytes: bytesOf,
    below: async (path) => (await walkFiles(path, 1_000, signal, true)).files,
    stored: (state) => blobs.get(state),
    async check(state) {
      // A large one is read when it is put back, and compared then.
      if (state.size > largestText && (await blobs.touch(state.hash))) return undefined
      const stored = await blobs.get(state)
      return stored.ok ? undefined : stored.error
    },
  }
}

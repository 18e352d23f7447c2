import type { FileState } from "@cairn/schema/history"
import { diffTexts } from "../diff.ts"
import type { BlobStore } from "./blob-store.ts"
import { textsOf } from "./texts.ts"

/** Lines of a larger file are not counted. */
const largestCounted = 1024 * 1024
const nothing = new Uint8Array()

/** Lines that one state has more and less than the other; none where that cannot be said. */
export async function countLines(
  before: FileState,
  after: FileState,
  blobs: Pick<BlobStore, "get">,
): Promise<{ readonly additions: number; readonly deletions: number }> {
  const [old, fresh] = [await bytesOf(before, blobs), await bytesOf(after, blobs)]
  const texts = old && fresh && textsOf(old, fresh)
  if (!texts) return { additions: 0, deletions: 0 }
  const { additions, deletions } = await diffTexts("", ...texts.texts)
  return { additions, deletions }
}

async function bytesOf(state: FileState, blobs: Pick<BlobStore, "get">): Promise<Uint8Array | undefined> {
  if (state.kind === "absent") return nothing
  if (state.kind !== "file" || state.size > largestCounted) return undefined
  const bytes = await blobs.get(state)
  return bytes.ok ? bytes.value : undefined
}

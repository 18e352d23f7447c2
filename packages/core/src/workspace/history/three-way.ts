import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { FileState } from "@cairn/schema/history"
import { contentHash } from "../files.ts"
import { mergeTexts } from "./merge.ts"
import type { FileVersion } from "./states.ts"
import { isSame } from "./states.ts"
import { textsOf } from "./texts.ts"

/** A state that a path has or may get, and where its content is. */
export interface Version {
  readonly state: FileState
  /** `disk`: what stands at the path now. `store`: a recorded content. Bytes: a merge, which is nowhere else yet. */
  readonly content: "disk" | "store" | Uint8Array
}

/** Why a change cannot be taken back: its contents are not there, or others changed the same. `reason` is for people. */
export interface Obstacle {
  readonly kind: "not_covered" | "conflict"
  readonly reason: string
}

/** All bytes of a version that is a file; what is wrong is said in words. */
export type ReadContent = (version: Version & { readonly state: FileVersion }) => Promise<Result<Uint8Array, Obstacle>>

/**
 * Takes the change `after` → `before` out of `now`, which others may have changed since. `now` is given back as it is
 * where there is nothing to do.
 */
export async function takeOut(
  now: Version,
  { before, after }: { readonly before: FileState; readonly after: FileState },
  read: ReadContent,
): Promise<Result<Version, Obstacle>> {
  if (isSame(now.state, before)) return ok(now)
  for (const state of [after, before]) if (state.kind === "not_covered") return err(uncovered(state.reason))
  if (isSame(now.state, after)) return ok({ state: before, content: "store" })
  if (now.state.kind === "not_covered")
    return err(conflict(`it is not the file any more that it was (${now.state.reason})`))
  if (now.state.kind === "file" && before.kind === "file" && after.kind === "file")
    return await takeOutOfFile({ ...now, state: now.state }, before, after, read)
  return err(conflict(whatHappened(now.state, after)))
}

async function takeOutOfFile(
  now: Version & { readonly state: FileVersion },
  before: FileVersion,
  after: FileVersion,
  read: ReadContent,
): Promise<Result<Version, Obstacle>> {
  // Who set the mode last is right: ours goes back only when nobody has changed it since.
  const mode = now.state.mode === after.mode ? before.mode : now.state.mode
  if (now.state.hash === after.hash) return ok({ state: { ...before, mode }, content: "store" })
  if (now.state.hash === before.hash || before.hash === after.hash) return ok({ ...now, state: { ...now.state, mode } })
  const contents: Uint8Array[] = []
  const recorded = { content: "store" as const }
  for (const version of [{ ...recorded, state: after }, now, { ...recorded, state: before }]) {
    const bytes = await read(version)
    if (!bytes.ok) return bytes
    contents.push(bytes.value)
  }
  const [base, ours, theirs] = contents as [Uint8Array, Uint8Array, Uint8Array]
  const three = textsOf(base, ours, theirs)
  if (!three) return err(conflict("it was changed since, and it is binary or too large to be merged"))
  const merged = await mergeTexts(...three.texts)
  if (!merged.ok) {
    const places = merged.conflicts === 1 ? "the same lines" : `the same lines in ${merged.conflicts} places`
    return err(conflict(`${places} were changed since`))
  }
  const bytes = three.encode(merged.text)
  return ok({ state: { kind: "file", hash: contentHash(bytes), size: bytes.length, mode }, content: bytes })
}

function whatHappened(now: FileState, after: FileState): string {
  if (now.kind === "absent") return "it was deleted since"
  if (now.kind === "directory") return "a directory stands there now"
  if (after.kind === "absent") return "it was created again since"
  return "it was changed since"
}

const conflict = (reason: string): Obstacle => ({ kind: "conflict", reason })

const uncovered = (reason: string): Obstacle => ({ kind: "not_covered", reason })

import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { FileState } from "@cairn/schema/history"
import type { BlobLoss } from "./blob-read.ts"
import type { FileVersion, PathChange } from "./states.ts"
import { isSame, joined } from "./states.ts"
import { takeOut } from "./three-way.ts"
import type { Obstacle, ReadContent, Version } from "./three-way.ts"

/** What a revert is going to do with one path. Nothing of a path with a conflict, or that is not covered, is touched. */
export type PathPlan = {
  readonly path: string
  /** What stands there now. */
  readonly now: Version
} & (
  | { readonly action: "unchanged" }
  | {
      /** `restore`: a state that was recorded. `merge`: what others changed since is kept. */
      readonly action: "restore" | "delete" | "merge"
      readonly target: Version
      /** The topmost directory that was made for the file, to be removed with it while it is empty. */
      readonly madeDirectory: string | undefined
    }
  | { readonly action: "conflict" | "not_covered"; readonly reason: string }
)

export interface PlanSources {
  /** What stands at a path: a file with the hash of its content; a large one of none of these sizes need not be read. */
  current(path: string, sizes: ReadonlySet<number>): Promise<FileState>
  /** All bytes of what `current` gave; a failure says in words what is wrong. */
  currentBytes(path: string, state: FileVersion): Promise<Result<Uint8Array, string>>
  /** What lies below a directory, absolute: at most a thousand of them. */
  below(path: string): Promise<readonly string[]>
  /** A stored content. */
  stored(state: FileVersion): Promise<Result<Uint8Array, BlobLoss>>
  /** Is a stored content there and good? For any size. */
  check(state: FileVersion): Promise<BlobLoss | undefined>
}

/**
 * Works out how to take changes back, the newest first: a path that still is what was recorded goes back, what others
 * changed since is kept by a merge of lines, and where that conflicts the path is left alone. Reads, and changes nothing.
 * `changes` are in the order of the writes. The plan has every path once, in the order of their first change.
 */
export async function planRevert(changes: readonly PathChange[], sources: PlanSources): Promise<PathPlan[]> {
  const plans: PathPlan[] = []
  for (const [path, own] of Map.groupBy(changes, (change) => change.path))
    plans.push(await planPath(path, joined(own), sources))
  const going = new Set(plans.flatMap((plan) => (plan.action === "delete" ? [plan.path] : [])))
  return await Promise.all(plans.map((plan) => withRoom(plan, going, sources)))
}

/** A file only comes to where a directory stands when all in that goes. */
async function withRoom(plan: PathPlan, going: ReadonlySet<string>, sources: PlanSources): Promise<PathPlan> {
  const { path, now } = plan
  if (now.state.kind !== "directory" || !("target" in plan) || plan.action === "delete") return plan
  const left = (await sources.below(path)).filter((each) => !going.has(each))
  if (left.length === 0) return plan
  return { path, now, action: "conflict", reason: "a directory with other files stands there now" }
}

async function planPath(path: string, runs: readonly PathChange[], sources: PlanSources): Promise<PathPlan> {
  const sizes = runs.flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (state.kind === "file" ? [state.size] : [])),
  )
  const now: Version = { state: await sources.current(path, new Set(sizes)), content: "disk" }
  const target = await targetOf(path, now, runs, sources)
  if (!target.ok) return { path, now, action: target.error.kind, reason: target.error.reason }
  const { state, content } = target.value
  if (isSame(state, now.state)) return { path, now, action: "unchanged" }
  if (state.kind === "file" && content === "store") {
    const loss = await sources.check(state)
    if (loss) return { path, now, action: "not_covered", reason: loss.message }
  }
  const action = state.kind === "absent" ? "delete" : typeof content === "string" ? "restore" : "merge"
  return { path, now, action, target: target.value, madeDirectory: runs[0]?.madeDirectory }
}

async function targetOf(
  path: string,
  now: Version,
  runs: readonly PathChange[],
  sources: PlanSources,
): Promise<Result<Version, Obstacle>> {
  const read = contentsOf(path, sources)
  let version = now
  for (const run of runs.toReversed()) {
    const next = await takeOut(version, run, read)
    if (!next.ok) return next
    version = next.value
  }
  return ok(version)
}

/** Reads contents wherever they are: of the path on disk, in the store, or at hand. */
export function contentsOf(path: string, sources: Pick<PlanSources, "currentBytes" | "stored">): ReadContent {
  return async ({ state, content }) => {
    if (typeof content !== "string") return ok(content)
    if (content === "disk") {
      const bytes = await sources.currentBytes(path, state)
      return bytes.ok ? bytes : err({ kind: "conflict", reason: bytes.error })
    }
    const bytes = await sources.stored(state)
    return bytes.ok ? bytes : err({ kind: "not_covered", reason: bytes.error.message })
  }
}

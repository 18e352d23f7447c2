import type { FileState } from "@cairn/schema/history"

export type FileVersion = Extract<FileState, { kind: "file" }>

/** What one journal entry did to its path. */
export interface PathChange {
  readonly path: string
  readonly before: FileState
  readonly after: FileState
  readonly madeDirectory?: string | undefined
}

/** Is there no file? What is in a directory are paths of their own. */
const isNothing = ({ kind }: FileState): boolean => kind === "absent" || kind === "directory"

/** Certainly the same, content and mode. What is not covered is never the same as anything. */
export function isSame(a: FileState, b: FileState): boolean {
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && a.mode === b.mode
  if (a.kind === "symlink" && b.kind === "symlink") return a.target === b.target
  return isNothing(a) && isNothing(b)
}

/**
 * The changes of one path, oldest first, with those that follow each other joined: between two that are left somebody
 * else changed the file, or what it was is not covered.
 */
export function joined(changes: readonly PathChange[]): PathChange[] {
  const runs: PathChange[] = []
  for (const change of changes) {
    const last = runs.at(-1)
    if (!last || !isSame(last.after, change.before)) runs.push(change)
    else
      runs[runs.length - 1] = {
        ...last,
        after: change.after,
        madeDirectory: last.madeDirectory ?? change.madeDirectory,
      }
  }
  return runs
}

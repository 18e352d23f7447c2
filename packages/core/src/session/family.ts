import type { FileChange, RevertedFile } from "@cairn/schema/history"
import type { Store } from "../store/store.ts"
import type { StateChange } from "../workspace/history/attribution.ts"

const deepest = 20

/** The topmost of the sessions above one: what a subagent changes belongs to its undo. */
export function rootOf({ read }: Pick<Store, "read">, sessionID: string): string {
  let id = sessionID
  for (let depth = 0; depth < deepest; depth++) id = read.session(id)?.parentID ?? id
  return id
}

/** What the log says that was changed in files since a moment, by any session and process, of each path in order. */
export function changesSince({ read }: Pick<Store, "read">, seq: number): ReadonlyMap<string, readonly StateChange[]> {
  const changes: (FileChange | RevertedFile)[] = []
  const places = new Map<string, number>()
  for (const change of read.fileEventsSince(seq)) {
    // One that is known by its id is said again when it turned out otherwise.
    const place = "id" in change ? places.get(change.id) : undefined
    if (place !== undefined) changes[place] = change
    else {
      if ("id" in change) places.set(change.id, changes.length)
      changes.push(change)
    }
  }
  return Map.groupBy(changes, ({ path }) => path)
}

import { lstatSync, realpathSync } from "node:fs"

/** The real path, or undefined when there is nothing, or nothing that may be looked at. */
export function realOf(path: string): string | undefined {
  try {
    // An exception takes longer than a look.
    return lstatSync(path, { throwIfNoEntry: false }) && realpathSync(path)
  } catch {
    return undefined
  }
}

import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs"

const largest = 1024 * 1024

/** What stands there, a link itself; undefined for nothing, and for what may not be looked at. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // A file stands where a directory was expected, or it is closed.
    return undefined
  }
}

export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** The bytes of a regular file that is not large; a link is not followed, and a pipe not waited for. */
export function bytesOf(path: string): Buffer | undefined {
  const info = look(path)
  if (!info?.isFile() || info.size > largest) return undefined
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

export const textOf = (path: string): string | undefined => bytesOf(path)?.toString("utf8")

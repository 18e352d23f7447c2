import { readdir, readlink } from "node:fs/promises"
import { shownPath } from "../../workspace/files.ts"

export interface Listing {
  /** Names as shown: directories with a slash, links with their target. */
  readonly entries: readonly string[]
  readonly total: number
  /** Entries follow after those shown. */
  readonly more: boolean
}

const mostBytes = 49 * 1024

/** Lists a directory in the order of names, from entry `offset` (from 1). */
export async function listDirectory(path: string, offset: number, limit: number): Promise<Listing> {
  const found = await readdir(path, { withFileTypes: true })
  const sorted = found.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const entries: string[] = []
  let bytes = 0
  let more = false
  for (const entry of sorted.slice(offset - 1)) {
    const target = entry.isSymbolicLink() ? await readlink(`${path}/${entry.name}`).catch(() => "?") : undefined
    const name = `${shownPath(entry.name)}${entry.isDirectory() ? "/" : ""}${target === undefined ? "" : ` -> ${shownPath(target)}`}`
    bytes += Buffer.byteLength(name) + 1
    more = entries.length >= limit || bytes > mostBytes
    if (more) break
    entries.push(name)
  }
  return { entries, total: sorted.length, more }
}

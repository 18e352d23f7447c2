/** A read or write that the system refused: disk full, damaged page, locked file. Nothing of it was stored; the message says what to do. */
export class StoreFailed extends Error {
  override readonly name = "StoreFailed"
}

/** The code of an error of SQLite or of the file system: `SQLITE_CORRUPT`, `EACCES`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** True when the bytes of the file are wrong, as against a file that cannot be reached. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB")
}

/** What to do about a damaged file that this or another process has open. */
export const inUse =
  "It stays in its place while a Cairn uses it. End them all: the next start checks it, sets it aside if it is damaged and starts a new one. `cairn debug verify` says what is wrong in it."

const elsewhere = "or set XDG_DATA_HOME to another directory"
const advices: readonly (readonly [prefix: string, advice: string])[] = [
  ["SQLITE_FULL", `The disk is full: free some space, ${elsewhere}.`],
  ["ENOSPC", `The disk is full: free some space, ${elsewhere}.`],
  ["SQLITE_BUSY", "Another process has held it for too long: wait for it or end it, then try again."],
  ["SQLITE_CORRUPT", inUse],
  ["SQLITE_NOTADB", inUse],
  ["EISDIR", `A directory stands in its place: move that away, ${elsewhere}.`],
  ["SQLITE_IOERR", `The disk could not be read or written: check it and the space on it, ${elsewhere}.`],
]

/** What to do about an error, in a sentence. */
export function adviceOn(error: unknown): string {
  const code = codeOf(error) ?? ""
  const known = advices.find(([prefix]) => code.startsWith(prefix))
  return known?.[1] ?? `Give the file and its directory to the current user and make them writable, ${elsewhere}.`
}

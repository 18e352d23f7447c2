import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../files.ts"

/** A tracked file as git has it staged, and what it knew of the file in the working tree then. */
export interface StagedFile {
  readonly oid: string
  readonly kind: "file" | "executable" | "symlink" | "submodule"
  /** Bytes of the file in the working tree when it was last compared. */
  readonly size: number
  /** The file in the working tree may be anything: git was told not to look, or it is not checked out. */
  readonly unseen: "assumed" | "not_checked_out" | undefined
}

/** The staging area as it was at one moment. */
export interface Staged {
  get(path: string): StagedFile | undefined
  paths(): Iterable<string>
}

/** The largest that is read: some 2,000,000 files. */
const largest = 256 * 1024 * 1024

/** The bytes of the staging area, to be parsed when somebody asks. Undefined when there is none, or it is too large. */
export async function readStaging(gitDir: string): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(join(gitDir, "index"))
    return bytes.length > largest ? undefined : bytes
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

const kinds = new Map([
  [0o120_000, "symlink"],
  [0o160_000, "submodule"],
] as const)

/**
 * Reads the entries of a staging area of version 2, 3 or 4. Undefined when it is none, is split or sparse, or is damaged:
 * then nothing is known of what is clean. Pure.
 */
export function parseStaging(bytes: Uint8Array, oidLength: 20 | 32 = 20): Staged | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 + oidLength || view.getUint32(0) !== 0x4449_5243) return undefined
  const version = view.getUint32(4)
  if (version < 2 || version > 4) return undefined
  const files = new Map<string, StagedFile>()
  const text = new TextDecoder()
  let previous: Uint8Array = new Uint8Array()
  let at = 12
  for (let count = view.getUint32(8); count > 0; count--) {
    const start = at
    const flagsAt = start + 40 + oidLength
    if (flagsAt + 4 > bytes.length) return undefined
    const mode = view.getUint32(start + 24)
    // A directory that stands for all files in it.
    if ((mode & 0o170_000) === 0o040_000) return undefined
    const flags = view.getUint16(flagsAt)
    const extended = (flags & 0x4000) !== 0
    const more = extended ? view.getUint16(flagsAt + 2) : 0
    let nameAt = flagsAt + (extended ? 4 : 2)
    let name: Uint8Array
    if (version === 4) {
      const [strip, length] = readOffset(bytes, nameAt)
      nameAt += length
      const end = bytes.indexOf(0, nameAt)
      if (end < 0 || strip > previous.length) return undefined
      name = Buffer.concat([previous.subarray(0, previous.length - strip), bytes.subarray(nameAt, end)])
      at = end + 1
    } else {
      const end = bytes.indexOf(0, nameAt)
      if (end < 0) return undefined
      name = bytes.subarray(nameAt, end)
      at = start + ((end - start + 8) & ~7)
    }
    previous = name
    // Of a conflict the second stage is what was checked out.
    if (((flags >> 12) & 3) !== 0 && ((flags >> 12) & 3) !== 2) continue
    const kind = kinds.get((mode & 0o170_000) as 0o120_000) ?? ((mode & 0o111) === 0 ? "file" : "executable")
    const unseen = (more & 0x4000) !== 0 ? "not_checked_out" : (flags & 0x8000) !== 0 ? "assumed" : undefined
    const oid = Buffer.from(bytes.subarray(start + 40, start + 40 + oidLength)).toString("hex")
    files.set(text.decode(name), { oid, kind, size: view.getUint32(start + 36), unseen })
  }
  // An extension in small letters changes what the entries mean; `link` makes the rest stand in another file.
  if (text.decode(bytes.subarray(at, at + 4)) === "link") return undefined
  return { get: (path) => files.get(path), paths: () => files.keys() }
}

/** A number in git's variable width, and how many bytes it took. */
function readOffset(bytes: Uint8Array, start: number): [value: number, length: number] {
  let at = start
  let byte = bytes[at++] ?? 0
  let value = byte & 0x7f
  while ((byte & 0x80) !== 0 && at < bytes.length) {
    byte = bytes[at++] ?? 0
    value = ((value + 1) << 7) | (byte & 0x7f)
  }
  return [value, at - start]
}

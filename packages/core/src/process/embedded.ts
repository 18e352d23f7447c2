import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, extname, join } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"

/** A file inside the executable that other programs have to find on the disk. `script/build.ts` puts it there. */
export interface Embedded {
  /** Where this process can read it. */
  readonly path: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Of its content, in hex. */
  readonly sha256: string
}

/** Why there is no copy: one reason for each directory that was tried. */
export interface UnpackFailure {
  readonly reasons: readonly string[]
}

/**
 * Path of an executable copy (0700), in the first of `directories` where one can be made; they become private to this
 * user. The name has the content's hash, and the content is compared with it at every call: a copy that was cut short
 * or changed is replaced. Any number of processes may do this at once. Blocks for some 10 ms, twice that the first time.
 */
export function unpack(file: Embedded, directories: readonly string[]): Result<string, UnpackFailure> {
  const reasons: string[] = []
  for (const directory of directories) {
    try {
      makePrivate(directory)
      const extension = extname(file.name)
      const target = join(directory, `${basename(file.name, extension)}-${file.sha256.slice(0, 16)}${extension}`)
      if (!isWhole(target, file)) install(file, target)
      // Also refused where the file system is mounted without the right to execute.
      accessSync(target, constants.X_OK)
      return ok(target)
    } catch (error) {
      reasons.push(`${directory}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return err({ reasons })
}

/** Makes the directory, or takes one that is this user's own. Throws when it is somebody else's, or no directory. */
function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const stat = lstatSync(directory)
  if (!stat.isDirectory()) throw new Error("it is not a directory")
  if (process.getuid === undefined) return
  if (stat.uid !== process.getuid()) throw new Error("it belongs to another user")
  if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700)
}

function isWhole(target: string, file: Embedded): boolean {
  const stat = lstatSync(target, { throwIfNoEntry: false })
  if (stat === undefined || !stat.isFile() || stat.size !== file.size) return false
  if (process.getuid !== undefined) {
    if (stat.uid !== process.getuid() || (stat.mode & 0o777) !== 0o700) return false
  }
  return sha256(readFileSync(target)) === file.sha256
}

/** Written beside its place and renamed into it: nobody sees a part of it, and who runs the old one keeps it. */
function install(file: Embedded, target: string): void {
  const content = readFileSync(file.path)
  if (sha256(content) !== file.sha256) throw new Error(`${file.name} in this executable is damaged`)
  const partial = `${target}.${process.pid}-${crypto.randomUUID()}`
  try {
    writeFileSync(partial, content, { flag: "wx", mode: 0o700 })
    // The umask may have taken bits from it.
    chmodSync(partial, 0o700)
    renameSync(partial, target)
  } catch (error) {
    rmSync(partial, { force: true })
    // Windows replaces no program that runs: somebody was faster, and theirs is as good.
    if (!isWhole(target, file)) throw error
  }
}

function sha256(content: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex")
}

import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { contains } from "../../workspace/paths.ts"
import { realOf } from "../../workspace/real-of.ts"
import type { Ask } from "../define.ts"
import { look } from "./disk-look.ts"

/** What a command must not leave where it was. It has been put aside. */
export interface PutAside {
  readonly path: string
  readonly ask: Ask
  /** Lines for the model. */
  readonly allowed: string
  readonly refused: string
  /** False when it cannot come back: something else stands there by now. */
  back(): boolean
}

export interface Found {
  readonly path: string
  readonly reason: string
  /** Puts it aside, and returns how to bring it back. */
  take(): () => boolean
}

export interface AsideDeps {
  readonly worktree: string
  /** Where what is found is put; made when it is needed. */
  readonly directory: string
}

export function putAside({ path, reason, take }: Found, { worktree, directory }: AsideDeps): PutAside {
  const back = take()
  const what = `${relative(worktree, path)} is protected (${reason})`
  const aside = `What the command wrote there was put aside, in ${directory}; nobody has allowed it`
  return {
    path,
    ask: {
      ...{ permission: "edit", patterns: [path], always: [], metadata: { filepath: path } },
      mustAsk: { reason: `${path} is protected: ${reason}; a command wrote it`, protected: true },
    },
    allowed: `[${what}; the user has allowed what the command wrote there]`,
    refused: `[${what}. ${aside}. Do not try another way to the same end.]`,
    back,
  }
}

/** What stands there, as a whole; of a link, or a path through one, the link and not what it leads to. */
export function moved(given: string, reason: string, deps: AsideDeps): Found {
  const path = firstLink(given, "/") ?? given
  return {
    path,
    reason,
    take() {
      const target = room(path, deps)
      move(path, target)
      return () => {
        if (!isFree(path)) return false
        move(target, path)
        return true
      }
    },
  }
}

/** The same, and what stood there before comes back to where it was. */
export function restored(path: string, reason: string, before: Uint8Array, deps: AsideDeps): Found {
  const whole = moved(path, reason, deps)
  // Through a link nothing is put back: it would be written elsewhere.
  if (whole.path !== path) return whole
  return {
    path,
    reason,
    take() {
      const now = look(path)
      const mode = now?.isFile() ? now.mode & 0o777 : 0o644
      const back = now && whole.take()
      if (isFree(path)) writeFileSync(path, before, { flag: "wx", mode })
      return () => {
        rmSync(path, { force: true })
        return back === undefined || back()
      }
    },
  }
}

/** Of a path below `root` the first that is a symbolic link: what is done to the rest is done elsewhere. */
export function firstLink(path: string, root: string): string | undefined {
  for (let at = root, rest = relative(root, path).split("/"); rest.length > 0; rest = rest.slice(1)) {
    at = join(at, rest[0]!)
    if (look(at)?.isSymbolicLink()) return at
  }
  return undefined
}

/** Nothing stands there, and the directory is the one that its name says. */
const isFree = (path: string): boolean => realOf(dirname(path)) === dirname(path) && look(path) === undefined

function room(path: string, { directory, worktree }: AsideDeps): string {
  const name = contains(worktree, path) ? relative(worktree, path) : basename(path)
  const target = join(directory, name)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  return target
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error
    cpSync(from, to, { recursive: true, verbatimSymlinks: true })
    rmSync(from, { recursive: true })
  }
}

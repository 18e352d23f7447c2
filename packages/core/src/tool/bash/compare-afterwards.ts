import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { TaskGroup } from "@cairn/kernel/task"
import type { Git } from "../../process/git.ts"
import { startingSettings } from "../../workspace/git-settings.ts"
import { placesIn, type ProtectedPlace } from "../../workspace/protected-places.ts"
import type { Ask } from "../define.ts"

export interface CompareDeps {
  readonly worktree: string
  readonly gitDir?: string | undefined
  readonly commonDir?: string | undefined
  readonly git: Git
  /** Where what is found is put; made when it is needed. */
  readonly directory: string
}

interface Found {
  readonly path: string
  readonly reason: string
  /** Puts it aside, and returns how to bring it back. */
  take(): () => void
}

/** What a command must not leave where it was. It has been put aside. */
export interface PutAside {
  readonly path: string
  readonly ask: Ask
  /** Lines for the model. */
  readonly allowed: string
  readonly refused: string
  back(): void
}

/**
 * Remembers what is protected and cannot be forbidden beforehand: places that are not there, which a mount would create,
 * and git's settings, which git itself writes. Afterwards what is new is put aside, all of it before anybody is asked,
 * who may take long or not answer.
 */
export function compareAfterwards(deps: CompareDeps): () => Promise<PutAside[]> {
  const { worktree } = deps
  const hadGit = existsSync(join(worktree, ".git"))
  const before = new Map(placesIn(worktree).map(({ path }) => [path, identityOf(path)]))
  const settings = settingsFiles(deps).map((path) => ({ path, text: textOf(path) }))
  return async () => {
    const found = settings.flatMap((one) => changedSettings(one, deps))
    if (!hadGit) found.push(...changedSettings({ path: join(worktree, ".git/config"), text: undefined }, deps))
    // Another one in its place, too: a directory above it may have been moved away.
    for (const place of placesIn(worktree)) {
      if (before.get(place.path) === identityOf(place.path) || /\/config(?:\.worktree)?$/.test(place.path)) continue
      if (place.row.path.startsWith(".git/")) found.push(...newHooks(place, deps))
      else if (!(await isTracked(place, deps))) found.push(moved(place.path, place.row.reason, deps))
    }
    return found.map((one) => putAside(one, deps))
  }
}

function putAside({ path, reason, take }: Found, { worktree, directory }: CompareDeps): PutAside {
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

/** New settings that start programs: the old text is put back. */
function changedSettings({ path, text }: { path: string; text: string | undefined }, deps: CompareDeps): Found[] {
  const now = textOf(path)
  if (now === undefined || now === text) return []
  const keys = startingSettings(text ?? "", now)
  if (keys.length === 0) return []
  const take = () => {
    keep(deps, path, now)
    if (text === undefined) rmSync(path)
    else writeFileSync(path, text)
    return () => writeFileSync(path, now)
  }
  return [{ path, reason: `git starts programs by ${keys.slice(0, 5).join(", ")}`, take }]
}

/** Git puts samples there, which do not run. */
function newHooks({ path, row }: ProtectedPlace, deps: CompareDeps): Found[] {
  const own = namesIn(path).filter((name) => !name.endsWith(".sample"))
  return own.map((name) => moved(join(path, name), row.reason, deps))
}

function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

const moved = (path: string, reason: string, deps: CompareDeps): Found => ({
  path,
  reason,
  take() {
    const target = room(deps, path)
    move(path, target)
    return () => move(target, path)
  },
})

function room({ directory, worktree }: CompareDeps, path: string): string {
  const name = relative(worktree, path)
  const target = join(directory, name.startsWith("..") ? basename(path) : name)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  return target
}

function keep(deps: CompareDeps, path: string, text: string): void {
  writeFileSync(room(deps, path), text, { mode: 0o600 })
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

/** It stands in the last commit: git brought it. The index would say so of what the command itself has added. */
async function isTracked({ path }: ProtectedPlace, { git, worktree, commonDir }: CompareDeps): Promise<boolean> {
  if (commonDir === undefined) return false
  await using group = new TaskGroup()
  const listed = await git.run(["ls-tree", "HEAD", "--", relative(worktree, path)], {
    cwd: worktree,
    signal: group.signal,
  })
  return listed.ok && listed.value.trim() !== ""
}

function settingsFiles({ worktree, gitDir, commonDir }: CompareDeps): string[] {
  const roots = [...new Set([gitDir, commonDir])].filter((path) => path !== undefined)
  const modules =
    commonDir === undefined ? [] : namesIn(join(commonDir, "modules")).map((name) => join(commonDir, "modules", name))
  return [
    ...new Set(
      roots
        .flatMap((path) => [join(path, "config"), join(path, "config.worktree")])
        .concat(modules.map((path) => join(path, "config"))),
    ),
  ].filter((path) => path !== join(worktree, "config"))
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

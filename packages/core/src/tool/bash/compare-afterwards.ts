import { dirname, join, resolve } from "node:path"
import type { Git } from "../../process/git.ts"
import { startingSettings } from "../../workspace/git-settings.ts"
import { contains } from "../../workspace/paths.ts"
import { placesIn, type ProtectedPlace } from "../../workspace/protected-places.ts"
import { committedOf, entriesAt, headOf } from "./committed.ts"
import { bytesOf, look, namesIn, textOf } from "./disk-look.ts"
import { type AsideDeps, firstLink, type Found, moved, type PutAside, putAside, restored } from "./put-aside.ts"

export interface CompareDeps extends AsideDeps {
  readonly gitDir?: string | undefined
  readonly commonDir?: string | undefined
  readonly git: Git
  /** Somebody has said yes to what is written there. */
  approves(path: string): boolean
  /** Protected places that the command could write, since git alone runs, which may bring them to another state. */
  readonly open: readonly ProtectedPlace[]
  /** The line has git bring files to another state, by name. */
  readonly moves: boolean
}

/**
 * Remembers what is protected and cannot be forbidden beforehand: places that are not there, which a mount would create,
 * git's settings, which git itself writes, and what git may bring to another state. Afterwards what is new is put aside,
 * all of it before anybody is asked, who may take long or not answer. What stands so in a commit was brought by git: in
 * the last one if the line moves there, else in the one before.
 */
export function compareAfterwards(deps: CompareDeps): () => Promise<PutAside[]> {
  const { worktree } = deps
  const head = headOf(deps)
  const before = new Map(placesIn(worktree).map(({ path }) => [path, identityOf(path, worktree)]))
  const repository = identityOf(join(worktree, ".git"), worktree)
  const settings = new Map(settingsFiles(deps).map((path) => [path, bytesOf(path)]))
  const pointers = pointerFiles(deps).map((path) => ({ path, bytes: bytesOf(path) }))
  const open = new Map(
    deps.open.flatMap(({ path, row }) => (entriesAt(path) ?? []).map((one) => [one, opened(one, row.reason)])),
  )
  return async () => {
    const found: Found[] = otherRepository(repository, deps)
    if (found.length === 0) found.push(...pointers.flatMap((one) => changedPointer(one, deps)))
    for (const path of found.length === 0 ? new Set([...settings.keys(), ...settingsFiles(deps)]) : [])
      found.push(...changedSettings(path, settings.get(path), deps))
    const suspects: Suspect[] = []
    for (const place of placesIn(worktree)) {
      if (isSettings(place.path) || before.get(place.path) === identityOf(place.path, worktree)) continue
      if (place.row.path.startsWith(".git/")) found.push(...newHooks(place, deps))
      else suspects.push({ path: firstLink(place.path, worktree) ?? place.path, reason: place.row.reason })
    }
    for (const one of open.values()) if (one.stamp !== stampOf(one.path)) suspects.push(one)
    for (const { path, row } of deps.open)
      for (const one of entriesAt(path) ?? []) if (!open.has(one)) suspects.push({ path: one, reason: row.reason })
    const commits = [...(head === undefined ? [] : [head]), ...(deps.moves ? ["HEAD"] : [])]
    found.push(...(await notCommitted(suspects, commits, deps)))
    const once = new Map(found.map((one) => [one.path, one]))
    return [...once.values()].filter(({ path }) => !deps.approves(path)).map((one) => putAside(one, deps))
  }
}

interface Suspect {
  readonly path: string
  readonly reason: string
  /** What stood there before, and can come back. */
  readonly before?: Uint8Array | undefined
}

const opened = (path: string, reason: string) => ({ path, reason, before: bytesOf(path), stamp: stampOf(path) })

function stampOf(path: string): string | undefined {
  const info = look(path)
  return info && `${info.ino}:${info.size}:${info.mtimeMs}:${info.ctimeMs}`
}

/** Of what is new in a place that which git did not bring, or all of it. */
async function notCommitted(
  suspects: readonly Suspect[],
  commits: readonly string[],
  deps: CompareDeps,
): Promise<Found[]> {
  if (suspects.length === 0) return []
  const listed = suspects.map((one) => ({ ...one, entries: entriesAt(one.path) }))
  const kept = await committedOf(
    listed.flatMap(({ path, entries = [] }) => [path, ...entries]),
    commits,
    deps,
  )
  return listed.flatMap(({ path, reason, before, entries }): Found[] => {
    const strange = entries?.filter((entry) => !kept.has(entry))
    if (strange?.length === 0 && (entries?.length !== 0 || kept.has(path))) return []
    if (before) return [restored(path, reason, before, deps)]
    if (strange === undefined || strange.length === entries?.length) return [moved(path, reason, deps)]
    return strange.map((entry) => moved(entry, reason, deps))
  })
}

/** A file or a link in place of the repository: git would take its settings from elsewhere. */
function otherRepository(before: string | undefined, deps: CompareDeps): Found[] {
  const path = join(deps.worktree, ".git")
  const info = look(path)
  if (info === undefined || info.isDirectory() || identityOf(path, deps.worktree) === before) return []
  return [moved(path, "git takes its settings from where it leads", deps)]
}

/** Files that say where the rest of a repository is. */
function pointerFiles({ gitDir, commonDir }: CompareDeps): string[] {
  if (gitDir === undefined || commonDir === undefined) return []
  return gitDir === commonDir ? [join(gitDir, "commondir")] : [join(gitDir, "commondir"), join(gitDir, "gitdir")]
}

function changedPointer(
  { path, bytes }: { readonly path: string; readonly bytes: Buffer | undefined },
  deps: CompareDeps,
): Found[] {
  const now = bytesOf(path)
  const same = now && bytes ? now.equals(bytes) : !isThere(path)
  if (same || (now === undefined && !isThere(path))) return []
  const reason = "git takes its settings from where it leads"
  return [bytes ? restored(path, reason, bytes, deps) : moved(path, reason, deps)]
}

/** New settings that start programs: the old ones are put back. */
function changedSettings(path: string, before: Buffer | undefined, deps: CompareDeps): Found[] {
  if (!isThere(path)) return []
  const now = textOf(path)
  const text = before?.toString("utf8")
  if (now !== undefined && now === text) return []
  const known = isModuleOf(path, now, deps.worktree) ? "core.worktree" : ""
  const keys =
    now === undefined ? ["what cannot be read"] : startingSettings(text ?? "", now).filter((key) => key !== known)
  if (keys.length === 0) return []
  const reason = `git starts programs by ${keys.slice(0, 5).join(", ")}`
  return [before ? restored(path, reason, before, deps) : moved(path, reason, deps)]
}

/** A submodule's settings name its working tree. */
function isModuleOf(path: string, text: string | undefined, worktree: string): boolean {
  const named = path.includes("/modules/") ? /^\s*worktree\s*=\s*(\S+)\s*$/m.exec(text ?? "")?.[1] : undefined
  return named !== undefined && contains(worktree, resolve(dirname(path), named))
}

/** Git puts samples there, which do not run. */
function newHooks({ path, row }: ProtectedPlace, deps: CompareDeps): Found[] {
  if (firstLink(path, deps.worktree) !== undefined) return [moved(firstLink(path, deps.worktree)!, row.reason, deps)]
  if (!look(path)?.isDirectory()) return [moved(path, row.reason, deps)]
  const own = namesIn(path).filter((name) => !name.endsWith(".sample"))
  return own.length > 20
    ? [moved(path, row.reason, deps)]
    : own.map((name) => moved(join(path, name), row.reason, deps))
}

/** Which thing stands there; of a link on the way to it, the link. */
function identityOf(path: string, root: string): string | undefined {
  const at = firstLink(path, root) ?? path
  const found = look(at)
  return found && `${at}:${found.dev}:${found.ino}`
}

const isSettings = (path: string): boolean => /\/config(?:\.worktree)?$/.test(path)

/** All of git's settings of this project; of a directory that is a repository without `.git`, its own. */
function settingsFiles({ worktree, gitDir, commonDir }: CompareDeps): string[] {
  const roots = new Set([gitDir, commonDir, join(worktree, ".git")].filter((path) => path !== undefined))
  const bare = ["HEAD", "objects", "refs"].every((name) => isThere(join(worktree, name))) ? [worktree] : []
  const modules = commonDir ?? join(worktree, ".git")
  return [
    ...[...roots, ...bare].flatMap((path) => [join(path, "config"), join(path, "config.worktree")]),
    ...namesIn(join(modules, "modules")).map((name) => join(modules, "modules", name, "config")),
  ]
}

const isThere = (path: string): boolean => look(path) !== undefined

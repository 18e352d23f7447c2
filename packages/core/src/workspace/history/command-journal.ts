import { dirname, join, relative } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileState } from "@cairn/schema/history"
import type { Git } from "../../process/git.ts"
import { shownPath } from "../files.ts"
import { contains } from "../paths.ts"
import type { Location } from "../project.ts"
import { betweenOthers, mayBeTheirs, type OtherChanges } from "./attribution.ts"
import { type AtRisk, findAtRisk, lossesOf } from "./at-risk.ts"
import type { BlobStore } from "./blob-store.ts"
import { cleanStates } from "./clean-files.ts"
import { blobQuota } from "./collect.ts"
import { changedBetween } from "./git-status.ts"
import type { CallRef, Journal, RecordedChange } from "./journal.ts"
import type { Known, KnownFiles } from "./known-files.ts"
import { countLines } from "./line-counts.ts"
import { isWatched, type Listing, listFiles, mostListed } from "./listing.ts"
import { parseStaging, readStaging, type Staged } from "./staged.ts"
import type { Announced, RunningCommands } from "./running-commands.ts"
import type { Threat } from "./threat.ts"

/** What is known of a command's changes beside the changes themselves. Stands in the result of its call. */
export interface CommandNotes {
  /** Files that it changed and that can be taken back, as far as `uncovered` does not say otherwise. */
  readonly files: number
  /** HEAD of the repository, when the command moved it. */
  readonly head?: { readonly before: string; readonly after: string }
  /** What is not covered, in words. */
  readonly uncovered: readonly string[]
  /** Names of git that it could take away, with what they meant, in words. */
  readonly refs?: readonly string[]
}

/** A command under way: what the files were is known. */
export interface Watch {
  /** Looks again, and records what was changed. Not interrupted; what cannot be found out is said in the notes. */
  finish(): Promise<CommandNotes>
}

/** Finds out what a command changed in the files of the working tree, by looking before and after it. */
export interface CommandJournal {
  /**
   * Files that a threat speaks of are kept whatever their size, up to the quota. A failure means that what the command
   * could change cannot be kept: it must not run.
   */
  begin(call: CallRef, signal: AbortSignal, threats?: readonly Threat[]): Promise<Result<Watch, ToolFailure>>
  /** What would be lost now, in words for who decides, by the command as it stands in its line. */
  losses(threats: readonly Threat[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
}

export interface CommandJournalDeps {
  readonly git: Git
  readonly blobs: BlobStore
  readonly journal: Journal
  readonly others: OtherChanges
  readonly running: RunningCommands
  /** The session at whose undo the changes of this one are taken back. */
  readonly rootOf: (sessionID: string) => string
  readonly known: KnownFiles
  readonly clock: Pick<Clock, "now">
  readonly location: Location
  /** Directories of our own, which no command is asked about. */
  readonly own: readonly string[]
  readonly home: string
}

/** Most names of one kind in the notes. */
const mostNamed = 20

export function createCommandJournal(deps: CommandJournalDeps): CommandJournal {
  return {
    async begin(call, signal, threats = []) {
      const { gitDir, worktree } = deps.location
      const mark = deps.others.mark()
      const staging = gitDir === undefined ? undefined : await readStaging(gitDir)
      const before = await listFiles(deps, signal)
      const risks = await findAtRisk(deps, threats, signal)
      const atRisk = new Set(risks.flatMap(({ files }) => files.filter((path) => isWatched(path, deps.own))))
      const states = await look(deps, [...atRisk, ...before.files.filter((path) => !atRisk.has(path))], atRisk, signal)
      if (!states.ok) return err(unkept(states.error))
      const announced = await deps.running.announce({ root: deps.rootOf(call.sessionID), worktree })
      const looked = { before, states: states.value, staging, mark, worktree, risks, atRisk, announced }
      return ok({
        async finish() {
          // The command has run: what it did is recorded, whoever interrupts.
          const { signal: own } = new TaskGroup()
          const ended = deps.clock.now()
          try {
            return await record(deps, call, looked, own)
          } finally {
            await announced.end(ended)
          }
        },
      })
    },
    losses: async (threats, signal) => lossesOf(await findAtRisk(deps, threats, signal), deps.location.worktree),
  }
}

/** Looks at files; those at risk are kept whatever their size. */
async function look(
  { known }: CommandJournalDeps,
  paths: readonly string[],
  atRisk: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Result<ReadonlyMap<string, Known>, ToolFailure>> {
  const whole = await known.look(
    paths.filter((path) => atRisk.has(path)),
    signal,
    { each: blobQuota, all: Number.POSITIVE_INFINITY },
  )
  if (!whole.ok) return whole
  const others = await known.look(
    paths.filter((path) => !atRisk.has(path)),
    signal,
  )
  return others.ok ? ok(new Map([...whole.value, ...others.value])) : others
}

interface Before {
  readonly before: Listing
  readonly states: ReadonlyMap<string, Known>
  readonly staging: Uint8Array | undefined
  readonly mark: number
  readonly worktree: string
  readonly risks: readonly AtRisk[]
  /** Files that are kept whatever their size. */
  readonly atRisk: ReadonlySet<string>
  readonly announced: Announced
}

async function record(
  deps: CommandJournalDeps,
  call: CallRef,
  looked: Before,
  signal: AbortSignal,
): Promise<CommandNotes> {
  const { before, states, risks, atRisk, worktree } = looked
  const after = await listFiles(deps, signal)
  const moved = await movedPaths(deps, before, after, signal)
  const candidates = new Set([...states.keys(), ...(after.kind === before.kind ? after.files : []), ...moved.paths])
  const suspects: string[] = []
  for (const path of candidates) {
    const known = states.get(path)
    if (!known || !(await deps.known.isUnchanged(path, known))) suspects.push(path)
  }
  const found = await look(deps, suspects, atRisk, signal)
  const touched = suspects.map((path) => {
    const now: FileState = found.ok
      ? (found.value.get(path)?.state ?? { kind: "absent" })
      : { kind: "not_covered", reason: found.error.message }
    return { path, now, was: states.get(path)?.state }
  })
  const { changes, unclear } = await changesOf(deps, looked, touched, signal)
  if (changes.length > 0) deps.journal.note(call, changes)
  const head = before.head !== undefined && after.head !== undefined && before.head !== after.head
  const uncovered = [...before.uncovered, ...after.uncovered, ...moved.uncovered, ...submoduleNotes(before, after)]
  const unkept = [...risks.flatMap(({ beyond }) => beyond), ...unclearNote(unclear, worktree)]
  const refs = risks.flatMap((risk) => risk.refs)
  return {
    files: new Set(changes.map(({ path }) => path)).size,
    ...(head && { head: { before: before.head ?? "", after: after.head ?? "" } }),
    uncovered: [...new Set([...uncovered, ...unkept])],
    ...(refs.length > 0 && {
      refs: refs.map(({ shown, commit, bringBack }) => `${shown} was ${commit} (${bringBack})`),
    }),
  }
}

interface Touched {
  readonly path: string
  readonly now: FileState
  /** Undefined where nothing was known of it. */
  readonly was: FileState | undefined
}

/** What the command itself did: without what others recorded meanwhile, and what may have been done by another command. */
async function changesOf(
  deps: CommandJournalDeps,
  { before, staging, mark, worktree, announced }: Before,
  touched: readonly Touched[],
  signal: AbortSignal,
): Promise<{ readonly changes: readonly RecordedChange[]; readonly unclear: readonly string[] }> {
  const staged = once(() => staging && parseStaging(staging, before.head?.length === 64 ? 32 : 20))
  const unknown = touched.filter(({ was }) => was === undefined)
  const hasStaging = staging !== undefined
  const clean = await statesOfClean(deps, unknown, { before, hasStaging, staged, worktree }, signal)
  const directories = once(() => directoriesOf(before, staged(), worktree))
  const recorded = deps.others.since(mark)
  const commands = touched.length > 0 ? await announced.others() : []
  const changes: RecordedChange[] = []
  const unclear: string[] = []
  for (const { path, now, was = clean.get(path) ?? { kind: "absent" } } of touched) {
    const left = betweenOthers(was, recorded.get(path) ?? [], now)
    if (left.length > 0 && (await mayBeTheirs(path, commands))) {
      unclear.push(path)
      continue
    }
    const made = was.kind === "absent" ? madeFor(path, directories(), worktree) : undefined
    for (const change of left) {
      const lines = await countLines(change.before, change.after, deps.blobs)
      changes.push({ path, ...change, ...lines, ...(made !== undefined && { madeDirectory: made }) })
    }
  }
  return { changes, unclear }
}

function unclearNote(paths: readonly string[], worktree: string): string[] {
  if (paths.length === 0) return []
  const names = paths.slice(0, 5).map((path) => shownPath(relative(worktree, path)))
  const more = paths.length > names.length ? ` and ${paths.length - names.length} more` : ""
  return [`what changed while a command of another session ran, which may have done it (${names.join(", ")}${more})`]
}

/** What is dear is made when it is asked for, and kept. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** When HEAD moved, files may have changed that are clean before and after. */
async function movedPaths(
  { git, location }: CommandJournalDeps,
  before: Listing,
  after: Listing,
  signal: AbortSignal,
): Promise<{ readonly paths: readonly string[]; readonly uncovered: readonly string[] }> {
  if (before.head === after.head || before.head === undefined || after.head === undefined)
    return { paths: [], uncovered: [] }
  const changed = await changedBetween(git, location.worktree, [before.head, after.head], signal)
  if (!changed.ok) return { paths: [], uncovered: [`what changed with HEAD: ${changed.error.message}`] }
  // All or none: a tree that is half of one commit and half of another is worse than either.
  if (changed.value.length > mostListed) {
    const back = `git checkout ${before.head.slice(0, 12)}`
    return { paths: [], uncovered: [`the ${changed.value.length} files that changed with HEAD (${back})`] }
  }
  return { paths: changed.value.map((path) => join(location.worktree, path)), uncovered: [] }
}

/** What files that nothing was known of were before: clean ones by what git has staged of them, others did not exist. */
async function statesOfClean(
  deps: CommandJournalDeps,
  unknown: readonly { readonly path: string; readonly now: FileState }[],
  known: {
    readonly before: Listing
    readonly hasStaging: boolean
    readonly staged: () => Staged | undefined
    readonly worktree: string
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FileState>> {
  if (unknown.length === 0) return new Map()
  const { before, hasStaging, worktree } = known
  const staged = before.kind === "git" ? known.staged() : undefined
  // Without a whole list of what there was, a file that is there now may have been there before.
  const lost = before.cut ? "there are more files than are watched" : "what git has staged cannot be read"
  if (before.cut || (before.kind === "git" && hasStaging && !staged))
    return new Map(unknown.map(({ path }) => [path, { kind: "not_covered", reason: lost }]))
  const files = unknown.flatMap(({ path, now }) => {
    const own = staged?.get(relative(worktree, path))
    if (!own || own.unseen === "not_checked_out") return []
    return [{ path: relative(worktree, path), staged: own, mode: modeOf(own.kind === "executable", now) }]
  })
  const states = await cleanStates(files, { git: deps.git, blobs: deps.blobs, root: worktree, signal })
  const reason = states.ok ? "" : states.error.message
  return new Map(
    files.map(({ path }) => [
      join(worktree, path),
      (states.ok && states.value.get(path)) || { kind: "not_covered" as const, reason },
    ]),
  )
}

/** Git knows of a mode only whether a file is executable. */
function modeOf(executable: boolean, now: FileState): number {
  const base = now.kind === "file" ? now.mode : 0o666 & ~process.umask()
  return executable ? base | ((base & 0o444) >> 2) : base & ~0o111
}

function submoduleNotes(before: Listing, after: Listing): string[] {
  const changed = [...after.submodules].filter(([path, line]) => before.submodules.get(path) !== line)
  return changed.slice(0, mostNamed).map(([path]) => `what is in the submodule ${path}`)
}

/** Directories that held something before the command. */
function directoriesOf(before: Listing, staged: Staged | undefined, worktree: string): ReadonlySet<string> {
  const directories = new Set(before.directories)
  for (const path of staged?.paths() ?? []) {
    const parent = dirname(join(worktree, path))
    for (let at = parent; at.length > worktree.length && !directories.has(at); at = dirname(at)) directories.add(at)
  }
  return directories
}

/** The topmost directory in which there was nothing: it came with the file. */
function madeFor(path: string, directories: ReadonlySet<string>, worktree: string): string | undefined {
  let topmost: string | undefined
  for (let at = dirname(path); at !== worktree && contains(worktree, at) && !directories.has(at); at = dirname(at))
    topmost = at
  return topmost
}

function unkept({ message }: ToolFailure): ToolFailure {
  return { kind: "io", message: `Nothing was run, since what it changes could not be undone: ${message}` }
}

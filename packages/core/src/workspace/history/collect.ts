import { readdir, stat, unlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import type { Collected, Counted } from "@cairn/schema/history"
import { codeOf } from "../files.ts"
import { forms } from "./blob-files.ts"
import type { BlobFiles, Form } from "./blob-files.ts"

/** The most that the contents may take on the disk, in bytes. */
export const blobQuota = 2 * 1024 ** 3
/** What is younger may belong to work that has not named it yet, ms. */
export const grace = 60 * 60 * 1_000
const collectEvery = 24 * 60 * 60 * 1_000
/** Strays that one start cleans up; there are more only after many crashes. */
const mostStrays = 1_000
/** Rows of the log or blobs that are looked at in one go before others may run. */
const inOneGo = 500

export interface CollectDeps {
  readonly files: BlobFiles
  readonly clock: Pick<Clock, "now">
  readonly log: Log
  /** Most bytes on the disk. */
  readonly quota: number
  /** Every content that something names and whose it is, the oldest first: by the last use of the session, then in its order. */
  references(): Iterable<{ readonly hash: string; readonly sessionID: string }>
}

interface Found {
  readonly hash: string
  readonly form: Form
  readonly bytes: number
  readonly old: boolean
}

/**
 * Takes away the contents that nothing names, and then, while there is more than the quota, those of the sessions that
 * were used longest ago. Nothing that was stored or touched in the last hour goes. May run beside others that store.
 */
export async function collect(
  deps: CollectDeps,
  options: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<Collected> {
  const { signal, dryRun } = options
  const since = deps.clock.now() - grace
  const strays = await cleanIncoming(deps, { dryRun, most: Infinity })
  const found = await Array.fromAsync(walk(deps.files, since, signal))
  const owners = await ownersOf(deps, signal)
  const unreferenced = found.filter(({ hash, old }) => old && !owners.has(hash))
  const kept = sum(found).bytes - sum(unreferenced).bytes
  const evicted = oldestOf(found, owners, kept - deps.quota)
  let gone = 0
  if (!dryRun) {
    for (const { hash, form } of [...unreferenced, ...evicted]) {
      signal.throwIfAborted()
      if (await deps.files.remove(hash, form, since)) gone++
    }
    await mark(deps)
    if (gone > 0) deps.log.info("contents were removed", { gone, evicted: evicted.length })
  }
  const sessions = new Set(evicted.map(({ hash }) => owners.get(hash)))
  return {
    before: sum(found),
    unreferenced: sum(unreferenced),
    evicted: { ...sum(evicted), sessions: sessions.size },
    strays,
  }
}

/** At a start: removes strays, a bounded number, and collects when that was not done for a day. Never rejects but by interruption. */
export async function tidy(deps: CollectDeps, signal: AbortSignal): Promise<void> {
  try {
    await cleanIncoming(deps, { dryRun: false, most: mostStrays })
    if (await isDue(deps)) await collect(deps, { dryRun: false, signal })
  } catch (error) {
    signal.throwIfAborted()
    deps.log.warn("old contents could not be tidied up", { error })
  }
}

const markOf = (files: BlobFiles) => join(files.directory, "collected")

/** Without a store there is nothing to do. */
async function isDue({ files, clock }: CollectDeps): Promise<boolean> {
  const done = await stat(markOf(files)).catch(() => undefined)
  if (done) return clock.now() - done.mtimeMs > collectEvery
  return (await stat(files.directory).catch(() => undefined)) !== undefined
}

async function mark({ files, clock }: CollectDeps): Promise<void> {
  const now = clock.now() / 1_000
  try {
    await writeFile(markOf(files), "", { mode: 0o600 })
    await utimes(markOf(files), now, now)
  } catch (error) {
    // A full disk, or no store at all: then the next start does it again.
    if (codeOf(error) === undefined) throw error
  }
}

/** How many files stood in `incoming` that no living process writes. */
async function cleanIncoming(
  { files, clock, log }: CollectDeps,
  { dryRun, most }: { readonly dryRun: boolean; readonly most: number },
): Promise<number> {
  const names = await readdir(files.incoming).catch(() => [])
  let strays = 0
  for (const name of names.slice(0, most)) {
    const path = join(files.incoming, name)
    try {
      const { mtimeMs } = await stat(path)
      const removal = name.startsWith("gone-")
      if (!removal && clock.now() - mtimeMs <= grace) continue
      strays++
      if (dryRun) continue
      if ((await files.restoreGone(name)) === undefined) await unlink(path)
    } catch (error) {
      // Another process was faster, or the file is not ours to remove.
      if (codeOf(error) !== "ENOENT") log.warn("a stray file stays", { path, error })
    }
  }
  return strays
}

async function* walk(files: BlobFiles, since: number, signal: AbortSignal): AsyncGenerator<Found> {
  for (let prefix = 0; prefix < 256; prefix++) {
    signal.throwIfAborted()
    const start = prefix.toString(16).padStart(2, "0")
    const names = await readdir(join(files.directory, start)).catch(() => [])
    for (const name of names) {
      const [rest = "", form] = name.split(".")
      const kept = forms.find((each) => each === form)
      if (kept === undefined || rest.length !== 62) continue
      const hash = start + rest
      const info = await stat(files.path(hash, kept)).catch(() => undefined)
      if (info) yield { hash, form: kept, bytes: info.blocks * 512 || info.size, old: info.mtimeMs <= since }
    }
  }
}

/** The session that each content belongs to: the one that was used last among those that name it. */
async function ownersOf({ references }: CollectDeps, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>()
  let count = 0
  for (const { hash, sessionID } of references()) {
    // The last mention counts: what a session of today names too is as young as that session.
    owners.delete(hash)
    owners.set(hash, sessionID)
    if (++count % inOneGo !== 0) continue
    await Bun.sleep(0)
    signal.throwIfAborted()
  }
  return owners
}

/** The contents to give up so that `excess` bytes become free, those that were named longest ago first. */
function oldestOf(found: readonly Found[], owners: ReadonlyMap<string, string>, excess: number): Found[] {
  const byHash = Map.groupBy(found, ({ hash }) => hash)
  const chosen: Found[] = []
  let freed = 0
  for (const hash of owners.keys()) {
    if (freed >= excess) break
    for (const each of byHash.get(hash) ?? []) {
      if (!each.old) continue
      chosen.push(each)
      freed += each.bytes
    }
  }
  return chosen
}

function sum(found: readonly Found[]): Counted {
  return { blobs: found.length, bytes: found.reduce((total, { bytes }) => total + bytes, 0) }
}

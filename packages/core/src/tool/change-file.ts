import { relative } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { KeyedLock } from "@cairn/kernel/lock"
import type { ToolFailure } from "@cairn/schema/error"
import { alone, prepareWrite } from "../workspace/atomic-write.ts"
import type { WriteOperations } from "../workspace/atomic-write.ts"
import { contentHash, shownPath } from "../workspace/files.ts"
import type { Journal } from "../workspace/history/journal.ts"
import { contains, resolvePath } from "../workspace/paths.ts"
import type { ResolvedPath } from "../workspace/paths.ts"
import { protectionOf } from "../workspace/protection.ts"
import type { UserPlaces } from "../workspace/protection.ts"
import type { Seen, SeenEntry } from "../workspace/seen.ts"
import { bytesFor, readTextFile } from "../workspace/text-file.ts"
import type { TextFile } from "../workspace/text-file.ts"
import type { Ask, ToolContext } from "./define.ts"
import { chooseHunks, diffTexts } from "../workspace/diff.ts"
import type { FileDiff, Hunk } from "../workspace/diff.ts"
import { askExternal } from "./external.ts"
import { askedHunks } from "./left-out.ts"

/** What every tool that writes files needs. One lock table and one `seen` for the whole engine. */
export interface WriterDeps {
  readonly seen: Seen
  /** Keyed by real path: held from the read to the rename, the ask included. */
  readonly locks: KeyedLock
  readonly operations: WriteOperations
  readonly places: UserPlaces
  readonly journal: Journal
}

export interface FileChange {
  /** Real path. */
  readonly path: string
  /** The path below the worktree, or the real path outside of it: for titles. */
  readonly shown: string
  readonly existed: boolean
  readonly before: string
  readonly after: string
  readonly diff: FileDiff
  /** Numbers of the hunks among `asked` that the user left out, from 0. */
  readonly leftOut: readonly number[]
  /** The hunks of the whole change, as it was asked for. */
  readonly asked: readonly Hunk[]
  readonly seen: readonly SeenEntry[]
}

/** What the file is to become. `unseen`: the model has not seen this file in the session. */
export type PlanChange = (
  current: TextFile | undefined,
  file: { readonly path: string; readonly unseen: boolean },
) => Promise<Result<string, ToolFailure>>

/**
 * Changes one text file: resolves, asks, plans, shows the diff, writes. The lock of the real path is held all
 * the while, so calls on one file never see each other half-way. Interruption before the write changes nothing.
 * With `needsSeen` an existing file must have been seen in the session.
 */
export async function changeFile(
  deps: WriterDeps,
  context: ToolContext,
  filePath: string,
  plan: PlanChange,
  options: { readonly needsSeen: boolean },
): Promise<Result<FileChange, ToolFailure>> {
  const resolved = await resolvePath(filePath, context.directory)
  if (resolved.problem) return err(resolved.problem)
  const allowed = await askExternal(resolved, context)
  if (!allowed.ok) return allowed
  const { real } = resolved
  return await deps.locks.with(real, context.signal, async () => {
    const current = await readTextFile(real)
    if (!current.ok) return current
    const known = current.value && deps.seen.check(context.sessionID, real, current.value.snapshot.hash)
    const refusal = staleness(real, known, options.needsSeen)
    if (refusal) return err(refusal)
    const planned = await plan(current.value, { path: real, unseen: known === "unseen" })
    if (!planned.ok) return planned
    return await apply(deps, context, resolved, current.value, planned.value)
  })
}

/** Why the model's knowledge of a file does not allow a change; undefined when it does. */
export function staleness(
  path: string,
  known: "unseen" | "same" | "changed" | undefined,
  needsSeen: boolean,
): ToolFailure | undefined {
  if (known === "changed") {
    const message = `${shownPath(path)} has changed since you last read or wrote it. Read it again, then repeat the change on what it holds now.`
    return { kind: "changed", message }
  }
  if (known === "unseen" && needsSeen) {
    const message = `${shownPath(path)} exists and you have not read it in this session. Read it first, or change a part of it with edit.`
    return { kind: "refused", message }
  }
  return undefined
}

/** The ask for a change of one file. A protected path always asks, and is only ever approved once. */
export function editAsk(
  resolved: ResolvedPath,
  context: ToolContext,
  places: UserPlaces,
  metadata: Record<string, unknown>,
): Ask {
  const row = protectionOf(resolved, context.worktree, places)
  const { real } = resolved
  const base = { permission: "edit", patterns: [real], metadata: { filepath: real, ...metadata } }
  if (!row) return { ...base, always: /[*?]/.test(real) ? [] : [real] }
  return { ...base, always: [], mustAsk: { reason: `${shownPath(real)} is protected: ${row.reason}`, protected: true } }
}

/** The path as titles show it. */
export function titlePath(path: string, worktree: string): string {
  return shownPath(contains(worktree, path) && path !== worktree ? relative(worktree, path) : path)
}

async function apply(
  deps: WriterDeps,
  context: ToolContext,
  resolved: ResolvedPath,
  current: TextFile | undefined,
  planned: string,
): Promise<Result<FileChange, ToolFailure>> {
  const { real } = resolved
  const before = current?.text ?? ""
  const shown = titlePath(real, context.worktree)
  const diff = await diffTexts(shown, before, planned)
  const approval = await context.ask({
    ...editAsk(resolved, context, deps.places, { diff: diff.patch }),
    hunks: askedHunks([{ shown, hunks: diff.hunks }]),
  })
  if (!approval.ok) return approval
  const chosen = approval.value.hunks
  const { text, leftOut } = chosen ? chooseHunks(before, planned, diff.hunks, chosen) : { text: planned, leftOut: [] }
  if (leftOut.length > 0 && leftOut.length === diff.hunks.length) {
    return err({
      kind: "rejected",
      message: `The user left out every hunk of the change of ${shown}. Nothing was written.`,
    })
  }
  const applied = leftOut.length === 0 ? diff : await diffTexts(shown, before, text)
  const bytes = bytesFor(text, real, current?.encoding)
  if (!bytes.ok) return bytes
  const written = await write(deps, context, { path: real, bytes: bytes.value, current, diff: applied })
  if (!written.ok) return written
  const seen = [{ path: real, hash: written.value }]
  const existed = current !== undefined
  return ok({ path: real, shown, existed, before, after: text, diff: applied, leftOut, asked: diff.hunks, seen })
}

interface Writing {
  readonly path: string
  readonly bytes: Uint8Array
  readonly current: TextFile | undefined
  readonly diff: FileDiff
}

/** Writes unless nothing changes. The value is the hash of what the file holds now. */
async function write(
  { seen, operations, journal }: WriterDeps,
  context: ToolContext,
  { path, bytes, current, diff }: Writing,
): Promise<Result<string, ToolFailure>> {
  const hash = contentHash(bytes)
  const before = current?.snapshot
  if (before?.hash === hash) {
    seen.record(context.sessionID, path, hash, before.stat)
    return ok(hash)
  }
  context.signal.throwIfAborted()
  const prepared = await prepareWrite(path, bytes, before, operations)
  if (!prepared.ok) return prepared
  await using change = prepared.value
  const { additions, deletions } = diff
  const done = await alone(operations, [path], context.signal, async () => {
    const recorded = await journal.record(context, [{ change, before, after: bytes, additions, deletions }])
    if (!recorded.ok) return recorded
    const visible = await change.commit()
    if (!visible.ok) recorded.value.withdraw()
    return visible
  })
  if (!done.ok) return done
  seen.record(context.sessionID, path, hash, done.value)
  return ok(hash)
}

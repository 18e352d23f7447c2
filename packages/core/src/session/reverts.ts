import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import { err, ok, type Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { RevertedFile, RevertRecord } from "@cairn/schema/history"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Session } from "@cairn/schema/session"
import type { RevertInput, RevertReport } from "@cairn/schema/revert"
import type { Store } from "../store/store.ts"
import { keep } from "../workspace/history/capture.ts"
import { diskSources } from "../workspace/history/disk-sources.ts"
import { planRevert } from "../workspace/history/plan-revert.ts"
import type { PathPlan } from "../workspace/history/plan-revert.ts"
import { isSame } from "../workspace/history/states.ts"
import type { PathChange } from "../workspace/history/states.ts"
import type { Coordinator } from "./coordinator.ts"
import { type Applied, applyRecord, removeTemps, type RevertApplyDeps } from "./revert-apply.ts"
import { callsBehind, familyBehind, type RevertPoint, takenBack } from "./revert-point.ts"
import { narrowed, notesOn, ofPaths, reportFiles } from "./revert-report.ts"
import { currentSnapshot } from "./step-files.ts"

export interface RevertDeps extends RevertApplyDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly worktree: string
  readonly coordinator: Pick<Coordinator, "hold" | "status">
}

export interface Reverts {
  /** Takes back what the session did from a point on: files, and what was said. With `dryRun` it only says what it would do. */
  revert(sessionID: string, input: RevertInput): Promise<Result<RevertReport, SetupError>>
  /** Brings back all that is reverted. */
  unrevert(sessionID: string, options: { readonly dryRun: boolean }): Promise<Result<RevertReport, SetupError>>
  /** Finishes what a dead process left in the middle, of one session or of all. Sessions that are taken are left alone. */
  finish(sessionID?: string): Promise<void>
}

/** What is to be done, worked out and not begun. */
interface Planned {
  readonly session: Session
  readonly kind: RevertRecord["kind"]
  readonly point: RevertPoint
  readonly plans: readonly PathPlan[]
  readonly report: RevertReport
}

export function createReverts(deps: RevertDeps): Reverts {
  return {
    async revert(sessionID, input) {
      const planned = await planFor(deps, sessionID, (session) => revertOf(deps, session, input))
      return planned.ok && !input.dryRun ? await carryOut(deps, planned.value) : reported(planned)
    },
    async unrevert(sessionID, { dryRun }) {
      const planned = await planFor(deps, sessionID, (session) => unrevertOf(deps, session, dryRun))
      return planned.ok && !dryRun ? await carryOut(deps, planned.value) : reported(planned)
    },
    async finish(sessionID) {
      const open = sessionID === undefined ? deps.store.read.unfinishedReverts() : [sessionID]
      for (const each of open) await finishOne(deps, each)
    },
  }
}

const reported = (planned: Result<Planned, SetupError>): Result<RevertReport, SetupError> =>
  planned.ok ? ok(planned.value.report) : planned

async function planFor(
  deps: RevertDeps,
  sessionID: string,
  make: (session: Session) => Promise<Result<Planned, SetupError>>,
): Promise<Result<Planned, SetupError>> {
  await finishOne(deps, sessionID)
  const session = deps.store.read.session(sessionID)
  if (!session) return err(problem(`There is no session ${sessionID}.`))
  if (deps.coordinator.status(sessionID).type !== "idle")
    return err({ kind: "busy", message: `Session ${sessionID} is running. Wait for it to end, or stop it.` })
  return await make(session)
}

async function revertOf(deps: RevertDeps, session: Session, input: RevertInput): Promise<Result<Planned, SetupError>> {
  const { id: sessionID, directory } = session
  const messages = deps.store.read.messages(sessionID)
  const point = pointOf(messages, input)
  const hidden = point && takenBack(messages, point)
  if (!point || !hidden) return err(problem(`Session ${sessionID} has no message or part ${input.to}.`))
  const below = callsBehind(deps.store.read.callsBelow(sessionID), hidden)
  const family = familyBehind(deps.store.read.familyChanges(sessionID), sessionID, hidden, below)
  const entries = family.map(({ entry }) => entry)
  // What is reverted already is a change too, the newest: it is taken back before what lies under it.
  const changes = [...entries, ...deps.store.read.reverts(sessionID).flatMap(({ files }) => files)]
  const wanted = ofPaths<PathChange>(changes, input, directory)
  const notes = notesOn({ ...hidden, parts: [...hidden.parts, ...below] })
  const count = hidden.messages.length + (hidden.parts.length > 0 ? 1 : 0)
  return ok(await planned(deps, session, { kind: "revert", point, changes: wanted, count, notes, input }))
}

async function unrevertOf(deps: RevertDeps, session: Session, dryRun: boolean): Promise<Result<Planned, SetupError>> {
  const { id: sessionID, revert: point } = session
  if (!point) return err(problem(`Nothing of session ${sessionID} is reverted.`))
  const changes = deps.store.read.reverts(sessionID).flatMap(({ files }) => files)
  const hidden = takenBack(deps.store.read.messages(sessionID), point)
  const count = (hidden?.messages.length ?? 0) + (hidden && hidden.parts.length > 0 ? 1 : 0)
  return ok(await planned(deps, session, { kind: "unrevert", point, changes, count, notes: [], input: { dryRun } }))
}

interface Wanted {
  readonly kind: RevertRecord["kind"]
  readonly point: RevertPoint
  readonly changes: readonly PathChange[]
  /** Messages that are hidden by it, or come back. */
  readonly count: number
  readonly notes: readonly string[]
  readonly input: Pick<RevertInput, "hunks" | "dryRun">
}

async function planned(deps: RevertDeps, session: Session, wanted: Wanted): Promise<Planned> {
  const sources = diskSources(deps.blobs, new TaskGroup().signal)
  const { worktree } = deps
  const plans = await narrowed(await planRevert(wanted.changes, sources), wanted.input, worktree, sources)
  const files = await reportFiles(plans, worktree, sources)
  const { kind, point, count: messages, notes } = wanted
  return {
    session,
    kind,
    point,
    plans,
    report: { dryRun: wanted.input.dryRun === true, session, files, messages, notes },
  }
}

/** Stores what is there and what is to come, then records the whole, then writes. */
async function carryOut(deps: RevertDeps, { session, kind, point, plans, report }: Planned) {
  const files = await prepared(deps, plans)
  if (!files.ok) return files
  const { id: sessionID } = session
  const { messageID, partID } = point
  const id = deps.ids.next("revert")
  const record: RevertRecord = { id, kind, messageID, ...(partID !== undefined && { partID }), files: files.value }
  const begun: DurableEvent = { type: "session.revert.begun", properties: { sessionID, revert: record } }
  const held = await deps.coordinator.hold(sessionID, [begun], async () => {
    const applied = await applyRecord(deps, record)
    return { events: endOf(deps, sessionID, record, applied), value: applied }
  })
  return held.ok ? outcomeOf(deps, report, held.value) : held
}

function outcomeOf(deps: RevertDeps, report: RevertReport, applied: Applied): Result<RevertReport, SetupError> {
  if (applied.problem !== undefined) return err({ kind: "file", message: applied.problem })
  const left = new Set(applied.left)
  const files = report.files.map((file) =>
    left.has(file.path)
      ? {
          ...file,
          action: "conflict" as const,
          reason: "it was changed meanwhile",
          additions: 0,
          deletions: 0,
          patch: "",
        }
      : file,
  )
  return ok({ ...report, files, session: deps.store.read.session(report.session.id) ?? report.session })
}

/** Every content that is needed is in the store then, and touched, so that no collection takes it before it is named. */
async function prepared(deps: RevertDeps, plans: readonly PathPlan[]): Promise<Result<RevertedFile[], SetupError>> {
  const { blobs } = deps
  const files: RevertedFile[] = []
  for (const plan of plans) {
    if (!("target" in plan)) continue
    const { path, now, target, madeDirectory } = plan
    const before = await keep(path, blobs, { most: Number.POSITIVE_INFINITY, signal: new TaskGroup().signal })
    if (!before.ok) return err({ kind: "data_directory", message: `Nothing was changed. ${before.error.message}` })
    if (!isSame(before.value, now.state)) return err(problem(`${path} was changed just now. Try again.`))
    if (typeof target.content !== "string") {
      const stored = await blobs.put(target.content)
      if (!stored.ok) return err({ kind: "data_directory", message: `Nothing was changed. ${stored.error.message}` })
    } else if (target.state.kind === "file") await blobs.touch(target.state.hash)
    // What comes may need directories again, and they go when it goes again.
    const made = plan.action === "delete" ? madeDirectory : await firstMissing(path)
    files.push({ path, before: before.value, after: target.state, ...(made !== undefined && { madeDirectory: made }) })
  }
  return ok(files)
}

/** The topmost directory above a path that is not there, or is something else. */
async function firstMissing(path: string): Promise<string | undefined> {
  const parent = dirname(path)
  const found = await stat(parent).catch(() => undefined)
  if (found?.isDirectory() || parent === path) return undefined
  return (await firstMissing(parent)) ?? parent
}

/** The events with which a revert ends: where the session stands then. */
function endOf(
  { store, clock }: RevertDeps,
  sessionID: string,
  record: RevertRecord,
  { outcome, left }: Applied,
): DurableEvent[] {
  const time = clock.now()
  const ended: DurableEvent = {
    type: "session.revert.ended",
    properties: { sessionID, revertID: record.id, time, outcome, left: [...left] },
  }
  const session = store.read.session(sessionID)
  if (!session || outcome === "rolled_back") return [ended]
  const { revert: _, ...info } = session
  const { messageID, partID } = record
  const revert = { messageID, ...(partID !== undefined && { partID }), snapshot: currentSnapshot(store, sessionID) }
  const next = record.kind === "revert" ? { ...info, revert } : info
  return [ended, { type: "session.updated", properties: { sessionID, info: next } }]
}

async function finishOne(deps: RevertDeps, sessionID: string): Promise<void> {
  const open = deps.store.read.reverts(sessionID).find(({ ended }) => ended === undefined)
  if (!open || deps.store.leases.get(sessionID)) return
  const held = await deps.coordinator.hold(sessionID, [], async () => {
    await removeTemps(open)
    const applied = await applyRecord(deps, open)
    return { events: endOf(deps, sessionID, open, applied), value: applied }
  })
  if (held.ok) deps.log.info("a revert of a dead process was finished", { sessionID, outcome: held.value.outcome })
}

const problem = (message: string): SetupError => ({ kind: "session", message })

/** A point is named by a message or by a part of one. */
function pointOf(messages: readonly MessageWithParts[], { to }: RevertInput): RevertPoint | undefined {
  const message = messages.find(({ info, parts }) => info.id === to || parts.some(({ id }) => id === to))
  if (!message) return undefined
  const messageID = message.info.id
  return messageID === to ? { messageID } : { messageID, partID: to }
}

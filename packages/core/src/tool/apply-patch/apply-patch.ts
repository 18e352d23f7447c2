import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { KeyedLock } from "@cairn/kernel/lock"
import type { ToolFailure } from "@cairn/schema/error"
import { z } from "zod"
import type { ResolvedPath } from "../../workspace/paths.ts"
import { shownSize } from "../../workspace/files.ts"
import type { WholeFile } from "../../workspace/whole-file.ts"
import { editAsk, staleness, titlePath } from "../change-file.ts"
import type { WriterDeps } from "../change-file.ts"
import { defineTool } from "../define.ts"
import type { Ask, Tool, ToolContext, ToolOutput } from "../define.ts"
import { chooseHunks, diffTexts } from "../../workspace/diff.ts"
import type { FileDiff } from "../../workspace/diff.ts"
import { askedHunks, leftOutNote } from "../left-out.ts"
import { missingPath } from "../near-paths.ts"
import description from "./apply-patch.md" with { type: "text" }
import { atLine, pathsOf, planSection, repeatedPath } from "./apply-to-texts.ts"
import { commitAll } from "./commit-all.ts"
import type { FileWork } from "./commit-all.ts"
import { parsePatch } from "./parse.ts"
import { readBefore, stateOf, textOf } from "./read-before.ts"
import { resolvePaths } from "./resolve-paths.ts"
import type { PatchFailure, PatchSection } from "./types.ts"

const parameters = z.object({
  patchText: z.string().describe("The whole patch, from *** Begin Patch to *** End Patch"),
})

type Resolve = (path: string) => ResolvedPath

/** Changes several files by one patch, all or none. Paths outside of the worktree, and deleting or moving a link, are refused. */
export function createApplyPatchTool(deps: WriterDeps): Tool<typeof parameters> {
  return defineTool({
    name: "apply_patch",
    description,
    parameters,
    writes({ patchText }) {
      const parsed = parsePatch(patchText)
      return parsed.ok ? parsed.value.flatMap((section) => pathsOf(section)) : []
    },
    async execute({ patchText }, context) {
      const parsed = parsePatch(patchText)
      if (!parsed.ok) return plain(parsed.error)
      const paths = await resolvePaths(parsed.value, context)
      if (!paths.ok) return paths
      const resolved = paths.value
      const resolve: Resolve = (path) => resolved.get(path) ?? { asked: path, real: path, exists: false, links: [] }
      const repeated = repeatedPath(parsed.value, (path) => resolve(path).real)
      if (repeated) return plain(repeated)
      const keys = [...resolved.values()].map(({ real }) => real).toSorted((a, b) => (a < b ? -1 : 1))
      return await withAll(deps.locks, keys, context.signal, () => run(deps, context, parsed.value, resolve))
    },
  })
}

/** Holds all keys at once. Always in the same order, so that two patches cannot wait for each other. */
async function withAll<T>(
  locks: KeyedLock,
  keys: readonly string[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...rest] = keys
  if (first === undefined) return await work()
  return await locks.with(first, signal, () => withAll(locks, rest, signal, work))
}

async function run(
  deps: WriterDeps,
  context: ToolContext,
  sections: readonly PatchSection[],
  resolve: Resolve,
): Promise<Result<ToolOutput, ToolFailure>> {
  const works: FileWork[] = []
  for (const section of sections) {
    const work = await plan(deps, context, section, resolve)
    if (!work.ok) return work
    works.push(work.value)
  }
  const approval = await context.ask(askFor(works, deps, context))
  if (!approval.ok) return approval
  const chosen = approval.value.hunks === undefined ? works : await narrowed(works, approval.value.hunks)
  if (chosen.length === 0)
    return err({ kind: "rejected", message: "The user left out every hunk of the patch. Nothing was written." })
  context.signal.throwIfAborted()
  const done = await commitAll(chosen, deps, context, context.signal)
  if (!done.ok) return done
  for (const { path, hash, stat } of done.value) deps.seen.record(context.sessionID, path, hash, stat)
  const seen = done.value.map(({ path, hash }) => ({ path, hash }))
  return ok(answer(chosen, works, seen))
}

async function plan(
  deps: WriterDeps,
  context: ToolContext,
  section: PatchSection,
  resolve: Resolve,
): Promise<Result<FileWork, ToolFailure>> {
  const source = resolve(section.path)
  const read = await readBefore(section, source.real)
  if (!read.ok) return err(atLine(section.at, read.error))
  const { state, whole, current } = read.value
  const snapshot = current?.snapshot
  const hash = (whole ?? snapshot)?.hash
  const known = hash === undefined ? undefined : deps.seen.check(context.sessionID, source.real, hash)
  const stale = staleness(source.real, known, false)
  if (stale) return err(atLine(section.at, stale))
  const moveTo = section.kind === "update" ? section.moveTo : undefined
  const target = moveTo === undefined ? undefined : resolve(moveTo)
  const targetState = target && (await stateOf(target.real))
  const planned = planSection(
    section,
    section.path,
    state,
    target && targetState ? { path: target.asked, state: targetState } : undefined,
  )
  if (!planned.ok) {
    if (planned.error.kind === "missing")
      return err(atLine(section.at, await missingPath(source.real, context.worktree)))
    return err(await disclose(planned.error, source.real, known === "unseen", context))
  }
  const after = planned.value.text
  const before = current?.text ?? (whole && !target ? textOf(whole) : "")
  const diff = await shownDiff({ source, target, whole, before, after }, context)
  const shown = titlePath(target?.real ?? source.real, context.worktree)
  const encoding = current?.encoding
  const asked = { leftOut: [], asked: diff.hunks }
  return ok({ at: section.at, source, target, snapshot, whole, encoding, before, after, shown, diff, ...asked })
}

/** The diff as it is asked for. What shows in no line (a move, the end of an empty or binary file) is said, and counts as one hunk. */
async function shownDiff(
  work: Pick<FileWork, "source" | "target" | "whole" | "before" | "after">,
  context: ToolContext,
): Promise<FileDiff> {
  const { source, target, whole, before, after } = work
  const from = titlePath(source.real, context.worktree)
  const to = target && titlePath(target.real, context.worktree)
  const diff = await diffTexts(to ?? from, before, after ?? "")
  const said = [
    ...(to === undefined ? [] : [`rename from ${from}`, `rename to ${to}`]),
    ...(after === undefined
      ? [`deleted file ${from} (${shownSize(whole?.stat.size ?? 0)}${whole ? unkept(whole) : ""})`]
      : []),
  ]
  const patch = said.map((line) => `${line}\n`).join("") + diff.patch
  const hunks = diff.hunks.length === 0 ? [{ oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 }] : diff.hunks
  return { ...diff, patch, hunks }
}

/** Said before a large file goes, and after. */
const unkept = ({ bytes }: WholeFile) => (bytes === "too_large" ? ", too large to be brought back" : "")

/** Text of a file that the model has not seen is only shown to those who may read it. */
async function disclose(
  error: PatchFailure,
  path: string,
  unseen: boolean,
  context: ToolContext,
): Promise<ToolFailure> {
  const { kind, message, brief } = error
  if (!unseen || message === brief) return { kind, message }
  const always = /[*?]/.test(path) ? [] : [path]
  const allowed = await context.ask({ permission: "read", patterns: [path], always, metadata: { filepath: path } })
  return { kind, message: allowed.ok ? message : brief }
}

/** One ask for the whole patch. One protected path among them makes it an ask that always stands. */
function askFor(works: readonly FileWork[], deps: WriterDeps, context: ToolContext): Ask {
  const paths = works.flatMap(({ source, target }) => (target ? [source, target] : [source]))
  const diff = works.map((work) => work.diff.patch).join("")
  const asks = paths.map((path) => editAsk(path, context, deps.places, {}))
  const mustAsk = asks.find((ask) => ask.mustAsk)?.mustAsk
  const always = asks.some((ask) => ask.always.length === 0) ? [] : asks.flatMap((ask) => ask.always)
  const patterns = asks.flatMap((ask) => ask.patterns)
  return {
    permission: "edit",
    patterns,
    always,
    metadata: { filepath: patterns.join(", "), diff },
    hunks: askedHunks(works.map(({ shown, diff }) => ({ shown, hunks: diff.hunks }))),
    ...(mustAsk && { mustAsk }),
  }
}

/** The files with only the chosen hunks, which are counted through all files. A file without any is left alone. */
async function narrowed(works: readonly FileWork[], hunks: readonly number[]): Promise<FileWork[]> {
  const kept: FileWork[] = []
  const chosen = new Set(hunks)
  let offset = 0
  for (const work of works) {
    const start = offset
    offset += work.diff.hunks.length
    const own = [...work.diff.hunks.keys()].filter((index) => chosen.has(start + index))
    if (own.length === work.diff.hunks.length) kept.push(work)
    else if (own.length > 0 && work.after !== undefined) {
      const { text, leftOut } = chooseHunks(work.before, work.after, work.diff.hunks, own)
      kept.push({ ...work, after: text, leftOut, diff: await diffTexts(work.shown, work.before, text) })
    }
  }
  return kept
}

function answer(done: readonly FileWork[], all: readonly FileWork[], seen: unknown): ToolOutput {
  const lines = done.map((work) => {
    const lost = work.whole && !work.target ? unkept(work.whole).replace(/^, (.+)$/, " ($1)") : ""
    return `${letterOf(work)} ${work.shown}${lost}${leftOutNote(work.leftOut, work.asked, work.shown)}`
  })
  const touched = new Set(done.map((work) => work.source))
  const untouched = all.filter((work) => !touched.has(work.source))
  const note = untouched.map((work) => `The user left out the change of ${work.shown}: it is as before.`)
  const files = done.map((work) => {
    const { patch, additions, deletions } = work.diff
    const type = { A: "add", M: "update", D: "delete", R: "move" }[letterOf(work)]
    return {
      file: work.target?.real ?? work.source.real,
      type,
      patch,
      additions,
      deletions,
      ...(work.target && { from: work.source.real }),
    }
  })
  return {
    title: done.length === 1 ? (done[0]?.shown ?? "") : `${done.length} files`,
    output: ["Patch applied:", ...lines, ...note].join("\n"),
    metadata: { diff: done.map((work) => work.diff.patch).join(""), files, diagnostics: {}, seen },
  }
}

function letterOf(work: FileWork): "A" | "M" | "D" | "R" {
  if (work.after === undefined) return "D"
  if (work.target) return "R"
  return work.snapshot ? "M" : "A"
}

function plain({ kind, message }: PatchFailure): Result<never, ToolFailure> {
  return err({ kind, message })
}

import { isAbsolute, join, relative } from "node:path"
import type { MessageWithParts } from "@cairn/schema/message"
import type { ToolPart } from "@cairn/schema/part"
import { z } from "zod"
import type { RevertedFileReport, RevertInput } from "@cairn/schema/revert"
import { chooseHunks, diffTexts } from "../workspace/diff.ts"
import { contentHash, shownPath } from "../workspace/files.ts"
import { diffPair } from "../workspace/history/file-diff.ts"
import { contentsOf } from "../workspace/history/plan-revert.ts"
import type { PathPlan, PlanSources } from "../workspace/history/plan-revert.ts"
import type { PathChange } from "../workspace/history/states.ts"
import { textsOf } from "../workspace/history/texts.ts"
import { contains } from "../workspace/paths.ts"
import type { TakenBack } from "./revert-point.ts"

/** A path as people read it: below the worktree where it is. */
export const pathShown = (path: string, worktree: string): string =>
  shownPath(contains(worktree, path) && path !== worktree ? relative(worktree, path) : path)

/** What a plan does, file by file in the order of their names, with the patch from what is there to what will be. */
export async function reportFiles(
  plans: readonly PathPlan[],
  worktree: string,
  sources: PlanSources,
): Promise<RevertedFileReport[]> {
  const reports: RevertedFileReport[] = []
  for (const plan of plans) {
    const { path, action } = plan
    if (action === "unchanged") continue
    const file = pathShown(path, worktree)
    if (!("target" in plan)) {
      reports.push({ file, path, action, reason: plan.reason, additions: 0, deletions: 0, patch: "" })
      continue
    }
    const pair = { before: { ...plan.now, name: file }, after: { ...plan.target, name: file } }
    const { additions, deletions, patch } = await diffPair(pair, contentsOf(path, sources))
    reports.push({ file, path, action, additions, deletions, patch })
  }
  return reports.toSorted((a, b) => (a.file < b.file ? -1 : 1))
}

/** The changes of the paths that are named, and of what lies below them. Without names all of them. */
export function ofPaths<Change extends PathChange>(
  changes: readonly Change[],
  { paths }: Pick<RevertInput, "paths">,
  directory: string,
): Change[] {
  if (!paths) return [...changes]
  const wanted = paths.map((path) => (isAbsolute(path) ? path : join(directory, path)))
  return changes.filter((change) => wanted.some((path) => contains(path, change.path)))
}

/** Of a file for which hunks of its patch are named, only these. A file for which none is named goes back whole. */
export async function narrowed(
  plans: readonly PathPlan[],
  { hunks }: Pick<RevertInput, "hunks">,
  worktree: string,
  sources: PlanSources,
): Promise<PathPlan[]> {
  if (!hunks) return [...plans]
  const kept: PathPlan[] = []
  for (const plan of plans) {
    const chosen = hunks[plan.path] ?? hunks[pathShown(plan.path, worktree)]
    kept.push(chosen && "target" in plan ? await narrowedTo(plan, chosen, sources) : plan)
  }
  return kept
}

async function narrowedTo(
  plan: Extract<PathPlan, { target: unknown }>,
  chosen: readonly number[],
  sources: PlanSources,
): Promise<PathPlan> {
  const { path, now, target } = plan
  if (chosen.length === 0) return { path, now, action: "unchanged" }
  if (now.state.kind !== "file" || target.state.kind !== "file") return plan
  const read = contentsOf(path, sources)
  const [before, after] = [await read({ ...now, state: now.state }), await read({ ...target, state: target.state })]
  const texts = before.ok && after.ok ? textsOf(before.value, after.value) : undefined
  if (!texts) return plan
  const { hunks } = await diffTexts("", ...texts.texts)
  if (hunks.every((_, at) => chosen.includes(at))) return plan
  const bytes = texts.encode(chooseHunks(...texts.texts, hunks, chosen).text)
  const state = { ...target.state, hash: contentHash(bytes), size: bytes.length }
  return { ...plan, action: "merge", target: { state, content: bytes } }
}

/** Tools that change no file, or whose changes are in the journal. */
const known: ReadonlySet<string> = new Set(
  "edit write apply_patch read glob grep list todowrite todoread question invalid".split(" "),
)

/** What a person has to know beside the files: what is not covered, and what stays although files go back. */
export function notesOn({ messages, parts }: TakenBack): string[] {
  const calls = [...messages.flatMap((message: MessageWithParts) => message.parts), ...parts].flatMap((part) =>
    part.type === "tool" && !known.has(part.tool) ? [part] : [],
  )
  const watched = calls.filter(ran).map((part) => notesIn(part))
  const blind = watched.filter((notes) => notes === undefined).length
  const uncovered = new Set(watched.flatMap((notes) => notes?.uncovered ?? []))
  const head = watched.find((notes) => notes?.head)?.head
  const refs = new Set(watched.flatMap((notes) => notes?.refs ?? []))
  return [
    ...(head
      ? [
          `HEAD of the repository was moved (it was ${head.before.slice(0, 12)}). Only contents of files go back: commits, branches and what is staged stay.`,
        ]
      : []),
    ...(refs.size > 0 ? [`Branches and stashes stay as they are: ${[...refs].slice(0, mostNamed).join("; ")}.`] : []),
    ...(blind > 0
      ? [`What ${blind === 1 ? "1 call" : `${blind} calls`} of commands or other tools changed is not covered.`]
      : []),
    ...(uncovered.size > 0
      ? [`Not covered of what commands changed: ${[...uncovered].slice(0, mostNamed).join("; ")}.`]
      : []),
  ]
}

const mostNamed = 20

const refusals: ReadonlySet<string | undefined> = new Set(
  "denied rejected invalid_arguments unknown_tool missing refused".split(" "),
)

/** Did the call get as far as to do something? */
const ran = ({ state }: ToolPart): boolean => state.status !== "error" || !refusals.has(state.kind)

/** What a command's result says of its changes. A command that certainly changes nothing has none, and needs none. */
function notesIn({ tool, state }: ToolPart): z.infer<typeof Notes> | undefined {
  if (state.status !== "completed" && state.status !== "error") return undefined
  const found = Notes.safeParse(state.metadata?.["journal"])
  if (found.success) return found.data
  return tool === "bash" && state.metadata?.["quiet"] === true ? { uncovered: [] } : undefined
}

const Notes = z.object({
  head: z.object({ before: z.string(), after: z.string() }).optional(),
  uncovered: z.array(z.string()),
  refs: z.array(z.string()).optional(),
})

import type { FileState } from "@cairn/schema/history"
import type { SnapshotFileDiff } from "@cairn/schema/session"
import { diffTexts } from "../diff.ts"
import type { Hunk } from "../diff.ts"
import { shownSize } from "../files.ts"
import { findRenames } from "./renames.ts"
import type { Candidate } from "./renames.ts"
import type { FileVersion, PathChange } from "./states.ts"
import { isSame } from "./states.ts"
import { textsOf } from "./texts.ts"
import type { ReadContent, Version } from "./three-way.ts"

/** How one file differs. `file` is the path as it is shown, `from` the one it had before it was renamed. */
export interface ShownDiff extends Required<SnapshotFileDiff> {
  readonly from?: string
  /** Of the lines; what shows in no line (a mode, a binary content) has none. */
  readonly hunks: readonly Hunk[]
}

/** A file before and after. Both names are the same unless it was renamed. */
export interface Pair {
  readonly before: Version & { readonly name: string }
  readonly after: Version & { readonly name: string }
}

const nothing = new Uint8Array()

/** One file as a unified patch, with what shows in no line said above it. */
export async function diffPair({ before, after }: Pair, read: ReadContent): Promise<ShownDiff> {
  const status = before.state.kind === "absent" ? "added" : after.state.kind === "absent" ? "deleted" : "modified"
  const renamed = before.name !== after.name
  const lines = await diffLines({ before, after }, read)
  const head = [
    ...(renamed ? [`rename from ${before.name}`, `rename to ${after.name}`] : []),
    ...modeLines(before.state, after.state),
    ...lines.said,
  ]
  const patch = head.map((line) => `${line}\n`).join("") + lines.patch
  const { additions, deletions, hunks } = lines
  return { file: after.name, ...(renamed && { from: before.name }), status, additions, deletions, patch, hunks }
}

/**
 * What changes make together: a file that is as it was is left out, and one that went while a like one came is a rename.
 * `changes` are in the order of the writes, `shown` names a path for people.
 */
export async function diffChanges(
  changes: readonly PathChange[],
  shown: (path: string) => string,
  read: ReadContent,
): Promise<ShownDiff[]> {
  const net = [...Map.groupBy(changes, ({ path }) => path)].flatMap(([path, own]) => {
    const [first, last] = [own[0], own.at(-1)]
    if (!first || !last || isSame(first.before, last.after)) return []
    return [{ path, before: first.before, after: last.after }]
  })
  const gone = net.filter(({ after }) => after.kind === "absent")
  const come = net.filter(({ before }) => before.kind === "absent")
  const renames = findRenames(
    await candidates(
      gone.map(({ path, before: state }) => ({ path, state })),
      read,
    ),
    await candidates(
      come.map(({ path, after: state }) => ({ path, state })),
      read,
    ),
  )
  const moved = new Set(renames.values())
  const diffs: ShownDiff[] = []
  for (const { path, before, after } of net) {
    if (moved.has(path)) continue
    const from = renames.get(path)
    const origin = from === undefined ? undefined : gone.find((each) => each.path === from)
    const old = { state: origin?.before ?? before, content: "store" as const, name: shown(from ?? path) }
    diffs.push(await diffPair({ before: old, after: { state: after, content: "store", name: shown(path) } }, read))
  }
  return diffs
}

async function candidates(
  files: readonly { readonly path: string; readonly state: FileState }[],
  read: ReadContent,
): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const { path, state } of files) {
    if (state.kind !== "file") continue
    const bytes = state.size <= largestCompared ? await read({ state, content: "store" }) : undefined
    found.push({ path, hash: state.hash, text: bytes?.ok ? textsOf(bytes.value)?.texts[0] : undefined })
  }
  return found
}

/** A larger file is only known again by its whole content. */
const largestCompared = 1024 * 1024

interface Lines {
  readonly said: readonly string[]
  readonly patch: string
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly Hunk[]
}

const noLines = (...said: string[]): Lines => ({ said, patch: "", additions: 0, deletions: 0, hunks: [] })

async function diffLines({ before, after }: Pair, read: ReadContent): Promise<Lines> {
  for (const { state } of [before, after])
    if (state.kind === "not_covered") return noLines(`(not covered: ${state.reason})`)
  if ([before, after].some(({ state }) => state.kind === "symlink" || state.kind === "directory"))
    return noLines(...linkLines(before, after))
  const contents: Uint8Array[] = []
  for (const version of [before, after]) {
    const { state } = version
    const bytes = state.kind === "file" ? await read({ ...version, state }) : undefined
    if (bytes && !bytes.ok) return noLines(`(not shown: ${bytes.error.reason})`)
    contents.push(bytes?.value ?? nothing)
  }
  const [old, fresh] = contents as [Uint8Array, Uint8Array]
  const texts = textsOf(old, fresh)
  if (!texts) return noLines(`(binary: ${sizeOf(before.state)} before, ${sizeOf(after.state)} after)`)
  if (texts.texts[0] === texts.texts[1]) return noLines()
  const { patch, ...counted } = await diffTexts("", ...texts.texts)
  const names = {
    old: before.state.kind === "absent" ? "/dev/null" : before.name,
    fresh: after.state.kind === "absent" ? "/dev/null" : after.name,
  }
  const body = patch.slice(patch.indexOf("\n", patch.indexOf("\n") + 1) + 1)
  return { said: [], ...counted, patch: `--- ${names.old}\n+++ ${names.fresh}\n${body}` }
}

function linkLines(before: Version, after: Version): string[] {
  const told = ({ state }: Version) =>
    state.kind === "directory"
      ? "a directory"
      : state.kind === "symlink"
        ? `a symbolic link to ${state.target}`
        : state.kind === "file"
          ? `a file of ${sizeOf(state)}`
          : "nothing"
  return [`(was ${told(before)}, is ${told(after)})`]
}

function modeLines(before: FileState, after: FileState): string[] {
  if (before.kind !== "file" || after.kind !== "file" || before.mode === after.mode) return []
  return [`old mode ${octal(before)}`, `new mode ${octal(after)}`]
}

const octal = ({ mode }: FileVersion): string => `100${mode.toString(8).padStart(3, "0")}`

const sizeOf = (state: FileState): string => (state.kind === "file" ? shownSize(state.size) : "nothing")

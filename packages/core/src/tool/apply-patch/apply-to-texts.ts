import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { Counter } from "../edit/line-search.ts"
import { longestPath, parsePatch } from "./parse.ts"
import type { PatchFailure, PatchSection } from "./types.ts"
import { updateText } from "./update-text.ts"

/** What a path holds before the patch: its text, nothing, or a directory. */
export type PathState = { readonly text: string } | "missing" | "directory"

/** What one section makes of its file. `path` is where the text goes; `from` another path that goes away. */
export interface PlannedFile {
  readonly section: PatchSection
  readonly path: string
  readonly from?: string
  /** Undefined: the file is deleted. */
  readonly text: string | undefined
}

/** Works out what one section does, from what its paths hold. The paths are as the caller names them. */
export function planSection(
  section: PatchSection,
  path: string,
  state: PathState,
  target?: { readonly path: string; readonly state: PathState },
): Result<PlannedFile, PatchFailure> {
  if (state === "directory") return err(failure("directory", section, `${path} is a directory`))
  if (section.kind === "add") {
    if (state !== "missing") return err(failure("exists", section, `${path} exists already; use "*** Update File:"`))
    return ok({ section, path, text: section.lines.map((line) => `${line}\n`).join("") })
  }
  if (state === "missing") return err(failure("missing", section, `${path} does not exist`))
  if (section.kind === "delete") return ok({ section, path, text: undefined })
  if (target?.state === "directory") return err(failure("directory", section, `${target.path} is a directory`))
  if (target && target.state !== "missing") return err(failure("exists", section, `${target.path} exists already`))
  const updated = updateText(state.text, section.chunks, path)
  if (!updated.ok) return updated
  return ok({ section, path: target?.path ?? path, text: updated.value, ...(target ? { from: path } : {}) })
}

export function failure(kind: PatchFailure["kind"], section: PatchSection, what: string): PatchFailure {
  const message = `Line ${section.at} of the patch: ${what}. Nothing was written.`
  return { kind, message, brief: message }
}

/** The failure of one file, with the line of the patch that names it, and that nothing was written. */
export function atLine(line: number, { kind, message }: ToolFailure): ToolFailure {
  const end = /Nothing was (?:written|changed)\b/.test(message) ? "" : " Nothing was written."
  return { kind, message: `Line ${line} of the patch: ${message}${end}` }
}

/** The paths of a section, the one it moves to included. */
export function pathsOf(section: PatchSection): string[] {
  return section.kind === "update" && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
}

/** A path that the patch names a second time, or as a file and as a directory, by what `real` makes of it. */
export function repeatedPath(
  sections: readonly PatchSection[],
  real: (path: string) => string,
): PatchFailure | undefined {
  const named = sections.flatMap((section) => pathsOf(section).map((path) => ({ section, path, key: real(path) })))
  const keys = new Set<string>()
  for (const { section, path, key } of named) {
    if (keys.has(key))
      return failure("conflict", section, `${path} occurs twice in the patch; put all its changes into one section`)
    keys.add(key)
  }
  const below = named.find(({ key }) => parents(key).some((parent) => keys.has(parent)))
  return below && failure("conflict", below.section, `${below.path} lies below another file of the patch`)
}

/**
 * Applies a patch to texts by path, all or nothing. Paths are relative; none may leave the directory they start
 * from. `counter` counts the names that are looked at to tell files and directories apart.
 */
export function applyPatchToTexts(
  patchText: string,
  files: Readonly<Record<string, string>>,
  counter: Counter = { comparisons: 0 },
): Result<Record<string, string>, PatchFailure> {
  const parsed = parsePatch(patchText)
  if (!parsed.ok) return parsed
  const names = new Map(Object.keys(files).map((name) => [normal(name) ?? name, name]))
  const directories = new Set([""])
  for (const name of names.keys()) {
    for (const parent of parents(name)) {
      counter.comparisons++
      directories.add(parent)
    }
  }
  const stateOf = (path: string): PathState => {
    const name = names.get(path)
    if (name !== undefined) return { text: files[name] ?? "" }
    counter.comparisons++
    return directories.has(path) ? "directory" : "missing"
  }
  for (const section of parsed.value) {
    const outside = pathsOf(section).find((path) => normal(path) === undefined)
    if (outside !== undefined) return err(failure("outside", section, `${outside} is outside of the directory`))
  }
  const repeated = repeatedPath(parsed.value, (path) => normal(path) ?? path)
  if (repeated) return err(repeated)
  const result = new Map(Object.entries(files))
  for (const section of parsed.value) {
    const path = normal(section.path) ?? section.path
    const to =
      section.kind === "update" && section.moveTo !== undefined ? (normal(section.moveTo) ?? section.moveTo) : undefined
    const below = [to ?? path].find((name) => parents(name).some((parent) => names.has(parent)))
    if (below !== undefined) return err(failure("directory", section, `a part of ${below} is a file, not a directory`))
    const planned = planSection(
      section,
      path === "" ? section.path : path,
      stateOf(path),
      to === undefined ? undefined : { path: to, state: stateOf(to) },
    )
    if (!planned.ok) return planned
    const { text, from } = planned.value
    result.delete(names.get(from ?? path) ?? path)
    if (text !== undefined) result.set(from === undefined ? (names.get(path) ?? path) : planned.value.path, text)
  }
  return ok(Object.fromEntries(result))
}

/** The path without `.` and `..`; undefined when it leaves the directory or is absolute. */
function normal(path: string): string | undefined {
  if (path.startsWith("/") || path.includes("\0")) return undefined
  const names: string[] = []
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return undefined
    } else if (name !== "" && name !== ".") names.push(name)
  }
  return names.join("/")
}

/** The directories above a path, as far as a path of a patch may be long. */
function parents(path: string): string[] {
  const found: string[] = []
  for (let at = path.indexOf("/"); at !== -1 && at <= longestPath; at = path.indexOf("/", at + 1)) {
    found.push(path.slice(0, at))
  }
  return found
}

import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { Counter } from "../edit/line-search.ts"
import type { Chunk, ChunkLine, PatchFailure, PatchSection } from "./types.ts"
import { findPatch } from "./wrapping.ts"

const mostLines = 200_000
/** In characters; the system takes no longer ones either. */
export const longestPath = 4096

/**
 * Reads a patch, also inside a code fence, a heredoc or a shell call. Marks begin a line: behind a space they
 * are content. What is not understood is a `parse` failure with its line. `counter` counts the
 * looks at lines that decide where blank lines belong.
 */
export function parsePatch(
  patchText: string,
  counter: Counter = { comparisons: 0 },
): Result<readonly PatchSection[], PatchFailure> {
  const lines = patchText.split(/\r?\n/)
  if (lines.length > mostLines) return fail(1, `the patch has more than ${mostLines} lines`)
  const found = findPatch(lines)
  if (!found.ok) return fail(found.error.line, found.error.what)
  const { begin, end } = found.value
  return parseSections({ lines, at: begin + 1, end, blankUntil: begin + 1, blankToSection: false, counter })
}

/** A cursor over the lines between the two marks. `at` is an index from 0; messages count from 1. */
interface Reader {
  readonly lines: readonly string[]
  readonly end: number
  readonly counter: Counter
  at: number
  /** What the last look ahead found: the lines up to here (exclusive) are blank, and whether a section follows them. */
  blankUntil: number
  blankToSection: boolean
}

function parseSections(reader: Reader): Result<readonly PatchSection[], PatchFailure> {
  const sections: PatchSection[] = []
  while (reader.at < reader.end) {
    const line = reader.lines[reader.at] ?? ""
    if (line.trim() === "") {
      reader.at++
      continue
    }
    const section = parseSection(reader, line)
    if (!section.ok) return section
    sections.push(section.value)
  }
  return sections.length === 0 ? fail(reader.at + 1, "the patch changes no file") : ok(sections)
}

function parseSection(reader: Reader, line: string): Result<PatchSection, PatchFailure> {
  const at = reader.at + 1
  const found = /^\*\*\* (Add|Update|Delete) File: ?(.*)$/.exec(line.trimEnd())
  const path = found?.[2]?.trim() ?? ""
  if (!found) return fail(at, `expected "*** Add File:", "*** Update File:" or "*** Delete File:", got ${quote(line)}`)
  if (path === "") return fail(at, "the path is missing")
  if (path.length > longestPath) return fail(at, `the path is longer than ${longestPath} characters`)
  reader.at++
  switch (found[1]) {
    case "Add":
      return parseAdd(reader, path, at)
    case "Delete":
      return ok({ kind: "delete", path, at })
    default:
      return parseUpdate(reader, path, at)
  }
}

function parseAdd(reader: Reader, path: string, at: number): Result<PatchSection, PatchFailure> {
  const added: string[] = []
  for (; reader.at < reader.end && !isMark(reader.lines[reader.at] ?? ""); reader.at++) {
    const line = reader.lines[reader.at] ?? ""
    if (line.startsWith("+")) added.push(line.slice(1))
    else if (line.trim() !== "" || !restIsBlank(reader)) {
      return fail(reader.at + 1, `every line of an added file begins with "+", got ${quote(line)}`)
    }
  }
  return ok({ kind: "add", path, at, lines: added })
}

function parseUpdate(reader: Reader, path: string, at: number): Result<PatchSection, PatchFailure> {
  const move = /^\*\*\* Move to: ?(.*)$/.exec(reader.lines[reader.at]?.trimEnd() ?? "")
  if (move) reader.at++
  const moveTo = move?.[1]?.trim()
  if (moveTo === "") return fail(reader.at, "the path to move to is missing")
  if (moveTo !== undefined && moveTo.length > longestPath)
    return fail(reader.at, `the path to move to is longer than ${longestPath} characters`)
  const chunks: Chunk[] = []
  while (reader.at < reader.end && !isSectionMark(reader.lines[reader.at] ?? "")) {
    if (reader.lines[reader.at]?.trim() === "" && restIsBlank(reader)) {
      reader.at++
      continue
    }
    const chunk = parseChunk(reader)
    if (!chunk.ok) return chunk
    chunks.push(chunk.value)
  }
  if (chunks.length === 0 && moveTo === undefined) return fail(at, `the update of ${quote(path)} changes nothing`)
  return ok({ kind: "update", path, at, chunks, ...(moveTo === undefined ? {} : { moveTo }) })
}

function parseChunk(reader: Reader): Result<Chunk, PatchFailure> {
  const at = reader.at + 1
  const headers: string[] = []
  for (; reader.at < reader.end; reader.at++) {
    const found = /^@@(?: ?-\d+(?:,\d+)? \+\d+(?:,\d+)? @@)?(.*)$/.exec(reader.lines[reader.at] ?? "")
    if (!found) break
    const header = (found[1] ?? "").replace(/^ /, "").replace(/ ?@@$/, "")
    if (header.trim() !== "") headers.push(header)
  }
  const lines: ChunkLine[] = []
  for (; reader.at < reader.end; reader.at++) {
    const line = reader.lines[reader.at] ?? ""
    if (line.startsWith("@@") || isMark(line)) break
    const sign = line[0] ?? " "
    // Editors and models drop the space of an unchanged empty line.
    if (line === "" && restIsBlank(reader)) break
    if (sign !== " " && sign !== "-" && sign !== "+") {
      return fail(reader.at + 1, `a line of an update begins with a space, "-" or "+", got ${quote(line)}`)
    }
    lines.push({ sign, text: line.slice(1) })
  }
  const atEnd = reader.lines[reader.at]?.trimEnd() === "*** End of File"
  if (atEnd) reader.at++
  if (lines.length === 0) return fail(at, "a change without lines")
  if (lines.every(({ sign }) => sign === " ")) return fail(at, "a change that neither adds nor removes a line")
  return ok({ headers, lines, atEnd, at })
}

/**
 * Only blank lines follow until the next section: they belong to nothing. A run of blank lines is looked
 * through once, however often one of them asks.
 */
function restIsBlank(reader: Reader): boolean {
  if (reader.at < reader.blankUntil) return reader.blankToSection
  let index = reader.at
  for (; index < reader.end; index++) {
    reader.counter.comparisons++
    if (reader.lines[index]?.trim() !== "") break
  }
  reader.blankUntil = index
  reader.blankToSection = index >= reader.end || isSectionMark(reader.lines[index] ?? "")
  return reader.blankToSection
}

function isSectionMark(line: string): boolean {
  return /^\*\*\* (Add|Update|Delete) File:/.test(line)
}

function isMark(line: string): boolean {
  return isSectionMark(line) || line.trimEnd() === "*** End of File" || line.startsWith("*** Move to:")
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
}

function fail(line: number, what: string): Result<never, PatchFailure> {
  const message = `The patch could not be read: line ${line}: ${what}. Nothing was written.`
  return err({ kind: "parse", message, brief: message })
}

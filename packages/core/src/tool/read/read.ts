import { lstat } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { basename } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { z } from "zod"
import {
  contentHash,
  ioFailure,
  openDirectory,
  openRegular,
  readSnapshot,
  shownPath,
  shownSize,
} from "../../workspace/files.ts"
import type { FileStat } from "../../workspace/files.ts"
import { resolvePath } from "../../workspace/paths.ts"
import type { ResolvedPath } from "../../workspace/paths.ts"
import type { Seen } from "../../workspace/seen.ts"
import { titlePath } from "../change-file.ts"
import { defineTool } from "../define.ts"
import type { Tool, ToolContext, ToolOutput } from "../define.ts"
import { askExternal } from "../external.ts"
import { missingPath } from "../near-paths.ts"
import { listDirectory } from "./directory.ts"
import { binaryAdvice, mediaType } from "./media.ts"
import { notebookText } from "./notebook.ts"
import description from "./read.md" with { type: "text" }
import { readWindow } from "./text-window.ts"
import type { TextWindow } from "./text-window.ts"

export interface ReadDeps {
  readonly seen: Seen
  /** Does the model of this call take files of this type as attachments? */
  accepts?(mime: string, context: ToolContext): boolean
  /** Instructions of the project that belong to a file (a real path) and that the model has not got yet. */
  instructions?(
    read: { readonly path: string; readonly whole: boolean },
    context: ToolContext,
  ): Promise<{ readonly text: string; readonly loaded: readonly string[] } | undefined>
}

const parameters = z.object({
  filePath: z.string().describe("File or directory, absolute or relative to the working directory"),
  offset: z.number().int().nonnegative().optional().describe("First line, from 1"),
  limit: z.number().int().positive().optional().describe("Number of lines, default 2000"),
})

const usualLimit = 2_000
const previewLines = 20
const largestAttachment = 5 * 1024 * 1024
const largestNotebook = 10 * 1024 * 1024
/** From here on a file that is known not to have changed is not hashed again. */
const largeFile = 4 * 1024 * 1024

/** Reads text, directories, notebooks, and images or PDFs for models that take them. Never changes anything. */
export function createReadTool(deps: ReadDeps): Tool<typeof parameters> {
  return defineTool({
    name: "read",
    description,
    parameters,
    async execute({ filePath, offset, limit }, context) {
      const resolved = await resolvePath(filePath, context.directory)
      if (resolved.problem) return err(resolved.problem)
      const directory = await isDirectory(resolved.real)
      const external = await askExternal(resolved, context, directory ? "directory" : "file")
      if (!external.ok) return external
      const allowed = await askRead(resolved, context)
      if (!allowed.ok) return allowed
      if (!resolved.exists) return err(await missingPath(resolved.real, context.worktree))
      const range = {
        offset: Math.max(1, offset ?? 1),
        limit: limit ?? usualLimit,
        asked: offset !== undefined || limit !== undefined,
      }
      if (directory) return await readDirectory(resolved.real, range, context)
      const done = await readFile(deps, resolved.real, range, context)
      return done.ok ? ok(await withInstructions(deps, done.value, resolved.real, range, context)) : done
    },
  })
}

/** The files that join are named in `metadata.loaded`, so that a restart knows of them. */
async function withInstructions(
  deps: ReadDeps,
  output: ToolOutput,
  path: string,
  range: Range,
  context: ToolContext,
): Promise<ToolOutput> {
  const whole = range.offset === 1 && output.metadata["truncated"] === false
  const found = await deps.instructions?.({ path, whole }, context)
  if (!found) return output
  return {
    ...output,
    output: `${output.output}\n\n${found.text}`,
    metadata: { ...output.metadata, loaded: found.loaded },
  }
}

interface Range {
  readonly offset: number
  readonly limit: number
  /** The model wants a part, not the file as such. */
  readonly asked: boolean
}

async function isDirectory(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined)
  return stat?.isDirectory() ?? false
}

async function askRead({ real }: ResolvedPath, context: ToolContext): Promise<Result<unknown, ToolFailure>> {
  const always = /[*?]/.test(real) ? [] : [real]
  return await context.ask({ permission: "read", patterns: [real], always, metadata: { filepath: real } })
}

async function readDirectory(
  path: string,
  range: Range,
  context: ToolContext,
): Promise<Result<ToolOutput, ToolFailure>> {
  const opened = await openDirectory(path)
  if (!opened.ok) return opened
  await using directory = opened.value
  const listing = await listDirectory(directory.at, range.offset, range.limit).catch((error: unknown) =>
    ioFailure(error, path),
  )
  if ("kind" in listing) return err(listing)
  const { entries, total, more } = listing
  if (range.offset > Math.max(1, total)) return err(beyond(path, range.offset, `${total} entries`))
  const note = more
    ? `(${entries.length} of ${total} entries; continue with offset=${range.offset + entries.length})`
    : `(${total} ${total === 1 ? "entry" : "entries"})`
  const text = entries.join("\n")
  return ok({
    title: titlePath(path, context.worktree),
    output: text === "" ? note : `${text}\n${note}`,
    metadata: { preview: preview(entries), truncated: more, loaded: [], display: { type: "directory", path, total } },
  })
}

async function readFile(
  deps: ReadDeps,
  path: string,
  range: Range,
  context: ToolContext,
): Promise<Result<ToolOutput, ToolFailure>> {
  const opened = await openRegular(path)
  if (!opened.ok) return opened
  const { file, stat } = opened.value
  try {
    const head = Buffer.alloc(16)
    await file.read(head, 0, head.length, 0)
    const mime = mediaType(head)
    if (mime !== undefined) return await attachment(deps, path, mime, stat, context)
    if (path.endsWith(".ipynb") && !range.asked && stat.size <= largestNotebook) {
      const notebook = await readNotebook(deps, path, context)
      if (notebook) return notebook
    }
    return await readText(deps, { path, file, stat }, range, context)
  } catch (error) {
    if (context.signal.aborted) throw error
    return err(ioFailure(error, path))
  } finally {
    await file.close()
  }
}

interface OpenFile {
  readonly path: string
  readonly file: FileHandle
  readonly stat: FileStat
}

async function readText(
  deps: ReadDeps,
  open: OpenFile,
  range: Range,
  context: ToolContext,
): Promise<Result<ToolOutput, ToolFailure>> {
  const { path, file, stat } = open
  const hash = stat.size > largeFile ? deps.seen.unchanged(context.sessionID, path, stat) : undefined
  const read = await readWindow(file, stat, { ...range, hash }, context.signal)
  if (!read.ok) {
    const message = `${shownPath(path)} is a binary file (${shownSize(stat.size)}). ${binaryAdvice(undefined, path)}`
    return err({ kind: "binary", message })
  }
  const window = read.value
  const { lines, totalLines } = window
  if (lines.length === 0 && range.offset > Math.max(1, totalLines ?? 0)) {
    return err(beyond(path, range.offset, `${totalLines ?? 0} lines`))
  }
  deps.seen.record(context.sessionID, path, window.hash, stat)
  const numbered = lines.map((line, index) => `${range.offset + index}\t${line}`)
  return ok({
    title: titlePath(path, context.worktree),
    output: [...numbered, ...notes(window, range, stat)].join("\n"),
    metadata: {
      preview: preview(lines),
      truncated: window.more,
      loaded: [],
      display: { type: "file", path, offset: range.offset, lines: lines.length, totalLines },
      seen: [{ path, hash: window.hash }],
    },
  })
}

function notes(window: TextWindow, range: Range, stat: FileStat): string[] {
  const { lines, totalLines, more, lossy } = window
  const said: string[] = []
  if (totalLines === 0) said.push("(the file is empty)")
  else if (more) {
    const last = range.offset + lines.length - 1
    const of = totalLines === undefined ? `a file of ${shownSize(stat.size)}` : `${totalLines}`
    said.push(`(lines ${range.offset}-${last} of ${of}; continue with offset=${last + 1})`)
  } else said.push(`(end of file, ${totalLines} ${totalLines === 1 ? "line" : "lines"})`)
  if (lossy) said.push("(some bytes are not valid text and are shown as \ufffd; edit and write refuse this file)")
  return said
}

async function attachment(
  deps: ReadDeps,
  path: string,
  mime: string,
  stat: FileStat,
  context: ToolContext,
): Promise<Result<ToolOutput, ToolFailure>> {
  const what = `${shownPath(path)} is a file of type ${mime} (${shownSize(stat.size)})`
  if (!deps.accepts?.(mime, context)) {
    return err({ kind: "binary", message: `${what}, which this model does not take. ${binaryAdvice(mime, path)}` })
  }
  if (stat.size > largestAttachment) {
    const message = `${what}; at most ${shownSize(largestAttachment)} are attached. Make it smaller with a command first. ${binaryAdvice(mime, path)}`
    return err({ kind: "refused", message })
  }
  const snapshot = await readSnapshot(path, largestAttachment)
  if (!snapshot.ok) return snapshot
  const { bytes, hash } = snapshot.value
  deps.seen.record(context.sessionID, path, hash, snapshot.value.stat)
  const url = `data:${mime};base64,${Buffer.from(bytes).toString("base64")}`
  return ok({
    title: titlePath(path, context.worktree),
    output: `(attached: ${basename(shownPath(path))}, ${mime}, ${shownSize(bytes.length)})`,
    metadata: {
      preview: "",
      truncated: false,
      loaded: [],
      display: { type: "media", path, mime },
      seen: [{ path, hash }],
    },
    attachments: [{ type: "file", mime, filename: basename(path), url }],
  })
}

/** Undefined when the file is no notebook after all: then it is read as the text it is. */
async function readNotebook(
  deps: ReadDeps,
  path: string,
  context: ToolContext,
): Promise<Result<ToolOutput, ToolFailure> | undefined> {
  const snapshot = await readSnapshot(path, largestNotebook)
  if (!snapshot.ok) return snapshot
  const text = notebookText(Buffer.from(snapshot.value.bytes).toString("utf8"))
  if (text === undefined) return undefined
  const hash = contentHash(snapshot.value.bytes)
  deps.seen.record(context.sessionID, path, hash, snapshot.value.stat)
  const cut = text.length > largestShown
  const note = `${cut ? "(cut; " : "("}a notebook shown as text; give offset to see its JSON, which is what edit changes)`
  return ok({
    title: titlePath(path, context.worktree),
    output: `${text.slice(0, largestShown)}\n${note}`,
    metadata: {
      preview: preview(text.split("\n", previewLines)),
      truncated: cut,
      loaded: [],
      display: { type: "notebook", path },
      seen: [{ path, hash }],
    },
  })
}

const largestShown = 48 * 1024

function preview(lines: readonly string[]): string {
  return lines
    .slice(0, previewLines)
    .map((line) => line.slice(0, 200))
    .join("\n")
}

function beyond(path: string, offset: number, size: string): ToolFailure {
  return { kind: "invalid_arguments", message: `offset ${offset} is beyond the end: ${shownPath(path)} has ${size}.` }
}

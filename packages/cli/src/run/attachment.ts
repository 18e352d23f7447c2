import { open, readdir, stat } from "node:fs/promises"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { err, ok, type Result } from "@cairn/kernel/result"
import { resolvePath } from "@cairn/core/workspace/paths"
import type { SetupError } from "@cairn/schema/error"
import type { PromptPart } from "@cairn/schema/prompt"

/** Larger images and PDFs are refused: providers do not take them. */
const largestMedia = 20 * 1024 * 1024
/** What of a text file goes into the prompt; the model can read the rest. */
const textLimit = { lines: 2_000, bytes: 50 * 1024 }
const entryLimit = 500

/**
 * Prompt parts for a path given by `--file`: an image or a PDF as a `data:` file part, text and the list of a directory
 * as text that names the path. What cannot be read or is neither is an error.
 */
export async function attachment(file: string, cwd: string): Promise<Result<PromptPart[], SetupError>> {
  const resolved = await resolvePath(file, cwd)
  if (resolved.problem) return fail(file, resolved.problem.message)
  const full = resolved.real
  try {
    const info = await stat(full)
    if (info.isDirectory()) return ok([await directoryPart(full)])
    // A device or a pipe may never end.
    if (!info.isFile()) return fail(file, "it is not a regular file")
    return await filePart(file, full, info.size)
  } catch (error) {
    return fail(file, reason(error))
  }
}

async function filePart(file: string, full: string, size: number): Promise<Result<PromptPart[], SetupError>> {
  if (size === 0 && mediaName.test(file)) return fail(file, "it is empty")
  const head = await readHead(full, Math.min(size, textLimit.bytes + 1))
  const mime = mediaType(head)
  if (mime === undefined && head.includes(0))
    return fail(file, "it is neither text nor a PDF nor a picture that models take (PNG, JPEG, GIF, WebP)")
  if (mime === undefined) return ok([textPart(full, head, size)])
  if (size > largestMedia) return fail(file, `it is larger than ${largestMedia / 1024 / 1024} MB`)
  const data = Buffer.from(await Bun.file(full).bytes()).toString("base64")
  return ok([{ type: "file", mime, filename: path.basename(full), url: `data:${mime};base64,${data}` }])
}

function textPart(full: string, head: Uint8Array, size: number): PromptPart {
  const lines = new TextDecoder().decode(head.subarray(0, textLimit.bytes)).split("\n")
  const cut = lines.length > textLimit.lines || size > textLimit.bytes
  const shown = cut ? lines.slice(0, Math.min(textLimit.lines, Math.max(1, lines.length - 1))) : lines
  const more = cut ? `\n(the first ${shown.length} lines of ${size} bytes; use the read tool for the rest)` : ""
  return attached(full, "file", shown.join("\n"), more)
}

async function directoryPart(full: string): Promise<PromptPart> {
  const entries = await readdir(full, { withFileTypes: true })
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
  const more = names.length > entryLimit ? `\n(${entryLimit} of ${names.length} entries)` : ""
  return attached(full, "directory", names.slice(0, entryLimit).join("\n"), more)
}

function attached(full: string, kind: string, content: string, more: string): PromptPart {
  const text = `The user attached the ${kind} ${full}:\n<${kind}>\n${content}\n</${kind}>${more}`
  return { type: "text", synthetic: true, text, metadata: { attachment: pathToFileURL(full).href } }
}

async function readHead(full: string, length: number): Promise<Uint8Array> {
  const handle = await open(full, "r")
  try {
    const bytes = new Uint8Array(length)
    const { bytesRead } = await handle.read(bytes, 0, length, 0)
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const signatures: readonly (readonly [mime: string, offset: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["application/pdf", 0, "%PDF-"],
]

/** What is no text by its name: without content there is nothing to attach. */
const mediaName = /\.(png|jpe?g|gif|webp|bmp|tiff?|heic|pdf)$/i

/** The type of an image or PDF, from its first bytes: names lie. */
function mediaType(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 16)).toString("latin1")
  return signatures.find(([, offset, bytes]) => start.startsWith(bytes, offset))?.[0]
}

function fail(file: string, why: string): Result<never, SetupError> {
  return err({ kind: "file", message: `cannot attach ${JSON.stringify(file)}: ${why}` })
}

function reason(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  if (code === "ENOENT" || code === "ENOTDIR") return "it does not exist"
  if (code === "EACCES" || code === "EPERM") return "no permission to read it"
  return error instanceof Error ? error.message : String(error)
}

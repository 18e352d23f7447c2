import type { FileHandle } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { detectEncoding, markLength } from "../../workspace/encoding.ts"
import type { FileStat } from "../../workspace/files.ts"
import { largestHashed, statIdentity } from "../../workspace/seen.ts"

export interface WindowInput {
  /** First line, from 1. */
  readonly offset: number
  readonly limit: number
  /** The hash, when the file is known not to have changed: then nothing is read beyond the window. */
  readonly hash?: string | undefined
}

/** The lines of a part of a file, however large the file is. */
export interface TextWindow {
  /** As they are shown: long ones cut with a mark. */
  readonly lines: readonly string[]
  /** Undefined when the file was not read to its end. */
  readonly totalLines: number | undefined
  /** Lines follow after the window. */
  readonly more: boolean
  /** Bytes that are no text stand as U+FFFD. */
  readonly lossy: boolean
  /** Of the whole content, or of size and time for files above 50 MB. */
  readonly hash: string
}

const chunkSize = 256 * 1024
const longestLine = 2_000
// A little below the 50 kB that any output may have: the note about the rest must fit too.
const mostBytes = 49 * 1024

/** Streams an open file. Memory is bounded by the window. `nul` when what was read holds a NUL byte: no text. */
export async function readWindow(
  file: FileHandle,
  stat: FileStat,
  input: WindowInput,
  signal: AbortSignal,
): Promise<Result<TextWindow, "nul">> {
  const strict = await pass(file, stat, input, true, signal)
  if (strict !== "invalid") return strict
  const lossy = await pass(file, stat, input, false, signal)
  if (lossy === "invalid") throw new Error("a decoder that replaces cannot fail")
  return lossy
}

async function pass(
  file: FileHandle,
  stat: FileStat,
  input: WindowInput,
  fatal: boolean,
  signal: AbortSignal,
): Promise<Result<TextWindow, "nul"> | "invalid"> {
  const whole = stat.size <= largestHashed && input.hash === undefined
  const hasher = new Bun.CryptoHasher("sha256")
  const collector = createCollector(input)
  const buffer = Buffer.allocUnsafe(chunkSize)
  let decoder: TextDecoder | undefined
  let ended = false
  for (let at = 0; whole || !collector.full();) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, chunkSize, at)
    ended = bytesRead === 0
    const bytes = buffer.subarray(0, bytesRead)
    if (whole) hasher.update(bytes)
    const encoding = at === 0 ? detectEncoding(bytes) : undefined
    decoder ??= new TextDecoder(encoding?.encoding ?? "utf-8", { fatal, ignoreBOM: true })
    const text = decode(decoder, bytes.subarray(encoding ? markLength(encoding) : 0), ended)
    if (text === undefined) return "invalid"
    if (text.includes("\0")) return err("nul")
    collector.push(text)
    at += bytesRead
    if (ended) break
  }
  if (ended) collector.finish()
  const hash = whole ? hasher.digest("hex") : (input.hash ?? statIdentity(stat))
  const totalLines = ended ? collector.lineCount() : undefined
  return ok({ lines: collector.lines, totalLines, more: collector.more(), lossy: !fatal, hash })
}

function decode(decoder: TextDecoder, bytes: Uint8Array, last: boolean): string | undefined {
  try {
    return decoder.decode(bytes, { stream: !last })
  } catch {
    return undefined
  }
}

/** Cuts text that arrives in pieces into lines, and keeps those of the window. */
function createCollector({ offset, limit }: WindowInput) {
  const lines: string[] = []
  let bytes = 0
  let closed = false
  let count = 0
  let separator = ""
  // The line that has begun: at most as much of it as is shown, and its real length.
  let head = ""
  let length = 0
  const take = (piece: string) => {
    if (count + 1 >= offset && head.length <= longestLine) head += piece.slice(0, longestLine + 1 - head.length)
    length += piece.length
  }
  const close = () => {
    count++
    if (count >= offset && !closed) {
      const line = shown(head, length)
      const cost = Buffer.byteLength(line) + String(count).length + 2
      if (lines.length >= limit || bytes + cost > mostBytes) closed = true
      else {
        lines.push(line)
        bytes += cost
      }
    }
    head = ""
    length = 0
  }
  return {
    lines,
    push(text: string) {
      // Old files end their lines with a carriage return alone; others may hold one within a line.
      if (separator === "" && text !== "") separator = !text.includes("\n") && /\r[^\n]/.test(text) ? "\r" : "\n"
      let from = 0
      for (let at = text.indexOf(separator); separator !== "" && at !== -1; at = text.indexOf(separator, from)) {
        take(text.slice(from, at))
        close()
        from = at + 1
      }
      take(text.slice(from))
    },
    finish() {
      if (length > 0) close()
    },
    /** Nothing that follows can be part of the window. */
    full: () => closed,
    /** The window left lines out that follow it. */
    more: () => closed,
    lineCount: () => count,
  }
}

function shown(head: string, length: number): string {
  const line = head.endsWith("\r") && length <= longestLine + 1 ? head.slice(0, -1) : head
  if (line.length <= longestLine) return line
  const end = /[\ud800-\udbff]/.test(line[longestLine - 1] ?? "") ? longestLine - 1 : longestLine
  return `${line.slice(0, end)}… (line cut: ${length} characters)`
}

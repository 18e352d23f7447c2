import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import { contains } from "../workspace/paths.ts"
import { largest } from "./define.ts"

/** The beginning of a regular file of text, or undefined. Never waits for a pipe, never reads more than it shows. */
export async function readStart(path: string): Promise<string | undefined> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const info = await handle.stat()
    if (!info.isFile()) return undefined
    const buffer = Buffer.alloc(Math.min(info.size, largest))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    const left = info.size - bytesRead
    return shownText(
      buffer.subarray(0, bytesRead),
      left > 0 ? `[${left} more bytes of ${path} were cut: read the file for them]` : "",
    )
  } catch {
    return undefined // not there, or not ours to read: instructions are optional
  }
}

/** Bytes as text, without half a character at the end; undefined when nothing or no text is in them. */
export function shownText(bytes: Uint8Array, note: string): string | undefined {
  const text = new TextDecoder("utf-8").decode(bytes, { stream: true }).trim()
  if (text === "" || text.includes("\0")) return undefined
  return note === "" ? text : `${text}\n${note}`
}

/** The real path of a file when it lies in one of `roots`, by their real paths; else undefined. */
export async function realInside(path: string, roots: readonly string[]): Promise<string | undefined> {
  const [target, ...places] = await Promise.all([path, ...roots].map((one) => realpath(one).catch(() => undefined)))
  const inside = places.some((root) => root !== undefined && target !== undefined && contains(root, target))
  return inside ? target : undefined
}

import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { decodeText, encodeText, plainEncoding } from "./encoding.ts"
import type { NotText, TextEncoding } from "./encoding.ts"
import { readSnapshot, shownPath, shownSize } from "./files.ts"
import type { FileSnapshot } from "./files.ts"

/** A file that can be changed as text: its text without the byte order mark, with its line ends as they are. */
export interface TextFile {
  readonly snapshot: FileSnapshot
  readonly text: string
  readonly encoding: TextEncoding
}

/** Reads a whole text file; what could not be written back unchanged is `binary`. Undefined when it does not exist. */
export async function readTextFile(path: string): Promise<Result<TextFile | undefined, ToolFailure>> {
  const snapshot = await readSnapshot(path)
  if (!snapshot.ok) return snapshot.error.kind === "missing" ? ok(undefined) : snapshot
  const decoded = decodeText(snapshot.value.bytes)
  if (!decoded.ok) return err(notText(path, snapshot.value.bytes.length, decoded.error))
  return ok({ snapshot: snapshot.value, ...decoded.value })
}

/** The bytes of `text` in the encoding of the file it goes into, by default plain UTF-8. */
export function bytesFor(
  text: string,
  path: string,
  encoding: TextEncoding = plainEncoding,
): Result<Uint8Array, ToolFailure> {
  if (text.includes("\0")) {
    return err({
      kind: "binary",
      message: `The new text for ${shownPath(path)} contains a NUL byte; only text is written.`,
    })
  }
  const bytes = encodeText(text, encoding)
  if (bytes) return ok(bytes)
  const message = `The new text for ${shownPath(path)} contains half of a surrogate pair, which no text file can hold. Write the whole character.`
  return err({ kind: "refused", message })
}

function notText(path: string, size: number, why: NotText): ToolFailure {
  const what =
    why === "nul"
      ? "is a binary file"
      : "is neither valid UTF-8 nor UTF-16 with a byte order mark, so it cannot be changed safely as text"
  return { kind: "binary", message: `${shownPath(path)} ${what} (${shownSize(size)}). Use a command for it.` }
}

import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"

export type Encoding = "utf-8" | "utf-16le" | "utf-16be"

/** How the characters of a text file stand in its bytes. */
export interface TextEncoding {
  readonly encoding: Encoding
  readonly bom: boolean
}

export const plainEncoding: TextEncoding = { encoding: "utf-8", bom: false }

/** Why bytes are no text that could be written back unchanged. */
export type NotText = "nul" | "invalid"

/** The encoding that the first bytes announce. Without a mark it is UTF-8; UTF-16 without one counts as binary. */
export function detectEncoding(head: Uint8Array): TextEncoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf-8", bom: true }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", bom: true }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", bom: true }
  return plainEncoding
}

/** Bytes of the byte order mark. */
export function markLength(encoding: TextEncoding): number {
  return encoding.bom ? (encoding.encoding === "utf-8" ? 3 : 2) : 0
}

/** The text without its byte order mark. What decodes encodes back to the same bytes. */
export function decodeText(bytes: Uint8Array): Result<{ text: string; encoding: TextEncoding }, NotText> {
  const encoding = detectEncoding(bytes)
  if (encoding.encoding === "utf-8" && bytes.includes(0)) return err("nul")
  const text = decode(bytes.subarray(markLength(encoding)), encoding.encoding)
  if (text === undefined) return err("invalid")
  return text.includes("\0") ? err("nul") : ok({ text, encoding })
}

/** Undefined when the text holds half a surrogate pair, which no encoding can keep. */
export function encodeText(text: string, { encoding, bom }: TextEncoding): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined
  const marked = bom ? `\ufeff${text}` : text
  if (encoding === "utf-8") return Buffer.from(marked, "utf8")
  const bytes = Buffer.from(marked, "utf16le")
  return encoding === "utf-16be" ? bytes.swap16() : bytes
}

function decode(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

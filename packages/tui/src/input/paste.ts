import { fileURLToPath } from "node:url"
import { type Source, sanitizeSource } from "../terminal/sanitize.ts"

/** Longer ones are chips: a textarea that holds a megabyte takes 38 ms a key. */
const inlineLines = 5
const inlineCharacters = 800

/** What a paste becomes: text in the prompt, or a chip with this label. */
export type Pasted =
  | { readonly kind: "inline"; readonly text: Source }
  | { readonly kind: "chip"; readonly text: Source; readonly label: string }

/** Takes what the terminal gave between its paste marks; the text is made harmless, its tabs and lines stay. */
export function pasted(bytes: Uint8Array | string): Pasted {
  const raw = typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes)
  // Terminals send a carriage return for every line end.
  const text = sanitizeSource(raw.replaceAll(/\r\n?/g, "\n"))
  const lines = text.replace(/\n$/, "").split("\n").length
  if (lines <= inlineLines && text.length <= inlineCharacters) return { kind: "inline", text }
  const label = lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`
  return { kind: "chip", text, label }
}

/**
 * The path that a paste may be, as terminals write it for a file that is dropped on them: quoted, with escaped spaces, or
 * as a URL. Undefined: it is no single path. Whether there is such a file is another question.
 */
export function pastedPath(text: string): string | undefined {
  const line = text.trim()
  if (line === "" || line.includes("\n")) return undefined
  if (line.startsWith("file://")) return fromUrl(line)
  const quote = /^(['"])(.+)\1$/.exec(line)
  const path = quote?.[2] ?? line.replaceAll(/\\([ ()'"&[\]{}!$`;*?<>|#\\])/g, "$1")
  if (quote === null && /(?<!\\)\s/.test(line)) return undefined
  return /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(path) ? path : undefined
}

function fromUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined // of another host, or no URL at all
  }
}

const images: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
}

/** The kind of picture that a path names; undefined for other files. */
export function imageType(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(images, ending) ? images[ending] : undefined
}

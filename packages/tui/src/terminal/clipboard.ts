import { mkdtemp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Safe, sanitizeLine, ui } from "./sanitize.ts"

/** What became of a copy. Only `clipboard` is known to have arrived. */
export type Copied =
  | { readonly how: "clipboard"; readonly characters: number }
  | { readonly how: "terminal"; readonly characters: number }
  | { readonly how: "file"; readonly path: string }
  | { readonly how: "nowhere"; readonly why: string }

/** The ways out, in the order in which they are tried. */
export interface ClipboardWays {
  /** The clipboard of this machine. Absent when the user sits at another one. */
  readonly host?: (text: string) => Promise<boolean>
  /** Hands it to the terminal (OSC 52). False when the terminal is known not to take it. */
  readonly terminal: (text: string) => boolean
  /** A directory for a file when neither works. */
  readonly directory: string
}

/** Terminals cut or drop longer ones without a word. Bytes of base64. */
const longestSequence = 74_994

/** Copies the text, and says the truth about it. Never rejects. */
export async function copy(text: string, ways: ClipboardWays): Promise<Copied> {
  const characters = [...new Intl.Segmenter().segment(text)].length
  if (await ways.host?.(text)) return { how: "clipboard", characters }
  const encoded = Math.ceil(Buffer.byteLength(text) / 3) * 4
  if (encoded <= longestSequence && ways.terminal(text)) return { how: "terminal", characters }
  return saved(text, ways.directory)
}

/** A file that only this user can read: what is copied may be a secret. */
async function saved(text: string, directory: string): Promise<Copied> {
  try {
    const path = join(await mkdtemp(join(directory, "cairn-copy-")), "copied.txt")
    await writeFile(path, text, { mode: 0o600, flag: "wx" })
    return { how: "file", path }
  } catch (error) {
    return { how: "nowhere", why: error instanceof Error ? error.message : String(error) }
  }
}

/** The toast. */
export function copiedText(copied: Copied): Safe {
  switch (copied.how) {
    case "clipboard":
      return ui`copied ${copied.characters} characters`
    case "terminal":
      return ui`${copied.characters} characters sent to the terminal (it cannot confirm)`
    case "file":
      return ui`clipboard not reachable: saved to ${sanitizeLine(copied.path)}`
    case "nowhere":
      return ui`not copied: no clipboard, and no file could be written (${sanitizeLine(copied.why)})`
  }
}

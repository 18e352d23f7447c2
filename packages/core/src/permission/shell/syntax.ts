import { digits, hole } from "../wildcard.ts"

export { digits, hole }

/** A node of a syntax tree, detached from the parser. Offsets are of UTF-16 units. */
export interface SyntaxNode {
  readonly type: string
  /** False for an operator or a keyword, whose type is its text. */
  readonly named: boolean
  readonly start: number
  readonly end: number
  readonly children: readonly SyntaxNode[]
}

export type Parsed =
  | { readonly ok: true; readonly root: SyntaxNode }
  /** Why there is no tree that can be trusted. */
  | { readonly ok: false; readonly reason: string }

/** Parses a text that holds no here-document. Never throws; a text that is not wholly understood has no tree. */
export type Parse = (text: string) => Parsed

/** Most characters of a line, levels of a tree and nodes of one. */
export const longestLine = 64 * 1024
export const deepestTree = 200
export const mostNodes = 20_000

export const hasHole = (text: string): boolean => text.includes(hole) || text.includes(digits)

/** A word as the program will get it, and as it stood in the line. */
export interface Word {
  readonly raw: string
  /** Unknown parts are holes; what the shell makes of patterns and a leading tilde is not put in. */
  readonly value: string
  /** Holds an unquoted `*`, `?` or `[`: it may become other words. */
  readonly glob: boolean
  /** Begins with an unquoted `~/`, or is `~`. */
  readonly tilde: boolean
  /** Nothing of it was quoted or replaced. */
  readonly plain: boolean
  /** Where it stands in the text; words that come of one place stand there together. */
  readonly from?: number
  /** It may become no word, or several. */
  readonly many?: boolean
  /** The paths it can only lie below, where that is known. */
  readonly stands?: readonly Word[]
  /** It stands for files below itself, by these patterns of their names; `*` meets a leading dot here. */
  readonly below?: readonly string[]
}

/** Every name, hidden ones too; and without those. */
export const everyName: readonly string[] = ["*"]
export const shownNames: readonly string[] = ["[!.]*"]

/** A word that is nothing but its text. */
export const wordOf = (text: string): Word => ({
  raw: text,
  value: text,
  glob: false,
  tilde: text === "~" || text.startsWith("~/"),
  plain: true,
})

export interface Redirect {
  readonly kind: "read" | "write"
  readonly target: Word
}

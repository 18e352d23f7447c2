import type { Find } from "./motion.ts"

export type Mode = "normal" | "insert" | "visual" | "visual-line"
export type Operator = "d" | "c" | "y" | ">" | "<"

/** What was cut or copied last. */
export interface Register {
  readonly text: string
  readonly linewise: boolean
}

/** Everything that Vim remembers between keys. Plain data. */
export interface VimState {
  readonly mode: Mode
  /** Digits before a command, and before its motion. */
  readonly count: string
  readonly operator?: { readonly key: Operator; readonly count: string }
  /** A key that needs another: `g`, `f`, `r`, `i`… */
  readonly pending?: string
  readonly find?: Find
  /** Where a visual selection began. */
  readonly anchor: number
  readonly register: Register
  /** Keys of the change that is being made, and of the last one, with what was typed in it. */
  readonly keys: readonly string[]
  readonly last?: { readonly keys: readonly string[]; readonly inserted: string }
  /** The text and the cursor when insert mode was entered, to know what was typed. */
  readonly entered?: { readonly text: string; readonly cursor: number; readonly keys: readonly string[] }
}

/** The text of the prompt and its cursor, in UTF-16 units. */
export interface Buffer {
  readonly text: string
  readonly cursor: number
}

export const initialVim: VimState = {
  mode: "insert",
  count: "",
  anchor: 0,
  register: { text: "", linewise: false },
  keys: [],
}

/** What a key did. */
export interface VimResult {
  readonly state: VimState
  readonly buffer: Buffer
  /** The key is not Vim's: the widget, or an outer layer, gets it. */
  readonly passed?: true
  readonly action?: "undo" | "redo"
  /** What was copied, for the clipboard. */
  readonly yanked?: string
}

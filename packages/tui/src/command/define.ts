import type { Layer } from "../input/keymap.ts"

/** What a command may look at to say whether it can run now. */
export interface Facts {
  readonly page: "home" | "session" | "review"
  /** A turn runs in the session on the screen. */
  readonly busy: boolean
  readonly promptEmpty: boolean
  /** The session has a message of the user that can be undone. */
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Asks and questions that wait for an answer, of all sessions. */
  readonly asks: number
  /** Prompts that wait for their turn. */
  readonly queued: number
  /** The session was started by another one. */
  readonly isChild: boolean
}

export const groups = ["Session", "Message", "Prompt", "Model", "View", "App", "Review"] as const

/**
 * One thing that the user can do. The palette, the list of slash commands, the keymap, the help, the strip behind the leader
 * key, docs/keys.md and the server's `/tui` routes are made from these objects and know no other command.
 */
export interface Command<Context> {
  /** `group.verb`, never changed once released: keybinds name it. */
  readonly id: string
  /** As in a menu, without a full stop. */
  readonly title: string
  /** One sentence for docs/keys.md: what happens. */
  readonly doc: string
  readonly group: (typeof groups)[number]
  /** Default keys as `keybinds` writes them. */
  readonly keys?: string
  /** Where the keys hold; everywhere by default. */
  readonly layer?: Layer
  /** Names behind a slash, the first is shown. */
  readonly slash?: readonly string[]
  /** What it is called in the original's `keybinds`. */
  readonly original?: string
  /** Not in the palette: it means something only where its key was pressed. */
  readonly hidden?: true
  readonly when?: (facts: Facts) => boolean
  run(context: Context): void | Promise<void>
}

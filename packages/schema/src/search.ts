import type { Message } from "./message.ts"
import type { SessionFilter } from "./session.ts"

/** What to look for in texts, reasoning and tool calls. Words that begin a word match; "quoted" ones as they stand. */
export interface SearchRequest {
  readonly query: string
  readonly scope: SessionFilter["scope"]
  /** Hits of one page: 20 when absent, at most 100. */
  readonly limit?: number
  /** From the page before. */
  readonly cursor?: string
}

/** Told between 0 and 1 while the search index is built; not called when there is little to build. */
export type SearchProgress = (done: number) => void

/** A short piece of a text around what was found. */
export interface Excerpt {
  /** One line, with an ellipsis where it was cut. */
  readonly text: string
  /** Where in `text` the words stand that were looked for: start and end, in order, without overlap. */
  readonly matches: readonly (readonly [start: number, end: number])[]
}

/** A part in which every word was found. */
export interface SearchHit {
  readonly sessionID: string
  readonly title: string
  readonly directory: string
  readonly messageID: string
  readonly partID: string
  readonly role: Message["role"]
  readonly type: "text" | "reasoning" | "tool"
  /** Name of the tool, for its calls. */
  readonly tool?: string
  /** The text is a summary of what was compacted. */
  readonly summary?: boolean
  /** The text is a note to the model, which neither the user nor the model wrote. */
  readonly synthetic?: boolean
  /** When the part began. */
  readonly time: number
  readonly excerpt: Excerpt
}

/** Best first. `cursor` is there when there is more. */
export interface SearchPage {
  readonly hits: readonly SearchHit[]
  readonly cursor?: string
}

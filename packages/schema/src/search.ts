import { z } from "zod"
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
export const Excerpt = z.object({
  /** One line, with an ellipsis where it was cut. */
  text: z.string(),
  /** Where in `text` the words stand that were looked for: start and end, in order, without overlap. */
  matches: z.array(z.tuple([z.number(), z.number()]).readonly()).readonly(),
})
export type Excerpt = Readonly<z.infer<typeof Excerpt>>

/** A part in which every word was found. */
export const SearchHit = z.object({
  sessionID: z.string(),
  title: z.string(),
  directory: z.string(),
  messageID: z.string(),
  partID: z.string(),
  role: z.enum(["user", "assistant"]),
  type: z.enum(["text", "reasoning", "tool"]),
  /** Name of the tool, for its calls. */
  tool: z.string().optional(),
  /** The text is a summary of what was compacted. */
  summary: z.boolean().optional(),
  /** The text is a note to the model, which neither the user nor the model wrote. */
  synthetic: z.boolean().optional(),
  /** When the part began. */
  time: z.number(),
  excerpt: Excerpt,
})
export type SearchHit = Readonly<z.infer<typeof SearchHit>>

/** Best first. `cursor` is there when there is more. */
export interface SearchPage {
  readonly hits: readonly SearchHit[]
  readonly cursor?: string
}

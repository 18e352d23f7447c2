import type { Result } from "@cairn/kernel/result"
import { z } from "zod"
import type { ToolFailure } from "./error.ts"

/** An entry of a directory. `path` is relative to the directory that was asked, `absolute` the whole one. */
export const FileNode = z.object({
  name: z.string(),
  path: z.string(),
  absolute: z.string(),
  type: z.enum(["file", "directory"]),
  /** Git would leave it out. */
  ignored: z.boolean(),
})
export type FileNode = z.infer<typeof FileNode>

/** What a file holds. A text is there as it is, anything else as base64. */
export const FileContent = z.object({
  type: z.enum(["text", "binary"]),
  content: z.string(),
  encoding: z.literal("base64").optional(),
  mimeType: z.string().optional(),
})
export type FileContent = z.infer<typeof FileContent>

const matched = z.object({ text: z.string() })

/** A line in which a pattern matches. Offsets are bytes: `absolute_offset` of the line in the file, the others in the line. */
export const TextMatch = z.object({
  path: matched,
  lines: matched,
  line_number: z.number().int().nonnegative(),
  absolute_offset: z.number().int().nonnegative(),
  submatches: z.array(
    z.object({ match: matched, start: z.number().int().nonnegative(), end: z.number().int().nonnegative() }),
  ),
})
export type TextMatch = z.infer<typeof TextMatch>

/** What to look for among the names of files. Results of one call: `limit`. */
export interface FindInput {
  readonly query: string
  readonly type?: "file" | "directory"
  readonly limit: number
}

/**
 * The directory for a person to look at. Paths follow the rules of the tools: what lies outside of the project, and what the
 * rules would ask about or deny (`.env`), is `outside` or `denied` here, since nobody is asked. Nothing is changed.
 */
export interface Files {
  /** Lines that match a regular expression, of files that may be read. */
  text(pattern: string, limit: number): Promise<Result<TextMatch[], ToolFailure>>
  /** Paths that fit the query, best first. Those of directories end with a slash. */
  find(input: FindInput): Promise<Result<string[], ToolFailure>>
  /** Directories first, then by name. */
  list(path: string): Promise<Result<FileNode[], ToolFailure>>
  read(path: string): Promise<Result<FileContent, ToolFailure>>
}

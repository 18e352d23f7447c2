import type { ToolFailure } from "@cairn/schema/error"

export interface EditInput {
  readonly oldString: string
  readonly newString: string
  readonly replaceAll?: boolean | undefined
}

/** How the old text was found, from strict to tolerant. */
export type Strategy =
  | "exact"
  | "line_ends"
  | "trailing_space"
  | "indentation"
  | "inner_whitespace"
  | "escapes"
  | "blank_boundary"

/** A half-open range of offsets in the old content. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface AppliedEdit {
  readonly content: string
  readonly strategy: Strategy
  /** What was replaced, in order. Everything outside is unchanged. */
  readonly spans: readonly Span[]
}

/** `brief` says the same without any text of the file, for those who may not read it. */
export interface MatchFailure extends ToolFailure {
  readonly brief: string
}

/** Takes a part of a line that stands in a literal, by its columns; `to` is exclusive. */
export type Note = (line: number, from: number, to: number) => void

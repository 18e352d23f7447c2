import type { ToolFailure } from "@cairn/schema/error"

/** One line of a chunk: unchanged, removed or added. */
export interface ChunkLine {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

/** A run of lines of an update, with the lines that lead to it. */
export interface Chunk {
  /** Texts after `@@`: lines of the file to go to first, one after the other. */
  readonly headers: readonly string[]
  readonly lines: readonly ChunkLine[]
  /** Stands at the end of the file. */
  readonly atEnd: boolean
  /** Line of the patch where it begins, from 1. */
  readonly at: number
}

export type PatchSection =
  | { readonly kind: "add"; readonly path: string; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly path: string; readonly at: number }
  | {
      readonly kind: "update"
      readonly path: string
      readonly at: number
      readonly moveTo?: string
      readonly chunks: readonly Chunk[]
    }

/** `brief` says the same without any text of the file, for those who may not read it. */
export interface PatchFailure extends ToolFailure {
  readonly brief: string
}

import type { Word } from "./syntax.ts"

/** A word that a command takes for a path, or the part of it that is one. */
export interface PathWord {
  readonly word: Word
  readonly text: string
}

export interface WriteWord extends PathWord {
  /** What lies below it changes too. */
  readonly deep?: boolean
  /** It is taken away, or changed with all that it holds. */
  readonly whole?: boolean
  /** What is put there; into it, under its own name, when it is a directory. */
  readonly from?: readonly PathWord[]
  /** It is taken for a directory whatever stands there. */
  readonly into?: boolean
}

/** What the words of a command are to it. */
export interface Roles {
  readonly writes: readonly WriteWord[]
  readonly reads: readonly PathWord[]
  /** A link that will stand at each of `names`. */
  readonly links?: readonly { readonly target: PathWord; readonly write: WriteWord }[]
  /** Directories it works in, for `git -C`. */
  readonly inside?: readonly PathWord[]
  /** Of a directory among `reads`, all that lies below it. */
  readonly deep?: boolean
  /** Some of `reads` may be names of other things. */
  readonly unsure?: boolean
  /** Nothing is known of it: each word may be read or changed. */
  readonly unknown?: boolean
}

/** Which of the files that git does not know, or ignores: all, those in known directories only, or those that a named tree has. */
export type Unkept = "all" | "upper" | "in_trees"

/** What a command could destroy, as far as it shows in its words. Nothing was looked up. */
export type Threat = {
  /** The command, as it stands in its line. */
  readonly command: string
  /** An absolute directory; it need not exist. */
  readonly cwd: string
} & (
  | {
      /** Everything at these paths (absolute) and below them. */
      readonly kind: "paths"
      readonly paths: readonly string[]
      /** Which of them shows only when it runs. */
      readonly vague?: boolean
    }
  | {
      /** Files of the repository around `cwd`, by what git says of them. */
      readonly kind: "git"
      /** Only what these of git's own patterns stand for; all when there is none. */
      readonly only: readonly string[]
      /** Tracked files that differ from the last commit. */
      readonly changed: boolean
      readonly untracked?: Unkept
      readonly ignored?: Unkept
      /** What `in_trees` speaks of; words among them may be something else. */
      readonly trees?: readonly string[]
      /** Repositories inside of it too. */
      readonly nested?: boolean
    }
  | {
      /** A name of git, and the words with which what it means now is brought back. */
      readonly kind: "ref"
      readonly ref: string
      readonly shown: string
      readonly bringBack: (commit: string) => string
    }
)

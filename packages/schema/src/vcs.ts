import type { Result } from "@cairn/kernel/result"
import { z } from "zod"
import type { ToolFailure } from "./error.ts"

const status = z.enum(["added", "deleted", "modified"])

export const VcsInfo = z.object({ branch: z.string().optional(), default_branch: z.string().optional() })
export type VcsInfo = z.infer<typeof VcsInfo>

/** How a file of the working tree differs, in lines. */
export const VcsFileStatus = z.object({ file: z.string(), additions: z.number(), deletions: z.number(), status })
export type VcsFileStatus = z.infer<typeof VcsFileStatus>

/** The same with a unified patch; a binary or very large file has none. */
export const VcsFileDiff = VcsFileStatus.extend({ patch: z.string().optional() })
export type VcsFileDiff = z.infer<typeof VcsFileDiff>

/** `git`: since the last commit. `branch`: since the branch left the default one. */
export type VcsMode = "git" | "branch"

/** What git says of the working tree. Outside of a repository everything is empty. Nothing is changed, and no program of the repository runs. */
export interface Vcs {
  info(): Promise<VcsInfo>
  /** Paths below the root of the working tree, sorted. */
  status(): Promise<Result<VcsFileStatus[], ToolFailure>>
  /** `context`: unchanged lines around a change, 3 when it is not given. */
  diff(mode: VcsMode, context?: number): Promise<Result<VcsFileDiff[], ToolFailure>>
}

import { z } from "zod"

/**
 * A body of work that sessions belong to. `id` is the smallest root commit, or a hash of a path where there is none;
 * `aliases` are the ids it had before it had a root commit.
 */
export const Project = z.object({
  id: z.string(),
  worktree: z.string(),
  vcs: z.literal("git").optional(),
  /** Real path of git's common directory: how a known project is found without asking git. */
  commonDir: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  time: z.object({ created: z.number().int(), updated: z.number().int() }),
})
export type Project = z.infer<typeof Project>

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
  /** What a person calls it, and how it is shown. */
  name: z.string().optional(),
  icon: z
    .object({ url: z.string().optional(), override: z.string().optional(), color: z.string().optional() })
    .optional(),
  commands: z.object({ start: z.string().optional() }).optional(),
  time: z.object({ created: z.number().int(), updated: z.number().int() }),
})
export type Project = z.infer<typeof Project>

/** What a person may change of a project. */
export const ProjectChange = Project.pick({ name: true, icon: true, commands: true })
export type ProjectChange = z.infer<typeof ProjectChange>

/** A project as the routes give it: with the directories of its other working trees. */
export const ProjectInfo = Project.extend({ sandboxes: z.array(z.string()) })
export type ProjectInfo = z.infer<typeof ProjectInfo>

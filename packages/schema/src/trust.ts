import { z } from "zod"

/** One thing that a project's files would run, send or loosen if they were trusted. */
export const TrustItem = z.object({
  /** The same as long as it stands in the same place. */
  id: z.string(),
  /** `file:line:column`, or a file, below the worktree. */
  where: z.string(),
  /** The key of the config; empty for a file. */
  key: z.string(),
  /** The value, secrets replaced and cut; empty for a file. */
  text: z.string(),
  hash: z.string(),
})
export type TrustItem = z.infer<typeof TrustItem>

/** What is not as it was trusted; `was` is missing when it is new. */
export const TrustChange = z.object({ item: TrustItem, was: z.string().optional() })
export type TrustChange = z.infer<typeof TrustChange>

/** How far a directory is trusted: for this run (`flag`), by the user's config, or as it was when the user said so. */
export const Trust = z.object({
  directory: z.string(),
  trusted: z.boolean(),
  by: z.enum(["flag", "config", "remembered"]).optional(),
  /** All that needs trust. */
  surface: z.array(TrustItem),
  /** What of it the user has not seen; all of it when the directory was never trusted. */
  changes: z.array(TrustChange),
  /** The directory was trusted, and has changed since. */
  changed: z.boolean(),
})
export type Trust = z.infer<typeof Trust>

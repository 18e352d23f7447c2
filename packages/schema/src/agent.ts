import { z } from "zod"
import { PermissionRuleset } from "./permission.ts"

/** An agent as lists show it. Hidden ones work in the background and cannot be chosen. */
export const Agent = z.object({
  name: z.string(),
  description: z.string().optional(),
  mode: z.enum(["subagent", "primary", "all"]),
  native: z.boolean().optional(),
  hidden: z.boolean().optional(),
  topP: z.number().optional(),
  temperature: z.number().optional(),
  color: z.string().optional(),
  permission: PermissionRuleset,
  model: z.object({ modelID: z.string(), providerID: z.string() }).optional(),
  variant: z.string().optional(),
  prompt: z.string().optional(),
  options: z.record(z.string(), z.unknown()),
  steps: z.number().optional(),
})
export type Agent = z.infer<typeof Agent>

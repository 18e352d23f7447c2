import { z } from "zod"

/** A prompt with a name. `template` has places for arguments, which `hints` names. */
export const Command = z.object({
  name: z.string(),
  description: z.string().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  source: z.enum(["command", "mcp", "skill"]).optional(),
  template: z.string(),
  subtask: z.boolean().optional(),
  hints: z.array(z.string()),
})
export type Command = z.infer<typeof Command>

import { z } from "zod"
import { PermissionConfig } from "./config-permission.ts"

const positive = z.number().int().positive()

/** `agent.<name>`. Keys that are not listed are options of the agent's model calls. */
export const AgentConfig = z
  .object({
    model: z.string().optional(),
    /** Ours: models that take over when the agent's own fails for good. */
    model_fallback: z.array(z.string()).optional(),
    variant: z.string().optional(),
    temperature: z.number().optional(),
    top_p: z.number().optional(),
    prompt: z.string().optional(),
    /** Deprecated by `permission`: `false` denies a tool, `true` allows it. */
    tools: z.record(z.string(), z.boolean()).optional(),
    disable: z.boolean().optional(),
    description: z.string().optional(),
    mode: z.enum(["subagent", "primary", "all"]).optional(),
    hidden: z.boolean().optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    color: z
      .union([
        z.enum(["primary", "secondary", "accent", "success", "warning", "error", "info"]),
        z.string().regex(/^#[0-9a-fA-F]{6}$/, "must be a colour such as #FF5733 or a theme colour"),
      ])
      .optional(),
    steps: positive.optional(),
    /** Deprecated by `steps`. */
    maxSteps: positive.optional(),
    permission: PermissionConfig.optional(),
  })
  .loose()
export type AgentConfig = z.infer<typeof AgentConfig>

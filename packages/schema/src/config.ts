import { z } from "zod"
import { AgentConfig } from "./config-agent.ts"
import { FormatterConfig, LspConfig, McpConfig, ReferenceConfig } from "./config-integration.ts"
import { PermissionConfig } from "./config-permission.ts"
import { ProviderConfig } from "./config-provider.ts"

const strings = z.array(z.string())
const positive = z.number().int().positive()
const count = z.number().int().nonnegative()

const CommandConfig = z.object({
  template: z.string(),
  description: z.string().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  variant: z.string().optional(),
  subtask: z.boolean().optional(),
})

/** A limit in money (dollars), in tokens, or in both. */
const BudgetLimit = z.object({ money: z.number().nonnegative().optional(), tokens: count.optional() })

/** The original's keys, each with its meaning there. */
const shared = {
  $schema: z.string().optional(),
  shell: z.string().optional(),
  logLevel: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]).optional(),
  server: z
    .object({
      port: z.number().int().min(1).max(65_535).optional(),
      hostname: z.string().optional(),
      mdns: z.boolean().optional(),
      mdnsDomain: z.string().optional(),
      cors: strings.optional(),
    })
    .optional(),
  command: z.record(z.string(), CommandConfig).optional(),
  skills: z.object({ paths: strings.optional(), urls: strings.optional() }).optional(),
  references: z.record(z.string(), ReferenceConfig).optional(),
  reference: z.record(z.string(), ReferenceConfig).optional(),
  watcher: z.object({ ignore: strings.optional() }).optional(),
  snapshot: z.boolean().optional(),
  plugin: z.array(z.union([z.string(), z.tuple([z.string(), z.record(z.string(), z.unknown())])])).optional(),
  share: z.enum(["manual", "auto", "disabled"]).optional(),
  autoshare: z.boolean().optional(),
  autoupdate: z.union([z.boolean(), z.literal("notify")]).optional(),
  disabled_providers: strings.optional(),
  enabled_providers: strings.optional(),
  model: z.string().optional(),
  small_model: z.string().optional(),
  default_agent: z.string().optional(),
  subagent_depth: count.optional(),
  username: z.string().optional(),
  mode: z.record(z.string(), AgentConfig).optional(),
  agent: z.record(z.string(), AgentConfig).optional(),
  provider: z.record(z.string(), ProviderConfig).optional(),
  mcp: z.record(z.string(), McpConfig).optional(),
  formatter: FormatterConfig.optional(),
  lsp: LspConfig.optional(),
  instructions: strings.optional(),
  layout: z.enum(["auto", "stretch"]).optional(),
  permission: PermissionConfig.optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  attachment: z
    .object({
      image: z
        .object({
          auto_resize: z.boolean().optional(),
          max_width: positive.optional(),
          max_height: positive.optional(),
          max_base64_bytes: positive.optional(),
        })
        .optional(),
    })
    .optional(),
  enterprise: z.object({ url: z.string().optional() }).optional(),
  tool_output: z.object({ max_lines: positive.optional(), max_bytes: positive.optional() }).optional(),
  compaction: z
    .object({
      auto: z.boolean().optional(),
      prune: z.boolean().optional(),
      tail_turns: count.optional(),
      preserve_recent_tokens: count.optional(),
      reserved: count.optional(),
    })
    .optional(),
  experimental: z
    .object({
      disable_paste_summary: z.boolean().optional(),
      batch_tool: z.boolean().optional(),
      openTelemetry: z.boolean().optional(),
      primary_tools: strings.optional(),
      continue_loop_on_deny: z.boolean().optional(),
      mcp_timeout: positive.optional(),
      policies: z
        .array(z.object({ action: z.literal("provider.use"), effect: z.enum(["allow", "deny"]), resource: z.string() }))
        .optional(),
    })
    .optional(),
}

/** What one config file may say. Every key is optional; what a file does not know is a warning, not an error. */
export const Config = z.object({
  ...shared,
  /** Ours: models that take over, in order, when the first fails for good. */
  model_fallback: strings.optional(),
  /** Ours: stops before the next model call once a limit is reached. */
  budget: z
    .object({ run: BudgetLimit.optional(), session: BudgetLimit.optional(), day: BudgetLimit.optional() })
    .optional(),
  /** Ours: a session's title from the prompt's first line, or from the `title` agent. */
  title: z.enum(["line", "model"]).optional(),
  /** Ours, user's file only: directories whose project files may define what runs. */
  trust: strings.optional(),
  /** Ours: what children of the engine can reach. `env` names variables that pass through. */
  sandbox: z
    .object({
      enabled: z.boolean().optional(),
      network: z.union([z.boolean(), z.enum(["allow", "deny"])]).optional(),
      env: strings.optional(),
    })
    .optional(),
})
export type Config = z.infer<typeof Config>

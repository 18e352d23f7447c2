import { z } from "zod"

const strings = z.array(z.string())
const texts = z.record(z.string(), z.string())

export const McpLocalConfig = z.object({
  type: z.literal("local"),
  command: strings,
  cwd: z.string().optional(),
  environment: texts.optional(),
  enabled: z.boolean().optional(),
  timeout: z.number().int().positive().optional(),
})
export const McpOAuthConfig = z.object({
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  scope: z.string().optional(),
  callbackPort: z.number().int().min(1).max(65_535).optional(),
  redirectUri: z.string().optional(),
})
export const McpRemoteConfig = z.object({
  type: z.literal("remote"),
  url: z.string(),
  enabled: z.boolean().optional(),
  headers: texts.optional(),
  oauth: z.union([McpOAuthConfig, z.literal(false)]).optional(),
  timeout: z.number().int().positive().optional(),
})

/** `mcp.<name>`: a server, or `{enabled}` to switch one that another file defines. */
export const McpConfig = z.union([
  z.discriminatedUnion("type", [McpLocalConfig, McpRemoteConfig]),
  z.object({ enabled: z.boolean() }),
])

export const FormatterConfig = z.union([
  z.boolean(),
  z.record(
    z.string(),
    z.object({
      disabled: z.boolean().optional(),
      command: strings.optional(),
      environment: texts.optional(),
      extensions: strings.optional(),
    }),
  ),
])

export const LspConfig = z.union([
  z.boolean(),
  z.record(
    z.string(),
    z.union([
      z.object({
        command: strings,
        extensions: strings.optional(),
        disabled: z.boolean().optional(),
        env: texts.optional(),
        initialization: z.record(z.string(), z.unknown()).optional(),
      }),
      z.object({ disabled: z.literal(true) }),
    ]),
  ),
])

/** `references.<alias>`: a path, or where to get one. */
export const ReferenceConfig = z.union([
  z.string(),
  z.object({
    repository: z.string(),
    branch: z.string().optional(),
    description: z.string().optional(),
    hidden: z.boolean().optional(),
  }),
  z.object({ path: z.string(), description: z.string().optional(), hidden: z.boolean().optional() }),
])

import { z } from "zod"
import { PermissionAction } from "./permission.ts"

/** One key of `permission`: an action, or `{pattern: action}` where the last match wins. */
export const PermissionRuleConfig = z.union([PermissionAction, z.record(z.string(), PermissionAction)])

/** `permission` as it is written in a file. The order of keys is part of the meaning, which objects do not keep: read it with core's `config/parse`. */
export const PermissionConfig = z.union([
  PermissionAction,
  z
    .object({
      read: PermissionRuleConfig.optional(),
      edit: PermissionRuleConfig.optional(),
      glob: PermissionRuleConfig.optional(),
      grep: PermissionRuleConfig.optional(),
      list: PermissionRuleConfig.optional(),
      bash: PermissionRuleConfig.optional(),
      task: PermissionRuleConfig.optional(),
      external_directory: PermissionRuleConfig.optional(),
      todowrite: PermissionRuleConfig.optional(),
      question: PermissionRuleConfig.optional(),
      webfetch: PermissionRuleConfig.optional(),
      websearch: PermissionRuleConfig.optional(),
      lsp: PermissionRuleConfig.optional(),
      doom_loop: PermissionRuleConfig.optional(),
      skill: PermissionRuleConfig.optional(),
    })
    .catchall(PermissionRuleConfig),
])
export type PermissionConfig = z.infer<typeof PermissionConfig>

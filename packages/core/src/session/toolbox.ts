import type { JSONSchema7 } from "@ai-sdk/provider"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { ModelTool } from "../model/call.ts"
import { type RuleStack, disabled } from "../permission/rule.ts"
import type { Tool } from "../tool/define.ts"
import { findTool, unknownToolMessage } from "../tool/invalid/invalid.ts"
import { parseArguments, toolSchema } from "../tool/registry.ts"

/** The tools of one agent: what is offered to the model, and what a call's name and arguments mean. */
export interface Toolbox {
  readonly specs: readonly ModelTool[]
  find(name: string): { tool: Tool } | { unknown: string }
  parse(tool: Tool, raw: string): Result<Record<string, unknown>, ToolFailure>
}

/** Leaves out what the rules deny altogether. */
export function createToolbox(tools: readonly Tool[], rules: RuleStack): Toolbox {
  const names = tools.map((tool) => tool.name)
  const denied = disabled(names, ...rules)
  const offered = tools.filter((tool) => !denied.has(tool.name))
  const specs = offered.map((tool) => {
    const { name, description, parameters } = toolSchema(tool)
    return { name, description, inputSchema: parameters as JSONSchema7 }
  })
  return {
    specs,
    find(name) {
      const tool = findTool(name, offered)
      return tool
        ? { tool }
        : {
            unknown: unknownToolMessage(
              name,
              offered.map((each) => each.name),
            ),
          }
    },
    parse: parseArguments,
  }
}

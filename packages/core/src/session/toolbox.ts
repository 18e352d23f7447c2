import type { JSONSchema7 } from "@ai-sdk/provider"
import { err, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import type { ModelTool } from "../model/call.ts"
import type { EditFormat } from "../model/edit-format.ts"
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

const otherFormat: Record<EditFormat, ReadonlySet<string>> = {
  patch: new Set(["edit", "write"]),
  edit: new Set(["apply_patch"]),
}

export interface ToolboxOptions {
  readonly format: EditFormat
  /** Somebody is there to answer. */
  readonly attending: boolean
  /** The model has little room: each tool is described in a sentence, and what only keeps the books is not offered. */
  readonly small: boolean
  /** Takes the result of the turn, where it must have a form. No rule takes it away. */
  readonly result?: Tool | undefined
}

/** Found when they are called, but not worth their place in a small prompt. */
const bookkeeping: ReadonlySet<string> = new Set(["todowrite", "todoread"])

/**
 * What the rules deny altogether does not exist for the agent. Of the rest each model is offered the way of editing that
 * it was trained on; the other one is found when it is called all the same. So are tools that are not offered, and those
 * that need somebody to answer where nobody is attending: they say so.
 */
export function createToolbox(
  tools: readonly Tool[],
  rules: RuleStack,
  { format, attending, small, result }: ToolboxOptions,
): Toolbox {
  const denied = disabled(
    tools.map((tool) => tool.name),
    ...rules,
  )
  const permitted = tools.filter((tool) => !denied.has(tool.name)).map((tool) => (attending ? tool : alone(tool)))
  const allowed = result ? [...permitted, result] : permitted
  const hidden = (name: string) => otherFormat[format].has(name) || (small && bookkeeping.has(name))
  const offered = allowed.filter((tool) => tool.offered !== false && !hidden(tool.name))
  const specs = offered.map((tool) => {
    const { name, description, parameters } = toolSchema(tool, small)
    return { name, description, inputSchema: parameters as JSONSchema7 }
  })
  const names = specs.map((spec) => spec.name)
  return {
    specs,
    find(name) {
      const tool = findTool(name, allowed)
      return tool ? { tool } : { unknown: unknownToolMessage(name, names) }
    },
    parse: parseArguments,
  }
}

const nobody: ToolFailure = {
  kind: "denied",
  message:
    "Nobody is here to answer. Decide yourself what is most likely meant, and say in your answer what you assumed.",
}

/** A tool as it is in a run that nobody attends. */
const alone = (tool: Tool): Tool =>
  tool.attended === true ? { ...tool, offered: false, execute: () => Promise.resolve(err(nobody)) } : tool

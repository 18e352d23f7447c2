import { err } from "@cairn/kernel/result"
import { z } from "zod"
import { defineTool } from "../define.ts"
import type { Tool } from "../define.ts"
import { nearNames, slippedName } from "../near-names.ts"
import description from "./invalid.md" with { type: "text" }

const parameters = z.object({ tool: z.string(), error: z.string() })
const longestName = 100

/** Stands in the history for a call that could not be made. Never offered to the model; running it says what was wrong. */
export function createInvalidTool(): Tool<typeof parameters> {
  return defineTool({
    name: "invalid",
    description,
    parameters,
    execute: ({ tool, error }) =>
      Promise.resolve(err({ kind: "unknown_tool", message: `The call of ${cut(tool)} could not be made: ${error}` })),
  })
}

/** The tool of this name, or the only one whose name is the same but for case and separators, or but for one slip. */
export function findTool<T extends { readonly name: string }>(name: string, tools: readonly T[]): T | undefined {
  const exact = tools.find((tool) => tool.name === name)
  if (exact) return exact
  const wanted = unwrapped(name)
  const bare = bareName(wanted)
  const alike = tools.filter((tool) => bareName(tool.name) === bare)
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined
  const slipped = slippedName(
    wanted,
    tools.map((tool) => tool.name),
  )
  return tools.find((tool) => tool.name === slipped)
}

/** What the model is told that calls a tool that does not exist. */
export function unknownToolMessage(name: string, available: readonly string[]): string {
  const near = nearNames(name.slice(0, longestName), available, 2)
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`
  return `There is no tool named ${JSON.stringify(cut(name))}.${hint} Available: ${available.join(", ")}.`
}

/** Models wrap names: `functions.read`, `default_api:bash`, `read()`, and servers leave tokens: `read<|channel|>json`. */
function unwrapped(name: string): string {
  return name
    .slice(0, 200)
    .replace(/<\|.*$/s, "")
    .replace(/\(\)\s*$/, "")
    .trim()
    .replace(/^(functions?|tools?|default_api)[.:/]/i, "")
}

function bareName(name: string): string {
  return name.replace(/[-_.\s]/g, "").toLowerCase()
}

function cut(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name
}

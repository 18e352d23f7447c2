import type { Agent } from "../agent/define.ts"
import base from "./base.md" with { type: "text" }
import type { Instruction } from "./instructions.ts"
import { bounded } from "./reminder.ts"

export interface SystemInput {
  readonly agent: Pick<Agent, "prompt">
  readonly directory: string
  readonly worktree: string
  /** `linux`, `darwin`, `win32`. */
  readonly platform: string
  readonly git: boolean
  /** As `findInstructions` gives them. */
  readonly instructions: readonly Instruction[]
}

/** Most characters of all instruction files together. */
const mostInstructions = 128 * 1024
const longestAgentPrompt = 64 * 1024

/**
 * The system prompt in two blocks: what is the same for everybody, then agent, environment and instructions. The same
 * input gives the same bytes. What changes by itself (the date, what git says) is not in it.
 */
export function systemPrompt(input: SystemInput): readonly [string, string] {
  const blocks = [agentBlock(input.agent), environmentBlock(input), ...instructionBlocks(input)]
  return [base.trim(), blocks.filter((block) => block !== "").join("\n\n")]
}

function agentBlock(agent: SystemInput["agent"]): string {
  return agent.prompt === undefined ? "" : bounded(agent.prompt.trim(), longestAgentPrompt)
}

function environmentBlock({ directory, worktree, platform, git }: SystemInput): string {
  return [
    "<environment>",
    `Working directory: ${oneLine(directory)}`,
    ...(worktree === directory ? [] : [`Project root: ${oneLine(worktree)}`]),
    `Git repository: ${git ? "yes" : "no"}`,
    `Platform: ${oneLine(platform)}`,
    "</environment>",
  ].join("\n")
}

function instructionBlocks({ instructions }: SystemInput): string[] {
  let left = mostInstructions
  return instructions.map(({ path, text, from }) => {
    const body = left > 0 ? bounded(text, left) : "[left out: the files of instructions are too long together]"
    left -= text.length
    const tag = from === "project" ? "project-instructions" : "user-instructions"
    const note =
      from === "project"
        ? "Notes that come with the project. Follow them where they say how to work on it; the user's words stand above them."
        : "The user's own instructions, for every project."
    return `<${tag} path=${JSON.stringify(path)}>\n${note}\n\n${closed(body, tag)}\n</${tag}>`
  })
}

/** The text cannot end its own block. */
const closed = (text: string, tag: string) => text.replaceAll(`</${tag}`, `< /${tag}`)
const oneLine = (text: string) => text.replaceAll(/[\0-\x1f\x7f]/g, "?")

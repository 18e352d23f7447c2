import type { Agent } from "../agent/define.ts"
import { findInstructions, type InstructionPlaces } from "../prompt/instructions.ts"
import { systemPrompt } from "../prompt/system.ts"
import type { Location } from "../workspace/project.ts"

interface Deps {
  readonly location: Location
  readonly places: Omit<InstructionPlaces, "directory" | "worktree">
  readonly platform: string
}

/** Sessions whose prompts are kept; beyond that the oldest are read again when they go on. */
const kept = 100

/**
 * The system prompt of a session and agent. Instruction files are read when it is first needed and hold as long as the
 * process lives: a prompt that changes under a session would change everything after it.
 */
export function createSystemPrompts({
  location,
  places,
  platform,
}: Deps): (sessionID: string, agent: Agent) => Promise<readonly string[]> {
  const { directory, worktree, commonDir } = location
  const made = new Map<string, readonly string[]>()
  return async (sessionID, agent) => {
    const key = `${sessionID} ${agent.name}`
    const known = made.get(key)
    if (known) return known
    const instructions = await findInstructions({ ...places, directory, worktree })
    const blocks = systemPrompt({ agent, directory, worktree, platform, git: commonDir !== undefined, instructions })
    if (made.size >= kept) made.delete(made.keys().next().value ?? "")
    made.set(key, blocks)
    return blocks
  }
}

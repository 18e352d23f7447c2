import { TaskGroup } from "@cairn/kernel/task"
import { PermissionConfig } from "@cairn/schema/config-permission"
import { z } from "zod"
import { createAgents } from "../agent/agents.ts"
import { planFacts } from "../permission/command.ts"
import { createReadLine } from "../permission/read-line.ts"
import { planVerdict } from "../permission/command-verdict.ts"
import { realPathSync } from "../permission/real-path.ts"
import { defineProbe, failed } from "./define.ts"
import { mostSteps, tooLarge } from "./limit.ts"
import { permissionOf } from "./rule.ts"

const readLine = createReadLine()

/**
 * What the bash tool finds in a command line before it asks, and what the user's rules, over the defaults and those of
 * the agent, make of it. Nothing is executed; `cwd` is taken for the worktree too. `opaque`: why the line is not known.
 */
export const shellProbe = defineProbe({
  request: z.object({
    command: z.string(),
    cwd: z.string(),
    home: z.string(),
    permission: PermissionConfig.optional(),
    agent: z.string().optional(),
    shell: z.enum(["bash", "sh", "zsh", "powershell", "cmd"]).optional(),
  }),
  async answer({ command, cwd, home, agent: name = "build", shell = "bash" }, { line }) {
    const permission = permissionOf(line)
    if (!permission.ok) return { error: permission.error }
    const layers = [{ source: "request", layer: "user" as const, permission: permission.value, agents: {} }]
    const agent = createAgents({ config: {}, layers, trusted: false, home }).get(name)
    if (!agent.ok) return failed({ kind: "bad_request", message: agent.error.message })
    if (permission.value.reduce((sum, rule) => sum + rule.pattern.length, 0) * command.length > mostSteps / 1000)
      return tooLarge("permission")
    await using group = new TaskGroup()
    const here = realPathSync(cwd) ?? cwd
    const context = { cwd: here, worktree: here, home }
    const plan = planFacts(await readLine(shell, command, context, group.signal), command, context)
    const { invocations, reads, writes, opaque } = plan.facts
    return {
      verdict: planVerdict(plan.asks, agent.value.rules, here),
      invocations: invocations.map(({ text, argv, executable, dynamic }) => ({ text, argv, executable, dynamic })),
      reads,
      writes,
      outside: plan.outside,
      ...(opaque !== undefined && { opaque }),
    }
  },
})

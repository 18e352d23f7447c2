import type { Clock } from "@cairn/kernel/clock"
import type { KeyedLock } from "@cairn/kernel/lock"
import type { Log } from "@cairn/kernel/log"
import type { Todo } from "@cairn/schema/todo"
import type { Instructions } from "./instruction/instructions.ts"
import { decide, type RuleStack, subjectOf } from "./permission/rule.ts"
import { ripgrepPath } from "./process/ripgrep.ts"
import type { SandboxState } from "./process/sandbox/sandbox.ts"
import { findShell } from "./process/shell.ts"
import type { Supervisor } from "./process/supervisor.ts"
import { createApplyPatchTool } from "./tool/apply-patch/apply-patch.ts"
import { type BashOptions, createBashTool } from "./tool/bash/bash.ts"
import type { ConfineDeps } from "./tool/bash/confine.ts"
import type { Tool, ToolContext } from "./tool/define.ts"
import { createEditTool } from "./tool/edit/edit.ts"
import { createGlobTool } from "./tool/glob/glob.ts"
import { createGrepTool } from "./tool/grep/grep.ts"
import { createListTool } from "./tool/list/list.ts"
import type { Output } from "./tool/output.ts"
import { createQuestionTool, type QuestionDeps } from "./tool/question/question.ts"
import { createReadTool } from "./tool/read/read.ts"
import { createTools } from "./tool/registry.ts"
import { createTodoreadTool } from "./tool/todoread/todoread.ts"
import { createTodowriteTool } from "./tool/todowrite/todowrite.ts"
import { createWriteTool } from "./tool/write/write.ts"
import type { WriteOperations } from "./workspace/atomic-write.ts"
import type { CommandJournal } from "./workspace/history/command-journal.ts"
import type { Journal } from "./workspace/history/journal.ts"
import { userPlaces } from "./workspace/protection.ts"
import { createSearch } from "./workspace/search.ts"
import type { Seen } from "./workspace/seen.ts"

interface ToolDeps {
  readonly clock: Clock
  readonly supervisor: Supervisor
  readonly output: Output
  readonly seen: Seen
  readonly journal: Journal
  /** What commands change in files. */
  readonly commands: CommandJournal
  /** Of files that are written, by real path; whoever else writes files of the user takes the same. */
  readonly locks: KeyedLock
  readonly operations: WriteOperations
  readonly instructions: Pick<Instructions, "below">
  /** What decides in a session of an agent. Without any rules everything asks. */
  rulesOf(sessionID: string, agent: string): RuleStack
  /** May it only look there? Also when an agent of a session above may. */
  isReadOnly(sessionID: string, agent: string): boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly worktree: string
  readonly cacheDir: string
  /** What cannot be read of a command line follows the rules, as the user said; else it is asked for. */
  readonly unbounded: boolean
  /** What bounds commands; looked for at the first one. */
  readonly sandbox: (signal: AbortSignal) => Promise<SandboxState>
  readonly confining: Pick<ConfineDeps, "gitDir" | "commonDir" | "network" | "paths" | "git" | "log" | "passed">
  readonly log: Log
  saveTodos(sessionID: string, todos: readonly Todo[]): void
  todos(sessionID: string): readonly Todo[]
  readonly askQuestions: QuestionDeps["ask"]
  /** Tools that the config names with an allow: those among them that are usually not offered are. */
  readonly wanted: ReadonlySet<string>
  /** The shell of the config. */
  readonly shell: string | undefined
}

/** Builds every tool of the engine, each with the few operations that it needs. */
export function buildTools(deps: ToolDeps): readonly Tool[] {
  const { supervisor, output, seen, worktree, home } = deps
  const places = userPlaces(deps.env, home)
  let found: string | undefined
  const shell = () => (found ??= findShell(supervisor.env, deps.shell))
  /** What reads command lines, loaded when the first one comes. */
  let planning: Promise<BashOptions["plan"]> | undefined
  const search = createSearch({ supervisor, ripgrep: () => ripgrepPath(supervisor.env, deps) })
  const writer = { seen, places, locks: deps.locks, operations: deps.operations, journal: deps.journal }
  const readable = ({ sessionID, agent }: Pick<ToolContext, "sessionID" | "agent">) => {
    const rules = deps.rulesOf(sessionID, agent)
    return (path: string) => decide(rules, "read", subjectOf("read", path, worktree)).action === "allow"
  }
  const whenWanted = (tool: Tool): Tool => ({ ...tool, offered: deps.wanted.has(tool.name) })
  return createTools([
    createBashTool({
      supervisor,
      output,
      shell,
      plan: async (...line) => {
        planning ??= import("./tool/bash/plan-line.ts").then(({ createPlanLine }) =>
          createPlanLine({
            ...{ ...deps.confining, home, worktree, places, shell: shell(), env: supervisor.env },
            ...{ commands: deps.commands, unbounded: deps.unbounded },
            isReadOnly: deps.isReadOnly,
            sandbox: deps.sandbox,
          }),
        )
        return await (
          await planning
        )(...line)
      },
      journal: deps.commands,
    }),
    createReadTool({
      seen,
      accepts: (mime, context) => context.accepts?.(mime) ?? false,
      instructions: (read, context) => deps.instructions.below(context.sessionID, read, readable(context)),
    }),
    createWriteTool(writer),
    createEditTool(writer),
    createApplyPatchTool(writer),
    createGlobTool({ search, output }),
    createGrepTool({ search, output, readable }),
    createTodowriteTool({ saveTodos: deps.saveTodos }),
    createQuestionTool({ ask: deps.askQuestions }),
    whenWanted(createListTool({ search, output })),
    whenWanted(createTodoreadTool({ todos: deps.todos })),
  ])
}

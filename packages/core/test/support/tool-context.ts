import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { KeyedLock } from "@cairn/kernel/lock"
import { ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { FileChange } from "@cairn/schema/history"
import type { WriterDeps } from "../../src/tool/change-file.ts"
import type { Approval, Ask, Tool, ToolContext, ToolOutput } from "../../src/tool/define.ts"
import { createWriteOperations } from "../../src/workspace/atomic-write.ts"
import { createBlobStore } from "../../src/workspace/history/blob-store.ts"
import { createJournal } from "../../src/workspace/history/journal.ts"
import { createSeen } from "../../src/workspace/seen.ts"

/** A worktree on disk with everything a file tool needs, and every ask that was made. Removed when disposed. */
export interface ToolBench extends AsyncDisposable {
  /** Real path of a temporary directory; the worktree is `proj` in it. */
  readonly root: string
  readonly worktree: string
  readonly deps: WriterDeps
  readonly context: ToolContext
  readonly asks: Ask[]
  /** What was appended to the journal, in order. */
  readonly recorded: { readonly callID: string; readonly changes: readonly FileChange[] }[]
  /** Answers the next asks; by default everything is allowed. */
  answer: (ask: Ask) => Promise<Result<Approval, ToolFailure>> | Result<Approval, ToolFailure>
}

export async function createToolBench(signal: AbortSignal = new TaskGroup().signal): Promise<ToolBench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cairn-tool-")))
  const worktree = `${root}/proj`
  await mkdir(worktree)
  const asks: Ask[] = []
  const home = `${root}/home`
  const places = { home: [home], config: [`${home}/.config`], data: [`${home}/.data`], state: [`${home}/.state`] }
  let count = 0
  const bench: ToolBench = {
    root,
    worktree,
    asks,
    recorded: [],
    deps: {
      ...{ seen: createSeen(), locks: new KeyedLock(), operations: createWriteOperations(), places },
      journal: createJournal({
        blobs: createBlobStore(`${root}/blob`, systemClock),
        changeID: () => `chg_${(count += 1)}`,
        append: (call, changes) => void bench.recorded.push({ callID: call.callID, changes }),
      }),
    },
    answer: () => ok({}),
    context: {
      sessionID: "ses_1",
      messageID: "msg_1",
      callID: "call_1",
      agent: "build",
      signal,
      directory: worktree,
      worktree,
      ask: async (ask) => {
        asks.push(ask)
        return await bench.answer(ask)
      },
      progress: () => {},
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
  return bench
}

/** Runs a tool the way the engine does: the arguments parsed by its schema first. */
export async function runTool(
  tool: Tool,
  bench: ToolBench,
  args: Record<string, unknown>,
): Promise<Result<ToolOutput, ToolFailure>> {
  return await tool.execute(tool.parameters.parse(args), bench.context)
}

/** The output, or the failure as `kind: message`. */
export function shownResult(result: Result<ToolOutput, ToolFailure>): string {
  return result.ok ? result.value.output : `${result.error.kind}: ${result.error.message}`
}

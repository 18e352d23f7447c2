import { err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { Ask, ToolContext } from "../src/tool/define.ts"

export interface RecordedContext extends ToolContext {
  readonly asks: Ask[]
  readonly shown: { title?: string; metadata?: Record<string, unknown> }[]
}

/** A tool's context that records what is asked and shown, and refuses the permissions in `deny`. */
export function toolContext(
  directory: string,
  more: {
    worktree?: string
    signal?: AbortSignal
    deny?: readonly string[]
    callID?: string
    onProgress?: () => void
  } = {},
): RecordedContext {
  const asks: Ask[] = []
  const shown: RecordedContext["shown"] = []
  const denied: ToolFailure = { kind: "denied", message: "not allowed" }
  return {
    sessionID: "ses_test",
    messageID: "msg_test",
    callID: more.callID ?? "call_test",
    agent: "build",
    signal: more.signal ?? new TaskGroup().signal,
    directory,
    worktree: more.worktree ?? directory,
    asks,
    shown,
    async ask(ask) {
      asks.push(ask)
      return more.deny?.includes(ask.permission) ? err(denied) : ok({})
    },
    progress(update) {
      shown.push(update)
      more.onProgress?.()
    },
  }
}

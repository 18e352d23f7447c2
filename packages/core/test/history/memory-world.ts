import { err, ok } from "@cairn/kernel/result"
import type { FileState } from "@cairn/schema/history"
import { contentHash } from "../../src/workspace/files.ts"
import type { PathPlan, PlanSources } from "../../src/workspace/history/plan-revert.ts"
import type { PathChange } from "../../src/workspace/history/states.ts"

const encoder = new TextEncoder()

/** A file in memory; undefined stands for none. */
export type MemoryFile = { readonly bytes: Uint8Array; readonly mode: number }

export const textFile = (text: string, mode = 0o644): MemoryFile => ({ bytes: encoder.encode(text), mode })

/** Files and stored contents in memory, and the journal of what the agent changed in them. */
export class MemoryWorld implements PlanSources {
  readonly files = new Map<string, MemoryFile>()
  /** Paths where something stands that is no file, with what it is. */
  readonly others = new Map<string, FileState>()
  readonly contents = new Map<string, Uint8Array>()
  readonly journal: PathChange[] = []

  text(path: string): string | undefined {
    const file = this.files.get(path)
    return file && new TextDecoder().decode(file.bytes)
  }

  put(path: string, file: MemoryFile | undefined): void {
    if (file) this.files.set(path, file)
    else this.files.delete(path)
  }

  /** The agent changes a file: what it was and what it is go into the journal. */
  agent(path: string, file: MemoryFile | undefined): void {
    const before = this.keep(path)
    this.put(path, file)
    this.journal.push({ path, before, after: this.keep(path) })
  }

  /** The state of a path, its content stored. */
  keep(path: string): FileState {
    const file = this.files.get(path)
    if (!file) return this.others.get(path) ?? { kind: "absent" }
    const hash = contentHash(file.bytes)
    this.contents.set(hash, file.bytes)
    return { kind: "file", hash, size: file.bytes.length, mode: file.mode }
  }

  /** Does what the plan says, and gives it as changes: those that an unrevert takes back. */
  apply(plans: readonly PathPlan[]): PathChange[] {
    return plans.flatMap((plan) => {
      if (!("target" in plan)) return []
      const { state, content } = plan.target
      const before = this.keep(plan.path)
      if (state.kind === "absent") this.files.delete(plan.path)
      if (state.kind === "file") {
        const bytes =
          typeof content !== "string"
            ? content
            : content === "disk"
              ? this.files.get(plan.path)?.bytes
              : this.contents.get(state.hash)
        if (!bytes) throw new Error(`there is no content for ${plan.path}`)
        this.files.set(plan.path, { bytes, mode: state.mode })
      }
      return [{ path: plan.path, before, after: this.keep(plan.path) }]
    })
  }

  current: PlanSources["current"] = async (path) => {
    const file = this.files.get(path)
    if (!file) return this.others.get(path) ?? { kind: "absent" }
    return { kind: "file", hash: contentHash(file.bytes), size: file.bytes.length, mode: file.mode }
  }

  currentBytes: PlanSources["currentBytes"] = async (path, state) => {
    const file = this.files.get(path)
    return file && contentHash(file.bytes) === state.hash ? ok(file.bytes) : err("it was changed while it was read")
  }

  below: PlanSources["below"] = async (path) => [...this.files.keys()].filter((each) => each.startsWith(`${path}/`))

  stored: PlanSources["stored"] = async ({ hash }) => {
    const bytes = this.contents.get(hash)
    return bytes ? ok(bytes) : err({ kind: "evicted", message: "evicted" })
  }

  check: PlanSources["check"] = async (state) => {
    const stored = await this.stored(state)
    return stored.ok ? undefined : stored.error
  }
}

/** A settled call, as the guard looks at it. */
export interface GuardedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** What the model got back. */
  readonly result: string
  readonly failed: boolean
  /** The call changed a file: repeating a check afterwards is work, not a loop. */
  readonly changedFile: boolean
}

export interface Loop {
  readonly tool: string
  readonly why: string
}

/**
 * Sees when a model turns in circles: three equal calls with equal results and no successful file change between
 * them, or six failures of one tool in a row. It looks across steps; a user message resets it.
 */
export interface LoopGuard {
  /** Records a settled call. Returns the loop when this call closes one. */
  record(call: GuardedCall): Loop | undefined
  reset(): void
}

const equalCalls = 3
const failuresInARow = 6

export function createLoopGuard(): LoopGuard {
  const seen = new Map<string, number>()
  const failures = new Map<string, number>()
  return {
    record(call) {
      if (call.changedFile && !call.failed) seen.clear()
      const failed = call.failed ? (failures.get(call.tool) ?? 0) + 1 : 0
      failures.set(call.tool, failed)
      const key = Bun.hash(`${call.tool}\0${canonical(call.input)}\0${call.result}`).toString(36)
      const times = (seen.get(key) ?? 0) + 1
      seen.set(key, times)
      if (times >= equalCalls)
        return { tool: call.tool, why: `the same ${call.tool} call gave the same result ${times} times` }
      if (failed >= failuresInARow) return { tool: call.tool, why: `${call.tool} failed ${failed} times in a row` }
      return undefined
    },
    reset() {
      seen.clear()
      failures.clear()
    },
  }
}

/** JSON with sorted keys: two inputs that mean the same are the same text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`
}

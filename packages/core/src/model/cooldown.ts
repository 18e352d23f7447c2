import type { Clock } from "@cairn/kernel/clock"
import type { Classified } from "./errors.ts"
import type { ResolvedModel } from "./define.ts"

/** How long a model is left alone that failed once, at least; each further failure in a row doubles it. Ms. */
const leastMs = 60_000
const mostMs = 30 * 60_000

/** Why a model is left alone. */
export interface Rest {
  /** What it failed with. */
  readonly message: string
  /** When it is tried again, ms since the epoch. */
  readonly until: number
}

type Named = Pick<ResolvedModel, "ref" | "baseURL">

/**
 * Models that failed lately, whatever their variant. One table for an engine, so that every session leaves alone what
 * failed in another one. An address that nobody answers at is left alone with all its models.
 */
export interface Cooldowns {
  /** The model failed: it rests for as long as the provider asked, at least a minute, longer when it fails again and again. */
  fail(model: Named, failure: Pick<Classified, "message" | "retryAfterMs" | "network">): void
  /** It answered: its failures are forgotten. */
  clear(model: Named): void
  /** Undefined when it may be called. */
  resting(model: Named): Rest | undefined
}

interface Entry extends Rest {
  /** On the monotonic clock. */
  readonly ends: number
  readonly failures: number
}

export function createCooldowns(clock: Clock): Cooldowns {
  const entries = new Map<string, Entry>()
  return {
    fail(model, { message, retryAfterMs = 0, network }) {
      const keys = network === undefined ? [modelKey(model)] : keysOf(model)
      for (const key of keys) {
        const failures = (entries.get(key)?.failures ?? 0) + 1
        const ms = Math.max(retryAfterMs, Math.min(mostMs, leastMs * 2 ** (failures - 1)))
        entries.set(key, { message, failures, ends: clock.monotonic() + ms, until: clock.now() + ms })
      }
    },
    clear(model) {
      for (const key of keysOf(model)) entries.delete(key)
    },
    resting(model) {
      const found = keysOf(model).flatMap((key) => entries.get(key) ?? [])
      const latest = found.toSorted((a, b) => b.ends - a.ends)[0]
      if (!latest || latest.ends <= clock.monotonic()) return undefined
      return { message: latest.message, until: latest.until }
    },
  }
}

const modelKey = ({ ref }: Named): string => `model ${ref.providerID}/${ref.modelID}`
const keysOf = (model: Named): string[] =>
  model.baseURL === undefined ? [modelKey(model)] : [modelKey(model), `address ${model.baseURL}`]

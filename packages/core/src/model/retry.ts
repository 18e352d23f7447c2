import type { Classified } from "./errors.ts"
import { longestWaitMs } from "./retry-after.ts"

const firstMs = 2_000
const longestMs = 30_000
const jitter = 0.25
const mostAttempts = 5
const mostConnects = 3

/**
 * Milliseconds until the next try, after `attempt` tries (counted from 1) have failed, or undefined when it is to be
 * given up. `random` is in [0, 1).
 */
export function retryDelay(attempt: number, failure: Classified, random: number): number | undefined {
  if (failure.class !== "retryable" && failure.class !== "rate_limit") return undefined
  if (failure.network === "probe") return undefined
  const most = failure.network === "refused" || failure.network === "unknown_host" ? mostConnects : mostAttempts
  if (attempt >= most) return undefined
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs > longestWaitMs ? undefined : failure.retryAfterMs
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1))
  return Math.round(full * (1 - jitter * random))
}

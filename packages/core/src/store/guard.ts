import { markSuspect } from "./damage.ts"
import { StoreFailed, adviceOn, codeOf, isDamage, messageOf } from "./trouble.ts"

/**
 * Does `work` on the database file. Trouble of the disk is thrown as `StoreFailed`, in words; damage marks the file too, so
 * that the next start checks it. A broken constraint is a defect of ours and stays as it is.
 */
export function guarded<T>(file: string, what: "read" | "written", work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    // What we stored was JSON.
    const error = what === "read" && thrown instanceof SyntaxError ? unreadable(thrown) : thrown
    const code = codeOf(error)
    if (!code?.startsWith("SQLITE_") || code.startsWith("SQLITE_CONSTRAINT")) throw error
    if (isDamage(error)) markSuspect(file)
    const message = `The database ${file} could not be ${what}: ${messageOf(error)}. ${adviceOn(error)}`
    throw new StoreFailed(message, { cause: error })
  }
}

/** The same for every method of an object of synchronous queries. */
export function guardAll<T extends object>(file: string, methods: T): T {
  const entries = Object.entries(methods).map(([name, method]: [string, (...values: unknown[]) => unknown]) => [
    name,
    (...values: unknown[]) => guarded(file, "read", () => method(...values)),
  ])
  return Object.fromEntries(entries) as T
}

const unreadable = (cause: SyntaxError) =>
  Object.assign(new Error("a row is not what was stored", { cause }), { code: "SQLITE_CORRUPT" })

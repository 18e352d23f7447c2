import { homedir } from "node:os"

/** The user's home directory: HOME, else what the system's list of users says. Undefined when neither knows one. */
export function findHome(
  env: Readonly<Record<string, string | undefined>> = process.env,
  lookUp: () => string = homedir,
): string | undefined {
  if (env["HOME"]) return env["HOME"]
  try {
    return lookUp() || undefined
  } catch {
    return undefined // a user who is in no list, as containers start programs
  }
}

/** The same where something has to stand: the root for a user without one. */
export const homeOrRoot = (): string => findHome() ?? "/"

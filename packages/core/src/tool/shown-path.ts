import { relative } from "node:path"
import { contains } from "../workspace/paths.ts"

/** A path as the model gets it: short below the session's directory, else absolute; quoted when it holds control characters. */
export function shownPath(path: string, directory: string): string {
  const short = path !== directory && contains(directory, path) ? relative(directory, path) : path
  return /\p{Cc}/u.test(short) ? JSON.stringify(short) : short
}

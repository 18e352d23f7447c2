import { z } from "zod"
import { globMatcher, globProblem, longestPattern } from "../workspace/glob.ts"
import { defineProbe, failed } from "./define.ts"

/**
 * Does a glob match a path, as the glob tool understands globs: `{match}`. One that begins with `/` names a place of the
 * file system, so it matches no path that is relative.
 */
export const globProbe = defineProbe({
  request: z.object({ pattern: z.string().max(longestPattern), path: z.string() }),
  answer({ pattern, path }) {
    const problem = globProblem(pattern)
    if (problem !== undefined) return failed({ kind: "bad_request", message: `pattern: ${problem}` })
    if (pattern.startsWith("/") && !path.startsWith("/")) return { match: false }
    return { match: globMatcher(pattern)(path) }
  },
})

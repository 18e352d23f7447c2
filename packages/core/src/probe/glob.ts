import { z } from "zod"
import { longestPattern, matchGlob } from "../workspace/glob.ts"
import { defineProbe } from "./define.ts"

/** Does a glob match a path: `{match}`. */
export const globProbe = defineProbe({
  request: z.object({ pattern: z.string().max(longestPattern), path: z.string() }),
  answer: ({ pattern, path }) => ({ match: matchGlob(pattern, path) }),
})

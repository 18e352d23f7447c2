import { z } from "zod"
import { wildcard } from "../permission/wildcard.ts"
import { defineProbe } from "./define.ts"
import { mostSteps, tooLarge } from "./limit.ts"

/** Does a rule's pattern match a text: `{match}`. */
export const wildcardProbe = defineProbe({
  request: z.object({ text: z.string(), pattern: z.string() }),
  answer({ text, pattern }) {
    if (text.length * pattern.length > mostSteps) return tooLarge("pattern")
    return { match: wildcard(text, pattern) }
  },
})

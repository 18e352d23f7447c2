import { z } from "zod"
import { applyEdit } from "../tool/edit/match.ts"
import { defineProbe, failed } from "./define.ts"

/** What `edit` makes of a file with this content: `{content}`. */
export const editProbe = defineProbe({
  request: z.object({
    content: z.string(),
    oldString: z.string(),
    newString: z.string(),
    replaceAll: z.boolean().optional(),
  }),
  answer({ content, ...input }) {
    const applied = applyEdit(content, input)
    return applied.ok ? { content: applied.value.content } : failed(applied.error)
  },
})

import { z } from "zod"
import { ignored } from "../workspace/ignore.ts"
import { defineProbe } from "./define.ts"
import { Texts } from "./texts.ts"

/** Which of the paths do these ignore files leave out: `{ignored}`. */
export const ignoreProbe = defineProbe({
  request: z.object({ files: Texts, paths: z.array(z.string()) }),
  answer: ({ files, paths }) => ({ ignored: ignored(files, paths) }),
})

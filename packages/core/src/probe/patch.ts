import { z } from "zod"
import { applyPatchToTexts } from "../tool/apply-patch/apply-to-texts.ts"
import { defineProbe, failed } from "./define.ts"
import { Texts } from "./texts.ts"

/** What `apply_patch` makes of these files: `{files}`, which beside an error are those that were given. */
export const patchProbe = defineProbe({
  request: z.object({ files: Texts, patchText: z.string() }),
  answer({ files, patchText }) {
    const applied = applyPatchToTexts(patchText, files)
    return applied.ok ? { files: applied.value } : { ...failed(applied.error), files }
  },
})

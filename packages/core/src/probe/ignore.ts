import { z } from "zod"
import { ignored } from "../workspace/ignore.ts"
import { defineProbe } from "./define.ts"
import { mostSteps, tooLarge } from "./limit.ts"
import { Texts } from "./texts.ts"

/** Which of the paths do these ignore files leave out: `{ignored}`. */
export const ignoreProbe = defineProbe({
  request: z.object({ files: Texts, paths: z.array(z.string()) }),
  answer({ files, paths }) {
    return stepsOf(files, paths) > mostSteps ? tooLarge("paths") : { ignored: ignored(files, paths) }
  },
})

/** Every rule is tried on every name; a long one with a wildcard on every character. */
function stepsOf(files: Record<string, string>, paths: readonly string[]): number {
  const lines = Object.values(files).flatMap((text) => text.split("\n"))
  const long = lines.reduce((sum, line) => sum + (line.length > 64 && line.includes("*") ? line.length : 0), 0)
  const names = paths.reduce((sum, path) => sum + path.split("/").length, 0)
  const characters = paths.reduce((sum, path) => sum + path.length, 0)
  return lines.length * names * 16 + long * characters
}

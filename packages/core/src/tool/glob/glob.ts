import { stat } from "node:fs/promises"
import { join } from "node:path"
import { err, ok } from "@cairn/kernel/result"
import { z } from "zod"
import { globProblem, longestPattern, splitGlob } from "../../workspace/glob.ts"
import { resolvePath } from "../../workspace/paths.ts"
import type { Search } from "../../workspace/search.ts"
import { defineTool } from "../define.ts"
import { askExternal } from "../external.ts"
import type { Output } from "../output.ts"
import { shownPath } from "../shown-path.ts"
import description from "./glob.md" with { type: "text" }

const most = 100

const parameters = z.object({
  pattern: z.string().min(1).max(longestPattern),
  path: z.string().optional().describe("Directory to start in"),
})

export interface GlobOptions {
  readonly search: Pick<Search, "files">
  readonly output: Pick<Output, "fit">
}

/** Interruption ends ripgrep and rejects with the reason. */
export function createGlobTool({ search, output }: GlobOptions) {
  return defineTool({
    name: "glob",
    description: description.trim(),
    parameters,
    async execute({ pattern, path = "." }, context) {
      const problem = globProblem(pattern)
      if (problem !== undefined) return err({ kind: "invalid_arguments", message: problem })
      const start = await resolvePath(path, context.directory)
      if (start.problem) return err(start.problem)
      const { base, rest } = splitGlob(pattern)
      const resolved = await resolvePath(base, start.real)
      if (resolved.problem) return err(resolved.problem)
      const external = await askExternal(resolved, context, "directory")
      if (!external.ok) return external
      const asked = await context.ask({
        permission: "glob",
        patterns: [pattern],
        always: ["*"],
        metadata: { pattern, path: resolved.real },
      })
      if (!asked.ok) return asked

      const empty = { title: pattern, output: "No files match.", metadata: { count: 0, truncated: false } }
      if (!start.exists) return err({ kind: "missing", message: `${start.real} does not exist.` })
      if (!(await isDirectory(start.real)))
        return err({ kind: "refused", message: `${start.real} is not a directory. Give a directory as path.` })
      // A fixed beginning of the pattern that is not there is no mistake: nothing matches.
      if (!resolved.exists || !(await isDirectory(resolved.real))) return ok(empty)
      const { signal, span } = context
      const found = await search.files({ path: resolved.real, pattern: rest, limit: most, signal, span })
      if (!found.ok) return found
      const { results, truncated, order, timedOut } = found.value
      if (results.length === 0 && !timedOut) return ok(empty)
      const lines = results.map((file) => shownPath(join(resolved.real, file), context.directory))
      if (lines.length > 0 && truncated) lines.push("")
      if (timedOut) lines.push("[The search took too long and was stopped. Name a smaller directory.]")
      else if (truncated)
        lines.push(
          `[Only the first ${most} ${order === "newest" ? "(newest)" : "by path"} are shown. Narrow the pattern or the path.]`,
        )
      const fitted = await output.fit(lines.join("\n"), context)
      return ok({
        title: pattern,
        output: fitted.text,
        metadata: { count: results.length, truncated: truncated || fitted.truncated },
      })
    },
  })
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )

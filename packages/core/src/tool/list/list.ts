import { stat } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { z } from "zod"
import { globMatcher, longestPattern } from "../../workspace/glob.ts"
import { resolvePath } from "../../workspace/paths.ts"
import type { Search } from "../../workspace/search.ts"
import { titlePath } from "../change-file.ts"
import { defineTool } from "../define.ts"
import type { Tool } from "../define.ts"
import { askExternal } from "../external.ts"
import type { Output } from "../output.ts"
import { shownPath } from "../shown-path.ts"
import description from "./list.md" with { type: "text" }
import { treeLines } from "./tree.ts"

const most = 100

const parameters = z.object({
  path: z.string().optional().describe("Directory, absolute or relative to the working directory"),
  ignore: z.array(z.string().min(1).max(longestPattern)).max(100).optional().describe("Globs to leave out"),
})

export interface ListDeps {
  readonly search: Pick<Search, "files">
  readonly output: Pick<Output, "fit">
}

/** Lists the files below a directory. Interruption ends ripgrep and rejects with the reason. */
export function createListTool({ search, output }: ListDeps): Tool<typeof parameters> {
  return defineTool({
    name: "list",
    description,
    parameters,
    async execute({ path = ".", ignore = [] }, context) {
      const resolved = await resolvePath(path, context.directory)
      if (resolved.problem) return err(resolved.problem)
      const external = await askExternal(resolved, context, "directory")
      if (!external.ok) return external
      const { real } = resolved
      const asked = await context.ask({
        permission: "list",
        patterns: [real],
        always: /[*?]/.test(real) ? [] : [real],
        metadata: { path: real },
      })
      if (!asked.ok) return asked
      if (!resolved.exists) return err({ kind: "missing", message: `${real} does not exist.` })
      const info = await stat(real).catch(() => undefined)
      if (info && !info.isDirectory()) return err({ kind: "refused", message: `${real} is no directory. Use read.` })
      const unwanted = ignore.flatMap(matchersOf)
      const keep = (file: string) => !unwanted.some((matches) => matches(file))
      const found = await search.files({ path: real, limit: most, signal: context.signal, span: context.span, keep })
      if (!found.ok) return found
      const { results, truncated, timedOut } = found.value
      const lines = [`${shownPath(real, context.directory)}/`, ...treeLines(results)]
      if (results.length === 0) lines.push("(no files)")
      if (timedOut) lines.push("", "[The listing took too long and was stopped. Name a smaller directory.]")
      else if (truncated) lines.push("", `[Only ${most} files are shown. Name a smaller directory, or use glob.]`)
      const fitted = await output.fit(lines.join("\n"), context)
      return ok({
        title: titlePath(real, context.worktree),
        output: fitted.text,
        metadata: { count: results.length, truncated: truncated || fitted.truncated },
      })
    },
  })
}

/** Files that the glob names, and files in directories that it names. */
function matchersOf(glob: string): ((path: string) => boolean)[] {
  const name = glob.replace(/\/+$/, "")
  return [globMatcher(name), globMatcher(name.includes("/") ? `${name}/**` : `**/${name}/**`)]
}

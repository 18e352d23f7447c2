import { dirname, join } from "node:path"
import { stat } from "node:fs/promises"
import { err, ok } from "@cairn/kernel/result"
import { z } from "zod"
import { refusalOf } from "../../workspace/files.ts"
import { globProblem, longestPattern } from "../../workspace/glob.ts"
import { resolvePath } from "../../workspace/paths.ts"
import type { Hit } from "../../workspace/search-hit.ts"
import type { Search } from "../../workspace/search.ts"
import { defineTool, type ToolContext } from "../define.ts"
import { askExternal } from "../external.ts"
import type { Output } from "../output.ts"
import { shownPath } from "../shown-path.ts"
import description from "./grep.md" with { type: "text" }

const most = 100

const parameters = z.object({
  pattern: z.string().min(1).describe("Regular expression"),
  path: z.string().optional().describe("Directory or file to search"),
  include: z.string().min(1).max(longestPattern).optional().describe("Glob of files to search"),
})

export interface GrepOptions {
  readonly search: Pick<Search, "grep">
  readonly output: Pick<Output, "fit">
  /** Do the rules of a call let a file (a real path) be read without asking? What they do not is left out, and counted. */
  readable(context: ToolContext): (path: string) => boolean
}

/** Interruption ends ripgrep and rejects with the reason. */
export function createGrepTool({ search, output, readable }: GrepOptions) {
  return defineTool({
    name: "grep",
    description: description.trim(),
    parameters,
    async execute({ pattern, path = ".", include }, context) {
      const problem = include === undefined ? undefined : globProblem(include)
      if (problem !== undefined) return err({ kind: "invalid_arguments", message: problem })
      const resolved = await resolvePath(path, context.directory)
      if (resolved.problem) return err(resolved.problem)
      const info = await stat(resolved.real).catch(() => undefined)
      const external = await askExternal(resolved, context, info?.isDirectory() ? "directory" : "file")
      if (!external.ok) return external
      const asked = await context.ask({
        permission: "grep",
        patterns: [pattern],
        always: ["*"],
        metadata: { pattern, path: resolved.real, ...(include === undefined ? {} : { include }) },
      })
      if (!asked.ok) return asked
      if (!info) return err({ kind: "missing", message: `${resolved.real} does not exist.` })
      // A pipe or a device may never end: ripgrep would wait for it until its time is up.
      const refusal = info.isDirectory() ? undefined : refusalOf(info, resolved.real)
      if (refusal) return err(refusal)

      const root = info.isDirectory() ? resolved.real : dirname(resolved.real)
      const withheld = new Set<string>()
      const mayRead = readable(context)
      const keep = (file: string) => {
        const may = mayRead(join(root, file))
        if (!may) withheld.add(file)
        return may
      }
      const query = { path: resolved.real, limit: most, signal: context.signal, span: context.span, keep }
      const found = await search.grep(pattern, include === undefined ? query : { ...query, include })
      if (!found.ok) return found
      const { results, truncated, order, timedOut } = found.value
      const notes: string[] = []
      if (timedOut) notes.push("[The search took too long and was stopped. Name a smaller directory, or include.]")
      else if (truncated)
        notes.push(
          `[Only the first ${most} lines, ${order === "newest" ? "newest files first" : "by path"}. Narrow the pattern, path or include.]`,
        )
      if (withheld.size > 0)
        notes.push(
          `[${withheld.size} ${withheld.size === 1 ? "file" : "files"} with matches left out: the rules ask before such are read.]`,
        )
      if (results.length === 0) notes.unshift("No matches.")
      const space = results.length > 0 && notes.length > 0 ? [""] : []
      const text = [...listed(results, root, context.directory), ...space, ...notes].join("\n")
      const fitted = await output.fit(text, context)
      return ok({
        title: pattern,
        output: fitted.text,
        metadata: { matches: results.length, truncated: truncated || fitted.truncated },
      })
    },
  })
}

/** Each file once, its lines below it. */
function listed(hits: readonly Hit[], root: string, directory: string): string[] {
  const lines: string[] = []
  let file: string | undefined
  for (const hit of hits) {
    if (hit.path !== file) lines.push(`${shownPath(join(root, hit.path), directory)}:`)
    file = hit.path
    lines.push(`  ${hit.line === 0 ? "?" : hit.line}: ${hit.text.replaceAll("\0", "\u2400")}`)
  }
  return lines
}

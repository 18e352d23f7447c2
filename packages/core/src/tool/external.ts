import { dirname } from "node:path"
import { ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { contains } from "../workspace/paths.ts"
import type { ResolvedPath } from "../workspace/paths.ts"
import type { ToolContext } from "./define.ts"

/**
 * Asks `external_directory` when the real path lies outside the worktree; inside nothing is asked. What is
 * asked, and offered for `always`, is the directory that holds the path, or the path itself when the call is
 * about a directory. A directory whose name looks like a pattern can only be approved once.
 */
export async function askExternal(
  resolved: ResolvedPath,
  context: ToolContext,
  kind: "file" | "directory" = "file",
): Promise<Result<void, ToolFailure>> {
  if (contains(context.worktree, resolved.real)) return ok(undefined)
  const parentDir = kind === "directory" ? resolved.real : dirname(resolved.real)
  const pattern = parentDir === "/" ? "/*" : `${parentDir}/*`
  const asked = await context.ask({
    permission: "external_directory",
    patterns: [pattern],
    always: /[*?]/.test(parentDir) ? [] : [pattern],
    metadata: { filepath: resolved.real, parentDir },
  })
  return asked.ok ? ok(undefined) : asked
}

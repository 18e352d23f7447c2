import { err, ok } from "@cairn/kernel/result"
import type { Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { z } from "zod"
import { changeFile } from "../change-file.ts"
import type { FileChange, WriterDeps } from "../change-file.ts"
import { defineTool } from "../define.ts"
import type { Tool, ToolContext } from "../define.ts"
import { leftOutNote } from "../left-out.ts"
import { missingPath } from "../near-paths.ts"
import description from "./edit.md" with { type: "text" }
import { applyEdit } from "./match.ts"
import { rewriteAdvice } from "./messages.ts"
import type { MatchFailure, Strategy } from "./types.ts"

const parameters = z.object({
  filePath: z.string().describe("Absolute, or relative to the working directory"),
  oldString: z.string(),
  newString: z.string(),
  replaceAll: z.boolean().optional(),
})

const tolerated: Readonly<Record<Exclude<Strategy, "exact" | "line_ends">, string>> = {
  trailing_space: "trailing white space",
  indentation: "indentation (newString was moved alike)",
  inner_whitespace: "white space within lines",
  escapes: "escapes (newString was read alike)",
  blank_boundary: "blank lines at its start or end",
}

/** After so many failures in a row on one file the answer shows the text to work from. */
const patience = 2
const mostRemembered = 1_000

/** Replaces text in one file. Keeps encoding, byte order mark, line ends and mode. */
export function createEditTool(deps: WriterDeps): Tool<typeof parameters> {
  const failures = new Map<string, number>()
  return defineTool({
    name: "edit",
    description,
    parameters,
    writes: ({ filePath }) => [filePath],
    async execute({ filePath, ...input }, context) {
      let strategy: Strategy = "exact"
      let places = 0
      const done = await changeFile(
        deps,
        context,
        filePath,
        async (current, { path, unseen }) => {
          if (!current && input.oldString !== "") return err(await missingPath(path, context.worktree))
          const applied = applyEdit(current?.text ?? "", input)
          const key = `${context.sessionID} ${path}`
          if (applied.ok) {
            failures.delete(key)
            strategy = applied.value.strategy
            places = applied.value.spans.length
            return ok(applied.value.content)
          }
          const times = (failures.get(key) ?? 0) + 1
          if (failures.size < mostRemembered) failures.set(key, times)
          const advice = times < patience ? "" : rewriteAdvice(current?.text ?? "", input, times)
          return err(await disclose(applied.error, advice, path, unseen, context))
        },
        { needsSeen: false },
      )
      return done.ok ? ok(answer(done.value, strategy, places)) : done
    },
  })
}

/** The failure as the model may see it: text of a file that it has not seen needs the permission to read. */
async function disclose(
  failure: MatchFailure,
  advice: string,
  path: string,
  unseen: boolean,
  context: ToolContext,
): Promise<ToolFailure> {
  const whole = { kind: failure.kind, message: failure.message + advice }
  if (!unseen || whole.message === failure.brief) return whole
  const allowed: Result<unknown, ToolFailure> = await context.ask({
    permission: "read",
    patterns: [path],
    always: /[*?]/.test(path) ? [] : [path],
    metadata: { filepath: path },
  })
  return allowed.ok ? whole : { kind: failure.kind, message: failure.brief }
}

function answer(change: FileChange, strategy: Strategy, places: number) {
  const { path, shown, existed, diff, leftOut, asked, seen } = change
  const times = places > 1 ? ` in ${places} places` : ""
  const how =
    strategy === "exact" || strategy === "line_ends" ? "" : ` oldString matched but for ${tolerated[strategy]}.`
  const output = `${existed ? "Edited" : "Created"} ${shown}${times} (+${diff.additions} -${diff.deletions}).${how}${leftOutNote(leftOut, asked, shown)}`
  const { patch, additions, deletions } = diff
  const filediff = { file: path, patch, additions, deletions }
  return { title: shown, output, metadata: { diff: patch, filediff, diagnostics: {}, seen } }
}

import { ok } from "@cairn/kernel/result"
import { z } from "zod"
import { lineEndOf, withLineEnds } from "../../workspace/line-ends.ts"
import { changeFile } from "../change-file.ts"
import type { WriterDeps } from "../change-file.ts"
import { defineTool } from "../define.ts"
import type { Tool } from "../define.ts"
import { leftOutNote } from "../left-out.ts"
import description from "./write.md" with { type: "text" }

const parameters = z.object({
  filePath: z.string().describe("Absolute, or relative to the working directory"),
  content: z.string().describe("The whole new content"),
})

/** Writes whole files. A file that exists keeps its encoding, byte order mark, line ends and mode. */
export function createWriteTool(deps: WriterDeps): Tool<typeof parameters> {
  return defineTool({
    name: "write",
    description,
    parameters,
    writes: ({ filePath }) => [filePath],
    async execute({ filePath, content }, context) {
      const done = await changeFile(
        deps,
        context,
        filePath,
        async (current) => {
          const text = content.startsWith("\ufeff") && current?.encoding.bom ? content.slice(1) : content
          const end = lineEndOf(current?.text ?? "")
          return ok(end === "mixed" || end === "none" ? text : withLineEnds(text, end))
        },
        { needsSeen: true },
      )
      if (!done.ok) return done
      const { path, shown, existed, before, after, diff, leftOut, asked, seen } = done.value
      const lines = after === "" ? 0 : after.split("\n").length - (after.endsWith("\n") ? 1 : 0)
      const what = existed ? (before === after ? "Unchanged: it had this content already" : "Replaced") : "Created"
      const note = leftOutNote(leftOut, asked, shown)
      return ok({
        title: shown,
        output: `${what}: ${shown} (${lines} lines, +${diff.additions} -${diff.deletions}).${note}`,
        metadata: { filepath: path, exists: existed, diff: diff.patch, diagnostics: {}, seen },
      })
    },
  })
}

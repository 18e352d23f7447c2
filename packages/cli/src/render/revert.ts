import type { RevertReport } from "@cairn/schema/revert"
import type { Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { plural } from "./format.ts"

const verbs: Readonly<Record<RevertReport["files"][number]["action"], string>> = {
  restore: "restore",
  delete: "delete",
  merge: "merge",
  conflict: "left alone",
  not_covered: "not covered",
}

/** What a revert does or would do: what it cannot do, a line for each file, and what happens to the conversation. */
export function revertLines(report: RevertReport, style: Style, direction: "back" | "forth"): string[] {
  const lines = report.files.map(({ action, file, additions, deletions, reason }) => {
    const open = action === "conflict" || action === "not_covered"
    const verb = (open ? style.bad : style.mark)(verbs[action].padEnd(11))
    const detail = reason === undefined ? style.dim(`+${additions} -${deletions}`) : sanitiseLine(reason)
    return `${verb}  ${sanitiseLine(file)}  ${detail}`
  })
  const messages = plural(report.messages, "message")
  return [
    ...report.notes.map((note) => sanitiseLine(note)),
    ...(lines.length === 0 ? ["no file changes"] : lines),
    direction === "back"
      ? `${messages} hidden; the next prompt removes ${report.messages === 1 ? "it" : "them"}, cairn redo brings back`
      : `${messages} back`,
  ]
}

/** Was there a file that could not be dealt with? */
export const isPartial = ({ files }: RevertReport): boolean =>
  files.some(({ action }) => action === "conflict" || action === "not_covered")

import type { Part } from "@cairn/schema/part"
import { sanitise, sanitiseLine } from "../terminal/sanitise.ts"
import { relative, toolLines, type ToolView } from "./tool.ts"

/**
 * A whole part as lines, for a person. Parts that only keep the books (step-start, step-finish, snapshot) and text
 * that no person wrote (synthetic) give none.
 */
export function partLines(part: Part, view: ToolView): string[] {
  const { style } = view
  switch (part.type) {
    case "text":
      return part.synthetic || part.ignored ? [] : blockLines(part.text)
    case "reasoning":
      return blockLines(part.text).map(style.dim)
    case "tool":
      return toolLines(part, view)
    case "file":
      return [style.dim(`attached ${sanitiseLine(part.filename ?? fileName(part.url))} (${sanitiseLine(part.mime)})`)]
    case "patch":
      return [style.dim(`changed ${part.files.map((file) => relative(file, view.directory)).join(", ")}`)]
    case "agent":
      return [style.dim(`agent ${sanitiseLine(part.name)}`)]
    case "subtask":
      return [style.dim(`subtask for ${sanitiseLine(part.agent)}: ${sanitiseLine(part.description)}`)]
    case "retry":
      return [style.warn(`attempt ${part.attempt} failed: ${sanitiseLine(part.error.data.message)}`)]
    case "compaction":
      return [style.dim(`conversation compacted${part.auto ? "" : " on request"}`)]
    case "step-start":
    case "step-finish":
    case "snapshot":
      return []
  }
}

function blockLines(text: string): string[] {
  const clean = sanitise(text)
    .replace(/^\s*\n/, "")
    .trimEnd()
  return clean === "" ? [] : clean.split("\n")
}

function fileName(url: string): string {
  if (url.startsWith("data:")) return "data"
  return url.slice(url.lastIndexOf("/") + 1) || url
}

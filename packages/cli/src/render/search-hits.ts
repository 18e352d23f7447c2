import type { SearchHit } from "@cairn/schema/search"
import type { Style } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { ago } from "./format.ts"

interface HitView {
  readonly style: Style
  readonly now: number
  /** Say where each session works. */
  readonly directories: boolean
}

/** A block a hit: in which session, when and by whom; the words where they stand; and how to get there. */
export function searchHits(hits: readonly SearchHit[], view: HitView): string {
  return `${hits.map((hit) => blockOf(hit, view)).join("\n\n")}\n`
}

function blockOf(hit: SearchHit, { style, now, directories }: HitView): string {
  const where = directories ? ` in ${sanitiseLine(hit.directory)}` : ""
  return [
    `${style.strong(sanitiseLine(hit.title))}${style.dim(`${where}, ${ago(hit.time, now)}, ${whoseOf(hit)}`)}`,
    `  ${marked(hit, style)}`,
    style.dim(`  cairn session show ${hit.sessionID} --message ${hit.messageID}`),
  ].join("\n")
}

function whoseOf({ role, type, tool, summary, synthetic }: SearchHit): string {
  if (tool !== undefined) return sanitiseLine(tool)
  if (type === "reasoning") return "reasoning"
  if (summary) return "summary"
  if (synthetic) return "note"
  return role === "user" ? "you" : "answer"
}

/** Made harmless piece by piece, since that may change lengths. */
function marked({ excerpt: { text, matches } }: SearchHit, style: Style): string {
  let line = ""
  let at = 0
  for (const [start, end] of matches) {
    line += sanitiseLine(text.slice(at, start)) + style.mark(style.strong(sanitiseLine(text.slice(start, end))))
    at = end
  }
  return line + sanitiseLine(text.slice(at))
}

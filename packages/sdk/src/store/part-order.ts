import type { Part } from "@cairn/schema/part"

/**
 * The newer of two states of a part, whatever order they came in: what is closed does not open again, and an open text
 * only grows. `came` wins where neither says.
 */
export function newerPart(held: Part, came: Part): Part {
  if (held.type !== came.type) return came
  if (isClosed(held) && !isClosed(came)) return held
  if (isText(held) && isText(came) && !isClosed(came) && came.text.length < held.text.length)
    return { ...came, text: held.text }
  return came
}

/** It takes no more text and no more progress. */
export function isClosed(part: Part): boolean {
  if (part.type === "tool") return part.state.status === "completed" || part.state.status === "error"
  if (isText(part)) return part.time === undefined || part.time.end !== undefined
  return true
}

type Text = Extract<Part, { type: "text" | "reasoning" }>

export function isText(part: Part): part is Text {
  return part.type === "text" || part.type === "reasoning"
}

/** A piece of a text. Without `offset` it belongs where the text ends. */
export interface Piece {
  readonly offset?: number | undefined
  readonly delta: string
}

/**
 * The text with a piece of it. What it has already is not added again; undefined when something is missing in between.
 * Counted in UTF-16 units.
 */
export function grown(text: string, { offset = text.length, delta }: Piece): string | undefined {
  if (offset > text.length) return undefined
  const known = text.length - offset
  return known >= delta.length ? text : text + delta.slice(known)
}

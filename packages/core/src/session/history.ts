import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import { summaryFragment } from "../prompt/summary.ts"
import { dateFact } from "./date-fact.ts"

/** A session's messages as the model is to see them. */
export interface History {
  /** What stands for everything that was compacted; empty when nothing was. */
  readonly opening: readonly LanguageModelV4Message[]
  /** The last messages before the compaction, verbatim. */
  readonly tail: readonly MessageWithParts[]
  readonly since: readonly MessageWithParts[]
}

/** The message that asks for a summary, or the summary itself: part of the record, not of the conversation. */
export function isCompaction({ info, parts }: MessageWithParts): boolean {
  return info.role === "assistant" ? info.summary === true : parts.some((part) => part.type === "compaction")
}

/**
 * What is sent of a session: everything, or the newest finished summary with the user's own words and the date, the tail
 * that was kept beside it, and what came since. A pure function of the stored messages. `room` bounds the user's words,
 * in characters.
 */
export function historyOf(stored: readonly MessageWithParts[], room: number): History {
  const found = lastSummary(stored)
  if (!found) return { opening: [], tail: [], since: stored }
  const { request, summary, tailStart } = found
  const head = stored.slice(0, tailStart)
  const text = summaryFragment({ words: userWords(head, room), summary: textOf(stored[summary]!) })
  // The date as the head told it last, unless the tail tells it; what comes later must not change these bytes.
  const told = stored.findLastIndex((message, index) => index < request && dateFact(message) !== undefined)
  const date = told >= 0 && told < tailStart ? dateFact(stored[told]!) : undefined
  const texts = date === undefined ? [text] : [text, date]
  return {
    opening: [{ role: "user", content: texts.map((each) => ({ type: "text", text: each })) }],
    tail: stored.slice(tailStart, request).filter((message) => !isCompaction(message)),
    since: stored.slice(request).filter((_, index) => index + request !== summary),
  }
}

/** A summary that was finished and says something. */
export function isSummary(message: MessageWithParts): boolean {
  const { info } = message
  if (info.role !== "assistant" || !info.summary || info.error || info.time.completed === undefined) return false
  return textOf(message) !== ""
}

export const compactionIn = (parts: readonly Part[]): Extract<Part, { type: "compaction" }> | undefined =>
  parts.find((part) => part.type === "compaction")

function lastSummary(stored: readonly MessageWithParts[]) {
  for (let summary = stored.length - 1; summary > 0; summary--) {
    const message = stored[summary]!
    const { info } = message
    if (info.role !== "assistant" || !isSummary(message)) continue
    const request = stored.findLastIndex((each, index) => index < summary && each.info.id === info.parentID)
    const part = compactionIn(stored[request]?.parts ?? [])
    if (!part) continue
    const tail = stored.findIndex((each) => each.info.id === part.tail_start_id)
    return { request, summary, tailStart: tail < 0 ? request : tail }
  }
  return undefined
}

/** What the user wrote, word for word: the first message, and of the others the newest that fit into `room` characters. */
export function userWords(messages: readonly MessageWithParts[], room: number): string[] {
  const words = messages
    .filter((message) => message.info.role === "user")
    .map(wordsOf)
    .filter((text) => text !== "")
  const [first, ...others] = words
  if (first === undefined) return []
  const opening = first.length > room ? `${first.slice(0, room)}\n[…]` : first
  let left = room - opening.length
  const newest: string[] = []
  for (const text of others.toReversed()) {
    left -= text.length
    if (left < 0) break
    newest.unshift(text)
  }
  return [opening, ...(others.length > newest.length ? ["[messages between are left out]"] : []), ...newest]
}

/** The user's own text, and the names of what was attached. */
export function wordsOf(message: MessageWithParts): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text") return part.synthetic || part.ignored ? [] : [part.text.trim()]
      return part.type === "file" ? [`[attached: ${part.filename ?? "a file"} (${part.mime})]`] : []
    })
    .filter((text) => text !== "")
    .join("\n")
}

function textOf({ parts }: MessageWithParts): string {
  return parts
    .flatMap((part) => (part.type === "text" && !part.ignored ? [part.text] : []))
    .join("\n")
    .trim()
}

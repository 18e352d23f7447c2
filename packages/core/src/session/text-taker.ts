import type { SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type { ReasoningPart, TextPart } from "@cairn/schema/part"
import type { DeltaFlow } from "./delta-flow.ts"
import type { Run } from "./run.ts"

type Kind = "text" | "reasoning"
type Open = TextPart | ReasoningPart

/**
 * Text and reasoning of one stream as stored parts: opened at the first content, grown by deltas, closed whole. What the
 * provider says about a part (a signature) is gathered over its start, deltas and end.
 */
export interface TextTaker {
  start(kind: Kind, id: string, metadata?: SharedV4ProviderMetadata): void
  grow(kind: Kind, id: string, delta: string, metadata?: SharedV4ProviderMetadata): void
  close(kind: Kind, id: string, metadata?: SharedV4ProviderMetadata): void
  closeAll(): void
  /** Some part was opened. */
  readonly any: boolean
}

export function createTextTaker(run: Run, messageID: string, flow: DeltaFlow): TextTaker {
  const open = new Map<string, Open>()
  let any = false

  const put = (part: Open) =>
    run.write({
      type: "message.part.updated",
      // A copy: the text of an open part goes on growing here.
      properties: { sessionID: run.sessionID, part: { ...part }, time: run.clock.now() },
    })
  const opened = (kind: Kind, id: string): Open => {
    const known = open.get(`${kind}:${id}`)
    if (known) return known
    const base = { id: run.partID(), sessionID: run.sessionID, messageID }
    const part: Open = { ...base, type: kind, text: "", time: { start: run.clock.now() } }
    open.set(`${kind}:${id}`, part)
    put(part)
    any = true
    return part
  }
  const note = (part: Open, metadata: SharedV4ProviderMetadata | undefined) => {
    if (metadata) part.metadata = { ...part.metadata, ...metadata }
  }
  const settle = (key: string, part: Open) => {
    open.delete(key)
    flow.settle(part.id)
    const time = { start: part.time?.start ?? run.clock.now(), end: run.clock.now() }
    put({ ...part, time })
  }
  return {
    start(kind, id, metadata) {
      if (metadata) note(opened(kind, id), metadata)
    },
    grow(kind, id, delta, metadata) {
      if (delta === "" && !metadata) return
      const part = opened(kind, id)
      part.text += delta
      note(part, metadata)
      if (delta !== "") flow.add(messageID, part.id, delta)
    },
    close(kind, id, metadata) {
      const key = `${kind}:${id}`
      const part = open.get(key) ?? (metadata && opened(kind, id))
      if (!part) return
      note(part, metadata)
      settle(key, part)
    },
    closeAll() {
      for (const [key, part] of open) settle(key, part)
    },
    get any() {
      return any
    },
  }
}

import type { DurableEvent } from "@cairn/schema/event"
import type { Part, ToolPart } from "@cairn/schema/part"

type Delta = Extract<DurableEvent, { type: "message.part.delta" }>["properties"]
type Report = (problem: string) => void

interface Track {
  part: Part
  /** Text per field, as the deltas and the last whole state give it. */
  readonly fields: Map<string, string>
}

const rank = { pending: 0, running: 1, completed: 2, error: 2 } as const

/** The rules of parts: existing message, ascending ids, tool states forward and settled once, deltas contiguous. */
export class PartChecker {
  readonly #parts = new Map<string, Track>()
  #last = ""

  updated(part: Part, report: Report): void {
    const known = this.#parts.get(part.id)
    if (known === undefined) {
      if (part.id <= this.#last) report(`part ${part.id} is not greater than the one before it, ${this.#last}`)
      if (part.id > this.#last) this.#last = part.id
    } else this.#changed(known, part, report)
    this.#parts.set(part.id, { part, fields: new Map(texts(part)) })
  }

  delta(delta: Delta, report: Report): void {
    const known = this.#parts.get(delta.partID)
    if (known === undefined) return report(`delta for part ${delta.partID}, which does not exist`)
    if (known.part.messageID !== delta.messageID) report(`delta for part ${delta.partID} names another message`)
    if (!isOpen(known.part)) return report(`delta for part ${delta.partID}, which is closed`)
    const before = known.fields.get(delta.field) ?? ""
    if (delta.offset !== before.length) {
      report(`delta for ${delta.partID}.${delta.field} starts at ${delta.offset}, expected ${before.length}`)
    }
    known.fields.set(delta.field, before + delta.delta)
  }

  removed(partID: string, report: Report): void {
    const known = this.#parts.get(partID)
    if (known === undefined) return report(`part ${partID} is removed but does not exist`)
    if (isTool(known.part) && known.part.state.status === "running") report(`running tool part ${partID} is removed`)
    this.#parts.delete(partID)
  }

  messageRemoved(messageID: string, report: Report): void {
    for (const { part } of this.#parts.values()) if (part.messageID === messageID) this.removed(part.id, report)
  }

  /** What must not be open any more when a turn ends. */
  turnEnded(report: Report): void {
    for (const { part } of this.#parts.values()) {
      if (!isOpen(part)) continue
      report(
        isTool(part)
          ? `tool part ${part.id} is ${part.state.status} at the turn's end`
          : `${part.type} part ${part.id} is open at the turn's end`,
      )
    }
  }

  #changed(known: Track, next: Part, report: Report): void {
    const { part } = known
    if (part.type !== next.type) return report(`part ${part.id} turns from ${part.type} into ${next.type}`)
    if (part.messageID !== next.messageID) report(`part ${part.id} moves to another message`)
    if (isTool(part) && isTool(next)) toolChanged(part, next, report)
    const after = new Map(texts(next))
    for (const [field, before] of known.fields) {
      const text = after.get(field)
      if (isOpen(part) && text !== undefined && !text.startsWith(before)) {
        report(`part ${part.id} closes with a ${field} that its deltas are not a prefix of`)
      }
    }
    if (!isTool(part) && !isOpen(part) && isOpen(next)) report(`${part.type} part ${part.id} is opened again`)
  }
}

function toolChanged(before: ToolPart, after: ToolPart, report: Report): void {
  const [from, to] = [before.state.status, after.state.status]
  if (before.callID !== after.callID || before.tool !== after.tool)
    report(`tool part ${before.id} becomes another call`)
  if (rank[from] < 2) {
    if (rank[to] < rank[from]) report(`tool part ${before.id} goes back from ${from} to ${to}`)
    return
  }
  if (rank[to] < 2) return report(`tool part ${before.id} goes back from ${from} to ${to}`)
  const newlyCompacted = compacted(before) === undefined && compacted(after) !== undefined
  if (!newlyCompacted) return report(`tool part ${before.id} settles a second time`)
  if (!Bun.deepEquals(withoutCompacted(before), withoutCompacted(after))) {
    report(`tool part ${before.id} changes after it has settled`)
  }
}

const isTool = (part: Part): part is ToolPart => part.type === "tool"
const compacted = (part: ToolPart) => (part.state.status === "completed" ? part.state.time.compacted : undefined)

function withoutCompacted(part: ToolPart): ToolPart {
  if (part.state.status !== "completed") return part
  const { compacted: _, ...time } = part.state.time
  return { ...part, state: { ...part.state, time } }
}

/** Text without a time was never streamed: it is whole from the start. */
function isOpen(part: Part): boolean {
  if (part.type === "tool") return rank[part.state.status] < 2
  if (part.type !== "text" && part.type !== "reasoning") return false
  return part.time !== undefined && part.time.end === undefined
}

/** The fields that deltas grow. */
function texts(part: Part): [string, string][] {
  if (part.type === "text" || part.type === "reasoning") return [["text", part.text]]
  if (part.type === "tool" && part.state.status === "pending")
    return [
      ["raw", part.state.raw],
      ["state.raw", part.state.raw],
    ]
  return []
}

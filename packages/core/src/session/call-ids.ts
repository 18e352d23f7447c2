import type { ToolPart } from "@cairn/schema/part"

/** The id by which a request names a call. The same calls in the same order get the same ids. */
export type CallIDs = (part: ToolPart, keep: boolean) => string

/**
 * A model gets its own ids back, each once in a conversation: some servers begin to count anew in every answer. Calls
 * whose ids are not to be kept, because another model made them or the protocol refuses their form, get ids that every
 * protocol takes.
 */
export function createCallIDs(): CallIDs {
  const taken = new Set<string>()
  return (part, keep) => {
    const id = keep && !taken.has(part.callID) ? part.callID : neutral(part.id, taken)
    taken.add(id)
    return id
  }
}

/** Nine letters and digits: the narrowest form that any provider asks for. */
function neutral(partID: string, taken: ReadonlySet<string>): string {
  const short = partID.replaceAll(/[^0-9A-Za-z]/g, "").slice(-9)
  return short.length === 9 && !taken.has(short) ? short : partID
}

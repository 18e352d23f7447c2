import type { ToolPart } from "@cairn/schema/part"

/** The id by which a request names a call. The same calls in the same order get the same ids. */
export type CallIDs = (part: ToolPart, own: boolean) => string

/**
 * A model gets its own ids back, each once in a conversation: some servers begin to count anew in every answer. Ids that
 * another one made may be in a form that this one's provider refuses, so those calls get ids that every protocol takes.
 */
export function createCallIDs(): CallIDs {
  const taken = new Set<string>()
  return (part, own) => {
    const id = own && !taken.has(part.callID) ? part.callID : neutral(part.id, taken)
    taken.add(id)
    return id
  }
}

/** Nine letters and digits: the narrowest form that any provider asks for. */
function neutral(partID: string, taken: ReadonlySet<string>): string {
  const short = partID.replaceAll(/[^0-9A-Za-z]/g, "").slice(-9)
  return short.length === 9 && !taken.has(short) ? short : partID
}

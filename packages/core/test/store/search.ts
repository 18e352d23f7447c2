import type { ToolPart, ToolState } from "@cairn/schema/part"
import { type SearchInput, createSearch } from "../../src/store/search.ts"
import type { Store } from "../../src/store/store.ts"
import { created, message, userMessage } from "./events.ts"
import type { TempStore } from "./temp-store.ts"

/** Begins a session with one message. */
export function begin(temp: TempStore, n = "1", more: Parameters<typeof created>[1] = {}): void {
  temp.store.append(`ses_${n}`, [created(`ses_${n}`, more), message(userMessage(`ses_${n}`, `msg_${n}`))])
}

export const toolPart = (id: string, state: ToolState, n = "1"): ToolPart => ({
  ...{ id, sessionID: `ses_${n}`, messageID: `msg_${n}`, type: "tool", callID: "call_1", tool: "bash" },
  state,
})

/** A call that is over. */
export const completed = (
  output: string,
  more: Partial<Extract<ToolState, { status: "completed" }>> = {},
): ToolState => ({
  ...{ status: "completed", input: {}, output, title: "", metadata: {}, time: { start: 1, end: 2 } },
  ...more,
})

/** Takes everything into the index. */
export function fillUp({ search }: Store): void {
  for (
    let state = search.state();
    state.is === "absent" || (state.is === "kept" && state.waiting > 0);
    state = search.state()
  )
    search.fill()
}

/** Searches what is in the index. */
export const searchIn = ({ database, clock }: TempStore, input: SearchInput) =>
  createSearch(database, () => clock.now())(input)

/** Ids of the parts in which it is found, sorted. */
export function foundBy(temp: TempStore, query: string): string[] {
  fillUp(temp.store)
  const found = searchIn(temp, { query, limit: 100 })
  if (!found.ok) throw new Error(found.error.message)
  return found.value.hits.map((hit) => hit.partID).toSorted()
}

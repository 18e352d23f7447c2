import { list, name, record } from "./json.ts"

/** Why the real service would refuse this request with 400, in about its words; undefined when it would not. */
export function checkResponses(body: unknown): string | undefined {
  const input = record(body).input
  if (input === undefined || typeof input === "string") return undefined
  const items = list(input).map(record)
  if (items.length === 0) return "input: expected a non-empty array"
  const of = (type: string) => items.filter((item) => item.type === type).map((item) => name(item.call_id))
  const calls = of("function_call")
  const outputs = of("function_call_output")
  if (new Set(calls).size < calls.length) return "function calls need distinct call ids"
  if (new Set(outputs).size < outputs.length) return "a function call has more than one output"
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return `No tool output found for function call ${open}.`
  const orphan = outputs.find((id) => !calls.includes(id))
  if (orphan !== undefined) return `No tool call found for function call output with call_id ${orphan}.`
  return lonelyReasoning(items)
}

/** A reasoning item belongs to what followed it, and is refused without it. */
function lonelyReasoning(items: Record<string, unknown>[]): string | undefined {
  const lonely = items.find((item, index) => {
    const next = items[index + 1]
    const follows = next?.type === "reasoning" || next?.type === "function_call" || next?.role === "assistant"
    return item.type === "reasoning" && !follows
  })
  return lonely && `Item '${name(lonely.id)}' of type 'reasoning' was provided without its required following item.`
}

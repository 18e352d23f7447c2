import { list, name, record } from "./json.ts"

/** Why the real service would refuse this request with 400, in about its words; undefined when it would not. */
export function checkChat(body: unknown): string | undefined {
  const messages = record(body).messages
  if (messages === undefined) return undefined
  if (!Array.isArray(messages) || messages.length === 0) return "messages: expected a non-empty array"
  let waiting: string[] = []
  for (const [index, message] of messages.map(record).entries()) {
    const at = `messages[${index}]`
    if (message.role === "tool") {
      const id = name(message.tool_call_id)
      if (!waiting.includes(id))
        return `${at}: role 'tool' must answer a preceding message with tool_calls, but ${id} is not called there`
      waiting = waiting.filter((candidate) => candidate !== id)
      continue
    }
    if (waiting.length > 0) return `${at}: tool_call_ids without a response message: ${waiting.join(", ")}`
    if (message.role !== "assistant") continue
    const calls = list(message.tool_calls).map(record)
    waiting = calls.map((call) => name(call.id))
    if (new Set(waiting).size < waiting.length || waiting.includes("")) return `${at}: tool_calls need distinct ids`
    const broken = calls.find((call) => !isJson(name(record(call.function).arguments)))
    if (broken) return `${at}: the arguments of ${name(broken.id)} are not JSON`
    if (calls.length === 0 && !message.content) return `${at}: an assistant message needs content or tool_calls`
  }
  return waiting.length > 0 ? `tool_call_ids without a response message: ${waiting.join(", ")}` : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

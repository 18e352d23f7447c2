import { isObject, list, name, record, type Json } from "./json.ts"

/** Why the real service would refuse this request with 400, in about its words; undefined when it would not. */
export function checkAnthropic(body: unknown): string | undefined {
  const request = record(body)
  if (request.messages === undefined) return undefined
  const messages = list(request.messages).map(record)
  if (messages.length === 0) return "messages: at least one message is required"
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role'
  if (typeof request.max_tokens !== "number" || request.max_tokens < 1) return "max_tokens: Field required"
  const marks = JSON.stringify(body).split('"cache_control":').length - 1
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`
  const turns = merged(messages)
  for (const [index, turn] of turns.entries()) {
    const problem = checkTurn(turn, turns[index - 1], turns[index + 1], index === turns.length - 1)
    if (problem) return `messages.${index}: ${problem}`
  }
  return undefined
}

interface Turn {
  readonly role: string
  readonly blocks: Json[]
}

/** The service joins messages of one role. */
function merged(messages: Json[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const blocks =
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : list(message.content).map(record)
    const last = turns.at(-1)
    if (last !== undefined && last.role === message.role) last.blocks.push(...blocks)
    else turns.push({ role: name(message.role), blocks })
  }
  return turns
}

function checkTurn(turn: Turn, before: Turn | undefined, after: Turn | undefined, last: boolean): string | undefined {
  if (turn.role !== "user" && turn.role !== "assistant") return `unexpected role ${turn.role}`
  if (turn.blocks.length === 0 && !(last && turn.role === "assistant"))
    return "all messages must have non-empty content"
  const uses = ids(turn, "tool_use", "id")
  const results = ids(turn, "tool_result", "tool_use_id")
  if (new Set(uses).size < uses.length) return "`tool_use` ids must be unique"
  if (new Set(results).size < results.length) return "each tool_use must have a single result"
  const odd = uses.find((id) => !/^[\w-]+$/.test(id))
  if (odd !== undefined) return `tool_use.id: ${odd} should match pattern '^[a-zA-Z0-9_-]+$'`
  const called = before === undefined ? [] : ids(before, "tool_use", "id")
  const orphan = results.find((id) => !called.includes(id))
  if (orphan !== undefined) return `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`
  const answered = after === undefined ? [] : ids(after, "tool_result", "tool_use_id")
  const open = uses.filter((id) => !answered.includes(id))
  if (open.length > 0)
    return `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}`
  return turn.blocks.map(checkBlock).find((problem) => problem !== undefined)
}

function checkBlock(block: Json): string | undefined {
  if (block.type === "text" && name(block.text) === "") return "text content blocks must be non-empty"
  if (block.type === "text" && name(block.text).trim() === "")
    return "text content blocks must contain non-whitespace text"
  if (block.type === "thinking" && name(block.signature) === "") return "thinking.signature: Field required"
  if (block.type === "tool_use" && !isObject(block.input)) return "tool_use.input: Input should be a valid dictionary"
  return undefined
}

const ids = (turn: Turn, type: string, field: string): string[] =>
  turn.blocks.filter((block) => block.type === type).map((block) => name(block[field]))

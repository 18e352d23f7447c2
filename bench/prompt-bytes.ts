/** Size of what stands before the conversation, bytes of UTF-8. */
export interface PromptSize {
  readonly system: number
  readonly tools: number
  /** (system + tools) ÷ 4, rounded up. */
  readonly tokens: number
}

interface ChatBody {
  readonly tools?: unknown
  readonly messages?: readonly { readonly role?: string; readonly content?: unknown }[]
}

/** Of a chat-completions request. */
export function promptSize(body: unknown): PromptSize {
  const { tools, messages = [] } = body as ChatBody
  const systems = messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content))
  const system = Buffer.byteLength(systems.join("\n"))
  const declared = tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools))
  return { system, tools: declared, tokens: Math.ceil((system + declared) / 4) }
}

/** The least share of a request's prompt with which the next request begins: 1 when each is a prefix of the next. */
export function keptShare(bodies: readonly unknown[]): number {
  const prompts = bodies.map(promptText)
  let least = 1
  for (let index = 1; index < prompts.length; index++) {
    const before = prompts[index - 1] ?? ""
    least = Math.min(least, before === "" ? 1 : commonPrefix(before, prompts[index] ?? "") / before.length)
  }
  return least
}

/** Tools, then messages, without the bracket that closes the list: it stands behind more in the next request. */
function promptText(body: unknown): string {
  const { tools, messages = [] } = body as ChatBody
  return `${JSON.stringify(tools ?? [])}\n${messages.map((message) => JSON.stringify(message)).join("\n")}`
}

function commonPrefix(a: string, b: string): number {
  if (b.startsWith(a)) return a.length
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "")
}

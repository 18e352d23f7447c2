import { mergeDeltas } from "./merge-deltas.ts"

/** Gives those bytes of a stream of events that belong to the answer. */
export interface StreamEnd {
  take(bytes: Uint8Array): Uint8Array
  /** At the end of the stream: an event that no blank line closed. */
  rest(): Uint8Array
  /** All of the content was there; only its counts may still come. */
  readonly closed: boolean
}

type Json = Record<string, unknown>

interface EndRule {
  /** Can an event be the end? Asked of every event, so it has to be cheap. */
  readonly hint: RegExp
  /** Does this event end the content? */
  isEnd(event: Json): boolean
  /** What still counts of an event behind the end; undefined when nothing does. */
  behind(event: Json): Json | undefined
  /** An event that adds text, up to that text. */
  readonly grows?: RegExp
}

/** By the options key, where events that add text are alike but for it. */
export const growingText = {
  compat:
    /"delta":\s?\{\s?(?:"role":\s?"assistant",\s?)?"(?:(?:reasoning_)?content|reasoning|tool_calls":\s?\[\{"index":\s?\d+,\s?"function":\s?\{"arguments)":\s?"/g,
  anthropic: /"delta":\s?\{"type":\s?"\w+_delta",\s?"(?:text|thinking|partial_json)":\s?"/g,
} as const

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const some = (list: unknown, field: string): boolean =>
  Array.isArray(list) && list.some((each) => isRecord(each) && typeof each[field] === "string" && each[field] !== "")

const byType = (...types: string[]): EndRule => ({
  hint: new RegExp(types.join("|").replaceAll(".", "\\.")),
  isEnd: ({ type }) => types.includes(String(type)),
  behind: () => undefined,
})

/** How an answer ends, by the options key of its protocol. */
const rules: Readonly<Record<string, EndRule>> = {
  // The usage comes behind the finish reason, and not every server sends [DONE].
  compat: {
    hint: /"finish_reason"\s*:\s*"[^"]/,
    isEnd: ({ choices }) => some(choices, "finish_reason"),
    behind: (event) => (isRecord(event["usage"]) ? { ...event, choices: [] } : undefined),
    grows: growingText.compat,
  },
  anthropic: { ...byType("message_stop"), grows: growingText.anthropic },
  openai: byType("response.completed", "response.incomplete", "response.failed"),
  google: {
    hint: /"finishReason"\s*:\s*"[^"]/,
    isEnd: ({ candidates }) => some(candidates, "finishReason"),
    behind({ candidates, ...event }) {
      // Older models give the reason with every piece of the answer.
      if (some(candidates, "finishReason")) return { ...event, candidates }
      return isRecord(event["usageMetadata"]) ? event : undefined
    },
  },
}

/**
 * Ends an answer where its protocol ends it: what a server sends behind that would be taken for a part of it, run as a
 * call, or throw the whole answer away. `ignored` is told of the first such event. Undefined for a protocol without a rule.
 */
export function createStreamEnd(optionsKey: string, ignored: () => void): StreamEnd | undefined {
  const rule = rules[optionsKey]
  if (!rule) return undefined
  // As latin1, each byte is a character and stays what it is.
  let held: string[] = []
  let tail = ""
  let closed = false
  let told = false

  const behind = (event: string): string => {
    const data = dataOf(event)
    if (data === undefined || data.trim() === "[DONE]") return event
    const value = parsed(data)
    const kept = value && rule.behind(value)
    if (kept) return `data: ${JSON.stringify(kept)}\n\n`
    if (!told) ignored()
    told = true
    return ""
  }
  const pass = (event: string): string => {
    if (closed) return behind(event)
    if (rule.hint.test(event)) {
      const value = parsed(dataOf(event) ?? "")
      closed = value !== undefined && rule.isEnd(value)
    }
    return event
  }
  return {
    take(bytes) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
      const ends = /\r\n\r\n|\n\n|\r\r/.test(tail + text)
      held.push(text)
      tail = (tail + text).slice(-3)
      if (!ends) return new Uint8Array()
      const all = held.length === 1 ? text : held.join("")
      const end = endOfEvents(all)
      held = end < all.length ? [all.slice(end)] : []
      tail = all.slice(end).slice(-3)
      const whole = all.slice(0, end)
      // Almost always: no event in it ends the content.
      if (!closed && !rule.hint.test(whole)) {
        const merged = rule.grows ? mergeDeltas(whole, rule.grows) : whole
        return merged === whole && all === text ? bytes.subarray(0, end) : Buffer.from(merged, "latin1")
      }
      return Buffer.from(eventsIn(whole).map(pass).join(""), "latin1")
    },
    rest() {
      const event = held.join("")
      held = []
      return Buffer.from(event === "" ? "" : pass(event), "latin1")
    },
    get closed() {
      return closed
    },
  }
}

/** Events with the empty lines that end them. */
const eventsIn = (text: string): string[] => text.match(/[^]+?(?:\r\n\r\n|\n\n|\r\r)/g) ?? []

/** Where the last empty line ends. */
const endOfEvents = (text: string): number =>
  Math.max(
    ...["\n\n", "\r\n\r\n", "\r\r"].map((line) => text.lastIndexOf(line) + line.length * Number(text.includes(line))),
  )

/** The data of an event; undefined when it has none. */
function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"))
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5)).join("\n")
}

function parsed(data: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // noise
  }
}

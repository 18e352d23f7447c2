import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { PromptInput } from "@cairn/schema/engine"

/**
 * What a caller gave as a prompt, as far as the schema knows it: what it does not allow is refused, what it does not
 * name is left out. Plain words are told without the schema, and without waiting.
 */
export function checkInput(
  input: PromptInput,
): Result<PromptInput, SetupError> | Promise<Result<PromptInput, SetupError>> {
  return isPlain(input) ? ok(input) : bySchema(input)
}

const plainKeys: ReadonlySet<string> = new Set([
  "sessionID",
  "parts",
  "model",
  "variant",
  "agent",
  "delivery",
  "asks",
  "tools",
  "system",
  "noReply",
  "messageID",
])
const deliveries: ReadonlySet<unknown> = new Set([undefined, "steer", "queue"])
const askModes: ReadonlySet<unknown> = new Set([undefined, "wait", "deny", "auto"])

/** Are its parts plain texts, and the rest what it should be? Such a prompt is durable in the tick in which it came. */
function isPlain(input: unknown): boolean {
  if (!isRecord(input) || !Object.keys(input).every((key) => plainKeys.has(key))) return false
  const { sessionID, parts, model, variant, agent, delivery, asks, tools, system, noReply, messageID } = input
  if (typeof sessionID !== "string" || ![variant, agent, system, messageID].every(isTextOrNone)) return false
  if (tools !== undefined && !(isRecord(tools) && Object.values(tools).every(isBoolean))) return false
  if (noReply !== undefined && !isBoolean(noReply)) return false
  if (!deliveries.has(delivery) || !askModes.has(asks)) return false
  if (model !== undefined && !isPlainModel(model)) return false
  return Array.isArray(parts) && parts.every(isPlainText)
}

const isPlainText = (part: unknown): boolean =>
  isRecord(part) && part["type"] === "text" && typeof part["text"] === "string" && Object.keys(part).length === 2

const isPlainModel = (model: unknown): boolean =>
  isRecord(model) &&
  typeof model["providerID"] === "string" &&
  typeof model["modelID"] === "string" &&
  isTextOrNone(model["variant"])

const isBoolean = (value: unknown): boolean => typeof value === "boolean"

const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === "string"

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

async function bySchema(input: unknown): Promise<Result<PromptInput, SetupError>> {
  const { promptInput } = await import("./input-schema.ts")
  const given = isRecord(input) ? Object.entries(input).filter(([, value]) => value !== undefined) : undefined
  const parsed = promptInput.safeParse(given ? Object.fromEntries(given) : input)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue && issue.path.length > 0 ? ` at ${issue.path.join(".")}` : ""
    return err({ kind: "usage", message: `The prompt is not in a form that is understood${place}: ${issue?.message}.` })
  }
  const lost = unstorable(parsed.data)
  if (lost !== undefined) return err({ kind: "usage", message: `The prompt cannot be stored as JSON: ${lost}` })
  return ok(parsed.data)
}

/** Why free values in it (metadata, a schema) are no JSON; undefined when they are. */
function unstorable(value: unknown): string | undefined {
  try {
    JSON.stringify(value)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.split("\n", 1)[0] : String(error)
  }
}

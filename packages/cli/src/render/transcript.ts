import type { MessageError } from "@cairn/schema/error"
import type { AssistantMessage, MessageWithParts } from "@cairn/schema/message"
import type { Session } from "@cairn/schema/session"
import { sanitiseLine } from "../terminal/sanitise.ts"
import { money, tokens } from "./format.ts"
import { partLines } from "./part.ts"
import type { ToolView } from "./tool.ts"

/** A session as a person reads it: what it is, then who said and did what. */
export function transcript(session: Session, messages: readonly MessageWithParts[], view: ToolView): string {
  const { style } = view
  const spent = [session.tokens && tokens(session.tokens), money(session.cost ?? 0)].filter(Boolean).join(", ")
  const head = [
    style.strong(sanitiseLine(session.title)),
    style.dim(`${session.id} in ${sanitiseLine(session.directory)}, ${moment(session.time.created)}`),
    ...(spent === "" ? [] : [style.dim(spent)]),
  ]
  const blocks = joined(messages).map((message) => messageLines(message, view))
  return `${[head, ...blocks.filter((block) => block.length > 1)].map((block) => block.join("\n")).join("\n\n")}\n`
}

/** Each step is a message of its own; what one agent did in a row is one block. */
export function joined(messages: readonly MessageWithParts[]): MessageWithParts[] {
  const blocks: MessageWithParts[] = []
  for (const message of messages) {
    const last = blocks.at(-1)
    const same =
      last?.info.role === "assistant" && message.info.role === "assistant" && speaker(last) === speaker(message)
    if (last && same && !failure(last))
      blocks[blocks.length - 1] = { info: message.info, parts: [...last.parts, ...message.parts] }
    else blocks.push(message)
  }
  return blocks
}

function messageLines(message: MessageWithParts, view: ToolView): string[] {
  const { style } = view
  const error = failure(message)
  const fallback = message.info.role === "assistant" ? message.info.fallback : undefined
  return [
    style.strong(speaker(message)),
    ...(fallback ? [style.warn(sanitiseLine(takeOverText(fallback)))] : []),
    ...message.parts.flatMap((part) => partLines(part, view)),
    ...(error === undefined ? [] : [style.bad(sanitiseLine(errorText(error)))]),
  ]
}

/** Who a message is from: `You`, or the agent with its model. */
export function speaker({ info }: MessageWithParts): string {
  if (info.role === "user") return "You"
  return sanitiseLine(`${info.agent} (${info.providerID}/${info.modelID})`)
}

/** Why the chosen model does not answer. */
export const takeOverText = ({ providerID, modelID, message }: NonNullable<AssistantMessage["fallback"]>): string =>
  `${providerID}/${modelID} does not answer (${message.replace(/\.$/, "")})`

/** What ended the message before its time. */
export function failure({ info }: MessageWithParts): MessageError | undefined {
  return info.role === "assistant" ? info.error : undefined
}

/** What to tell a person about an error that ended a message. */
export function errorText(error: MessageError): string {
  const message = "message" in error.data ? error.data.message : undefined
  if (typeof message === "string" && message !== "") return message
  return error.name === "MessageOutputLengthError" ? "the answer was longer than the model may write" : error.name
}

/** `2026-01-01 12:30`, UTC. */
export function moment(time: number): string {
  return new Date(time).toISOString().replace("T", " ").slice(0, 16)
}

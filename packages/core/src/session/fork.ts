import type { Clock } from "@cairn/kernel/clock"
import type { Ids } from "@cairn/kernel/id"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { Message, MessageWithParts } from "@cairn/schema/message"
import type { Part } from "@cairn/schema/part"
import type { Session } from "@cairn/schema/session"
import type { Store } from "../store/store.ts"
import { isOpen } from "./closing.ts"
import { visible } from "./revert-point.ts"

export interface ForkDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly version: string
}

/**
 * Copies a session up to a message, which is not in the copy, or to its end, into a new one. Files stay as they are: what
 * the old session changed in them is its own to take back. What was paid for the copied answers is not counted again.
 */
export function forkSession(deps: ForkDeps, sessionID: string, messageID?: string): Result<Session, SetupError> {
  const { store, clock, ids } = deps
  const from = store.read.session(sessionID)
  if (!from) return err(problem(`There is no session ${sessionID}.`))
  const all = visible(store.read.messages(sessionID), from.revert)
  const end = messageID === undefined ? all.length : all.findIndex(({ info }) => info.id === messageID)
  if (end < 0) return err(problem(`Session ${sessionID} has no message ${messageID}.`))
  const unfinished = all.findIndex(({ info }) => isOpen(info))
  const messages = all.slice(0, unfinished < 0 ? end : Math.min(end, unfinished))
  const now = clock.now()
  const id = ids.next("session")
  const info: Session = {
    ...{ id, slug: id.slice(-8).toLowerCase(), projectID: from.projectID, directory: from.directory },
    ...(from.path !== undefined && { path: from.path }),
    // A fork of a subagent's session is bounded as that was.
    ...(from.parentID !== undefined && { parentID: from.parentID }),
    title: forkTitle(from.title),
    ...(from.agent !== undefined && { agent: from.agent }),
    ...(from.model && { model: from.model }),
    ...(from.permission && { permission: from.permission }),
    version: deps.version,
    metadata: { ...from.metadata, forkedFrom: { sessionID, ...(messageID !== undefined && { messageID }) } },
    time: { created: now, updated: now },
  }
  const copied = copyMessages(messages, id, ids, now)
  store.append(id, [{ type: "session.created", properties: { sessionID: id, info } }, ...copied])
  return ok(info)
}

/** "A title (fork #2)" for the fork of a fork. */
function forkTitle(title: string): string {
  const [, plain = title, number] = /^(.*) \(fork #(\d+)\)$/s.exec(title) ?? []
  return `${plain} (fork #${Number(number ?? 0) + 1})`
}

function copyMessages(messages: readonly MessageWithParts[], sessionID: string, ids: Ids, now: number): DurableEvent[] {
  const names = new Map<string, string>()
  let lastMessage: string | undefined
  let lastPart: string | undefined
  const partID = () => (lastPart = ids.next("part", lastPart))
  for (const { info } of messages) names.set(info.id, (lastMessage = ids.next("message", lastMessage)))
  const named = (id: string) => names.get(id) ?? id
  return messages.flatMap(({ info, parts }): DurableEvent[] => {
    const messageID = named(info.id)
    return [
      { type: "message.updated", properties: { sessionID, info: copyInfo(info, sessionID, named) } },
      ...parts
        .filter(({ type }) => type !== "patch" && type !== "snapshot")
        .map((part): DurableEvent => {
          const copy = copyPart(part, { id: partID(), sessionID, messageID }, named, partID)
          return { type: "message.part.updated", properties: { sessionID, part: copy, time: now } }
        }),
    ]
  })
}

/** Without the sums of the journal, which stays with the old session. */
function copyInfo(info: Message, sessionID: string, named: (id: string) => string): Message {
  if (info.role === "assistant") return { ...info, id: named(info.id), sessionID, parentID: named(info.parentID) }
  const { summary: _, ...bare } = info
  return { ...bare, id: named(info.id), sessionID }
}

interface PartName {
  readonly id: string
  readonly sessionID: string
  readonly messageID: string
}

function copyPart(part: Part, name: PartName, named: (id: string) => string, partID: () => string): Part {
  switch (part.type) {
    case "step-start":
      return { ...name, type: part.type }
    case "step-finish": {
      const { snapshot: _, ...bare } = part
      return { ...bare, ...name }
    }
    case "compaction":
      return { ...part, ...name, ...(part.tail_start_id !== undefined && { tail_start_id: named(part.tail_start_id) }) }
    case "tool": {
      const { state } = part
      if (state.status !== "completed" || !state.attachments) return { ...part, ...name }
      const attachments = state.attachments.map((file) => ({ ...file, ...name, id: partID() }))
      return { ...part, ...name, state: { ...state, attachments } }
    }
    default:
      return { ...part, ...name }
  }
}

const problem = (message: string): SetupError => ({ kind: "session", message })

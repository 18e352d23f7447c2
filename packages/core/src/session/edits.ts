import type { Clock } from "@cairn/kernel/clock"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { Part } from "@cairn/schema/part"
import type { Store } from "../store/store.ts"
import type { Coordinator } from "./coordinator.ts"

/** What a person changes by hand in what was said. Refused while the session runs, or while a part of it is reverted. */
export interface Edits {
  deleteMessage(sessionID: string, messageID: string): Promise<Result<void, SetupError>>
  deletePart(sessionID: string, messageID: string, partID: string): Promise<Result<void, SetupError>>
  /** Replaces a part by another one of its kind. */
  updatePart(part: Part): Promise<Result<Part, SetupError>>
}

interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly coordinator: Pick<Coordinator, "hold">
}

export function createEdits(deps: Deps): Edits {
  return {
    async deleteMessage(sessionID, messageID) {
      const known = findMessage(deps, sessionID, messageID)
      if (!known.ok) return known
      return await write(deps, sessionID, [{ type: "message.removed", properties: { sessionID, messageID } }])
    },
    async deletePart(sessionID, messageID, partID) {
      const known = findPart(deps, sessionID, messageID, partID)
      if (!known.ok) return known
      const properties = { sessionID, messageID, partID }
      return await write(deps, sessionID, [{ type: "message.part.removed", properties }])
    },
    async updatePart(part) {
      const { sessionID, messageID, id } = part
      const known = findPart(deps, sessionID, messageID, id)
      if (!known.ok) return known
      if (known.value.type !== part.type) {
        const message = `Part ${id} is of the type ${known.value.type}, and cannot become ${part.type}.`
        return err({ kind: "usage", message })
      }
      const properties = { sessionID, part, time: deps.clock.now() }
      const written = await write(deps, sessionID, [{ type: "message.part.updated", properties }])
      return written.ok ? ok(part) : written
    },
  }
}

async function write(
  { coordinator }: Deps,
  sessionID: string,
  events: readonly DurableEvent[],
): Promise<Result<void, SetupError>> {
  return await coordinator.hold(sessionID, events, async () => ({ events: [], value: undefined }))
}

function findMessage({ store }: Deps, sessionID: string, messageID: string): Result<void, SetupError> {
  const session = store.read.session(sessionID)
  if (!session) return err({ kind: "session", message: `There is no session ${sessionID}.` })
  if (store.read.message(messageID)?.sessionID !== sessionID)
    return err({ kind: "session", message: `Session ${sessionID} has no message ${messageID}.` })
  if (!session.revert) return ok(undefined)
  return err({ kind: "usage", message: `A part of session ${sessionID} is reverted. Bring it back first, or go on.` })
}

function findPart(deps: Deps, sessionID: string, messageID: string, partID: string): Result<Part, SetupError> {
  const known = findMessage(deps, sessionID, messageID)
  if (!known.ok) return known
  const part = deps.store.read.parts(messageID).find(({ id }) => id === partID)
  return part ? ok(part) : err({ kind: "session", message: `Message ${messageID} has no part ${partID}.` })
}

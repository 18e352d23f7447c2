import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { type Failure, failure, failureOf } from "../failure.ts"
import type { Routes } from "../route.ts"
import { answerOf } from "../turn-answer.ts"

type EditRoute = "session.deleteMessage" | "part.delete" | "part.update" | "session.shell"

export const editRoutes: Routes<EditRoute> = {
  "session.deleteMessage": async ({ engine, params }) =>
    done(await engine.deleteMessage(params.sessionID, params.messageID)),
  "part.delete": async ({ engine, params }) =>
    done(await engine.deletePart(params.sessionID, params.messageID, params.partID)),
  async "part.update"({ engine, params: { sessionID, messageID, partID }, body }) {
    if (body.id !== partID || body.messageID !== messageID || body.sessionID !== sessionID)
      return err(failure("BadRequest", "The ids of the part are not those of the path.", { kind: "Body" }))
    const updated = await engine.updatePart(body)
    return updated.ok ? ok(updated.value) : err(failureOf(updated.error))
  },
  async "session.shell"({ engine, params, body }) {
    const outcome = await engine.shell({ ...params, ...body })
    return outcome.ok ? answerOf(engine, outcome.value) : err(failureOf(outcome.error))
  },
}

const done = (result: Result<void, SetupError>): Result<boolean, Failure> =>
  result.ok ? ok(true) : err(failureOf(result.error))

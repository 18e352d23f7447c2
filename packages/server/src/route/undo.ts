import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { RevertedSession } from "@cairn/schema/operation/undo"
import type { DiffInput, RevertReport } from "@cairn/schema/revert"
import { type Failure, failure, failureOf, notFound } from "../failure.ts"
import type { Routes } from "../route.ts"

export const undoRoutes: Routes<"session.diff" | "session.revert" | "session.unrevert"> = {
  async "session.diff"({ engine, params, query }) {
    if (!engine.session(params.sessionID)) return err(notFound(`There is no session ${params.sessionID}.`))
    const input = diffInput(query)
    if (!input.ok) return input
    const diff = await engine.diff(params.sessionID, input.value)
    return diff.ok ? ok(diff.value) : err(failureOf(diff.error))
  },
  async "session.revert"({ engine, params, body: { messageID, partID, ...how } }) {
    return told(await engine.revert(params.sessionID, { to: partID ?? messageID, ...how }))
  },
  async "session.unrevert"({ engine, params, body = {} }) {
    return told(await engine.unrevert(params.sessionID, body))
  },
}

type Asked = { messageID?: string | undefined; from?: string | undefined; to?: string | undefined }

function diffInput({ messageID, from, to }: Asked): Result<DiffInput, Failure> {
  if (from === undefined && to === undefined) return ok(messageID === undefined ? {} : { messageID })
  if (from !== undefined && to !== undefined && messageID === undefined) return ok({ from, to })
  return err(failure("BadRequest", "Give `messageID`, or both `from` and `to`.", { kind: "Query" }))
}

function told(result: Result<RevertReport, SetupError>): Result<RevertedSession, Failure> {
  if (!result.ok) return err(failureOf(result.error))
  const { session, ...report } = result.value
  return ok({ ...session, report })
}

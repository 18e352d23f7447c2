import { err, ok } from "@cairn/kernel/result"
import { failureOf, notFound } from "../failure.ts"
import type { Routes } from "../route.ts"

export const inboxRoutes: Routes<"session.inbox.list" | "session.inbox.update" | "session.inbox.remove"> = {
  "session.inbox.list": ({ engine, params: { sessionID } }) =>
    engine.session(sessionID) ? ok(engine.inbox(sessionID)) : err(notFound(`There is no session ${sessionID}.`)),
  "session.inbox.update": ({ engine, params, body }) => {
    const changed = engine.changeInbox(params.sessionID, params.inboxID, body)
    return changed.ok ? ok(changed.value) : err(failureOf(changed.error))
  },
  "session.inbox.remove": ({ engine, params }) => {
    const removed = engine.cancelInbox(params.sessionID, params.inboxID)
    return removed.ok ? ok(true) : err(failureOf(removed.error))
  },
}

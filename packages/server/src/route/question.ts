import type { Engine } from "@cairn/schema/engine"
import { err, ok, type Result } from "@cairn/kernel/result"
import { type Failure, notFound } from "../failure.ts"
import type { Routes, ServerContext } from "../route.ts"

export const questionRoutes: Routes<"question.list" | "question.reply" | "question.reject"> = {
  "question.list": ({ engine }) => ok(engine.pendingQuestions()),
  "question.reply": ({ engine, server, params: { requestID }, body }) =>
    answer(engine, server, requestID, (asking) => asking.replyQuestion(requestID, body.answers)),
  "question.reject": ({ engine, server, params: { requestID }, body }) =>
    answer(engine, server, requestID, (asking) => asking.rejectQuestion(requestID, body?.message)),
}

/** A question has an id of its own: it is found wherever it waits, whichever directory the call names. */
function answer(
  engine: Engine,
  { instances }: ServerContext,
  id: string,
  give: (engine: Engine) => boolean,
): Result<boolean, Failure> {
  const asking = [engine, ...instances.engines()].find((one) => one.pendingQuestions().some((each) => each.id === id))
  return give(asking ?? engine) ? ok(true) : err(notFound(`No question ${id} waits.`))
}

import type { Ids } from "@cairn/kernel/id"
import { type Result, err, ok } from "@cairn/kernel/result"
import { noSpan, type Span } from "@cairn/kernel/span"
import { abortable } from "@cairn/kernel/task"
import type { ToolFailure } from "@cairn/schema/error"
import type { DurableEvent } from "@cairn/schema/event"
import type { QuestionAnswer, QuestionInfo, QuestionRequest } from "@cairn/schema/question"

/** Whose questions they are. */
export interface QuestionScope {
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
  readonly signal: AbortSignal
  /** What asks. */
  readonly span?: Span
}

export interface QuestionsOptions {
  /** Makes events durable and publishes them, all or none, before it returns. */
  append(sessionID: string, events: DurableEvent[]): void
  readonly ids: Pick<Ids, "next">
}

/**
 *     ask: `question.asked` is durable
 *       ├ reply ────────────────► ok, an answer for each question
 *       ├ reject with a message ► denied      (goes to the model)
 *       ├ reject ───────────────► rejected    (ends the turn; the session's other questions are rejected too)
 *       └ interrupted: `question.rejected` is durable, rejects with the signal's reason
 *
 * Every `question.asked` gets exactly one `question.replied` or `question.rejected`.
 */
export interface Questions {
  ask(questions: readonly QuestionInfo[], scope: QuestionScope): Promise<Result<readonly QuestionAnswer[], ToolFailure>>
  /** Labels or own words, a list for each question; what is missing is no answer. False when nothing of that id waits here. */
  reply(requestID: string, answers: readonly QuestionAnswer[]): boolean
  /** The user will not answer. With a message the turn goes on. False when nothing of that id waits here. */
  reject(requestID: string, message?: string): boolean
  /** Questions of this process that wait for an answer, oldest first. */
  pending(sessionID?: string): QuestionRequest[]
}

type Answered = Result<readonly QuestionAnswer[], ToolFailure>

interface Waiting {
  readonly request: QuestionRequest
  settle(result: Answered): void
}

const dismissed: ToolFailure = { kind: "rejected", message: "The user dismissed the question." }
const mostLabels = 100
const longestAnswer = 20_000

export function createQuestions(options: QuestionsOptions): Questions {
  const waiting = new Map<string, Waiting>()

  // Taken out before the append: a listener of the bus may answer again. Put back when the log cannot be written.
  const settle = (one: Waiting, event: DurableEvent, result: Answered) => {
    if (!waiting.delete(one.request.id)) return
    try {
      options.append(one.request.sessionID, [event])
    } catch (error) {
      waiting.set(one.request.id, one)
      throw error
    }
    one.settle(result)
  }

  return {
    async ask(questions, { sessionID, messageID, callID, signal, span: parent = noSpan }) {
      signal.throwIfAborted()
      using span = parent.span("ask question", { "cairn.kind": "ask", "cairn.ask.permission": "question" })
      const id = options.ids.next("question")
      const request: QuestionRequest = { id, sessionID, questions: [...questions], tool: { messageID, callID } }
      const answer = Promise.withResolvers<Answered>()
      waiting.set(id, { request, settle: answer.resolve })
      try {
        options.append(sessionID, [{ type: "question.asked", properties: request }])
      } catch (error) {
        waiting.delete(id)
        throw error
      }
      try {
        const answered = await abortable(answer.promise, signal)
        span.set({ "cairn.ask.answer": answered.ok ? "answered" : answered.error.kind })
        return answered
      } catch (error) {
        span.fail("interrupted")
        // The answer may have come in the same tick as the interruption: then it stands.
        if (waiting.delete(id)) options.append(sessionID, [rejected(request)])
        throw error
      }
    },

    reply(requestID, given) {
      const one = waiting.get(requestID)
      if (!one) return false
      const answers = one.request.questions.map((_, index) =>
        (given[index] ?? []).slice(0, mostLabels).map((label) => label.slice(0, longestAnswer)),
      )
      const { sessionID } = one.request
      settle(one, { type: "question.replied", properties: { sessionID, requestID, answers } }, ok(answers))
      return true
    },

    reject(requestID, message) {
      const one = waiting.get(requestID)
      if (!one) return false
      const said = message?.trim()
      if (said) {
        settle(one, rejected(one.request), err({ kind: "denied", message: said }))
        return true
      }
      settle(one, rejected(one.request), err(dismissed))
      for (const other of [...waiting.values()].filter((each) => each.request.sessionID === one.request.sessionID))
        settle(other, rejected(other.request), err(dismissed))
      return true
    },

    pending(sessionID) {
      const requests = [...waiting.values()].map((one) => one.request)
      return sessionID === undefined ? requests : requests.filter((request) => request.sessionID === sessionID)
    },
  }
}

const rejected = ({ id, sessionID }: QuestionRequest): DurableEvent => ({
  type: "question.rejected",
  properties: { sessionID, requestID: id },
})

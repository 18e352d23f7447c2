import { z } from "zod"
import { QuestionID } from "../id.ts"
import { QuestionAnswer, QuestionRequest } from "../question.ts"
import { operationGroup } from "./define.ts"

const params = z.object({ requestID: QuestionID })

export const questionOperations = operationGroup({
  "question.list": {
    method: "GET",
    path: "/question",
    summary: "Questions that wait for an answer, oldest first",
    response: z.array(QuestionRequest),
    reach: "directory",
    changes: false,
  },
  "question.reply": {
    method: "POST",
    path: "/question/{requestID}/reply",
    summary: "Answers a question: the labels chosen, a list for each",
    params,
    body: z.object({ answers: z.array(QuestionAnswer) }),
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404],
  },
  "question.reject": {
    method: "POST",
    path: "/question/{requestID}/reject",
    summary: "Says that the user will not answer; a message tells the model how to go on",
    params,
    body: z.object({ message: z.string().optional() }).optional(),
    response: z.boolean(),
    reach: "directory",
    changes: true,
    errors: [404],
  },
})

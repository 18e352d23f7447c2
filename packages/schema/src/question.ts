import { z } from "zod"
import { MessageID, QuestionID, SessionID } from "./id.ts"

export const QuestionOption = z.object({ label: z.string(), description: z.string() })
export const QuestionInfo = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(QuestionOption),
  multiple: z.boolean().optional(),
  custom: z.boolean().optional(),
})
export type QuestionInfo = z.infer<typeof QuestionInfo>
export const QuestionRequest = z.object({
  id: QuestionID,
  sessionID: SessionID,
  questions: z.array(QuestionInfo),
  tool: z.object({ messageID: MessageID, callID: z.string() }).optional(),
})
export type QuestionRequest = z.infer<typeof QuestionRequest>
/** The labels chosen for one question. */
export const QuestionAnswer = z.array(z.string())
export type QuestionAnswer = z.infer<typeof QuestionAnswer>

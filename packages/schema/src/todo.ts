import { z } from "zod"

export const Todo = z.object({
  content: z.string().describe("What is to be done, one line"),
  status: z.string().describe("pending, in_progress, completed or cancelled"),
  priority: z.string().describe("high, medium or low"),
})
export type Todo = z.infer<typeof Todo>

import { z } from "zod"
import { SessionID } from "./id.ts"

/** What a client that draws is told to do. Names and fields are the original's. */
const promptAppend = z.object({ text: z.string() })
const commandExecute = z.object({ command: z.string() })
const toastShow = z.object({
  title: z.string().optional(),
  message: z.string(),
  variant: z.enum(["info", "success", "warning", "error"]),
  duration: z.number().int().positive().optional(),
})
const sessionSelect = z.object({ sessionID: SessionID })

const event = <T extends string, P extends z.ZodType>(type: T, properties: P) =>
  z.object({ type: z.literal(type), properties })

export const TuiEvent = z.discriminatedUnion("type", [
  event("tui.prompt.append", promptAppend),
  event("tui.command.execute", commandExecute),
  event("tui.toast.show", toastShow),
  event("tui.session.select", sessionSelect),
])
export type TuiEvent = z.infer<typeof TuiEvent>

export const TuiPromptAppend = promptAppend
export const TuiCommandExecute = commandExecute
export const TuiToastShow = toastShow
export const TuiSessionSelect = sessionSelect

/** A call of `/tui/…` as a client that polls gets it. */
export const TuiRequest = z.object({ path: z.string(), body: z.unknown() })
export type TuiRequest = z.infer<typeof TuiRequest>

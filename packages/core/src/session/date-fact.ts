import type { MessageWithParts } from "@cairn/schema/message"
import { dateReminder } from "../prompt/reminder.ts"

/** How every date fragment begins, whatever the date. */
export const dateFragment = dateReminder("").split("\n", 1)[0]!

/** The date fragment of a message, if it has one. */
export function dateFact({ parts }: MessageWithParts): string | undefined {
  const found = parts.find((part) => part.type === "text" && part.synthetic && part.text.startsWith(dateFragment))
  return found?.type === "text" ? found.text : undefined
}

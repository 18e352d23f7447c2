import type { OperationID } from "@cairn/schema/operation/all"
import type { Method } from "@cairn/schema/operation/define"

/** Another name of an operation. `fromBody`: a parameter of the path that stands in the body here. */
export interface Alias {
  readonly method: Method
  readonly path: string
  readonly to: OperationID
  readonly fromBody?: string
}

/** Names that descriptions of the original give and that it does not have itself. Only free ones are taken. */
export const aliases: readonly Alias[] = [
  { method: "POST", path: "/session/{sessionID}/prompt", to: "session.prompt" },
  { method: "POST", path: "/session/{sessionID}/compact", to: "session.summarize" },
  { method: "POST", path: "/question", to: "question.reply", fromBody: "requestID" },
  { method: "POST", path: "/permission", to: "permission.reply", fromBody: "requestID" },
  { method: "PUT", path: "/config", to: "config.update" },
  { method: "GET", path: "/global", to: "global.health" },
]

import { z } from "zod"

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}`), `must start with ${prefix}`)

export const SessionID = id("ses")
export const MessageID = id("msg")
export const PartID = id("prt")
export const EventID = id("evt")
export const PermissionID = id("per")
export const QuestionID = id("que")
export const InboxID = id("inb")
export const ChangeID = id("chg")
export const RevertID = id("rev")
export const WorkspaceID = id("wrk")

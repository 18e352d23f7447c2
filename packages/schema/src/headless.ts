import { z } from "zod"
import { DurableEvent, TransientEvent, TurnEnd } from "./event.ts"
import { EventID, PermissionID, QuestionID, SessionID } from "./id.ts"
import { Tokens } from "./model.ts"
import { PermissionReply } from "./permission.ts"
import { QuestionAnswer } from "./question.ts"

/** The version of the lines below. It changes when a field changes its meaning, not when one is added. */
export const headlessSchema = 1

/** The first line of `cairn run --format json`, unless nothing could be started. */
export const HeadlessStart = z.object({
  type: z.literal("start"),
  schema: z.literal(headlessSchema),
  version: z.string(),
  sessionID: SessionID,
})
export type HeadlessStart = z.infer<typeof HeadlessStart>

const published = { id: EventID, seq: z.number().int().optional() }

/**
 * One event of the bus. `seq` is present for what stands in the log. Text and reasoning parts come
 * once, whole; `--deltas` adds their beginnings and `message.part.delta` lines.
 */
export const HeadlessEvent = z.union([
  ...DurableEvent.options.map((event) => event.extend(published)),
  ...TransientEvent.options.map((event) => event.extend(published)),
])

/** Why `cairn run` ended: the end of the turn, what has to be mended first, or how the process itself failed. */
export const HeadlessReason = z.enum([
  ...TurnEnd.options,
  "usage",
  "config",
  "model",
  "key",
  "data_directory",
  "session",
  "busy",
  "inbox",
  "file",
  "directory",
  "internal",
])
export type HeadlessReason = z.infer<typeof HeadlessReason>

/** The exit codes of `cairn run`: 141 stands for a reader of stdout that went away before the end. */
export const HeadlessExitCode = z.union([0, 1, 2, 3, 4, 5, 6, 130, 141, 143].map((code) => z.literal(code)))

/** The last line, always: how the run ended. `sessionID` is null when no session was opened. */
export const HeadlessResult = z.object({
  type: z.literal("result"),
  exitCode: HeadlessExitCode,
  reason: HeadlessReason,
  sessionID: SessionID.nullable(),
  /** The answer: text of the last assistant message. Empty when there is none. */
  text: z.string(),
  /** The result that `--schema` asked for; absent when there is none. */
  structured: z.unknown().optional(),
  tokens: Tokens,
  /** US dollars; 0 for a model without a price. */
  cost: z.number(),
  /** Calls that needed an approval which nobody could give. */
  denied: z.number().int().optional(),
  /** What went wrong, for a person. */
  message: z.string().optional(),
})
export type HeadlessResult = z.infer<typeof HeadlessResult>

/** Any line of stdout in `--format json`. */
export const HeadlessLine = z.union([HeadlessStart, HeadlessEvent, HeadlessResult])
export type HeadlessLine = z.infer<typeof HeadlessLine>

/** A line of stdin with `--interactive-permissions`: the answer to the `permission.asked` event of that id. `hunks` are numbers of its `metadata.hunks`. */
export const HeadlessAnswer = PermissionReply.pick({ reply: true, message: true, scope: true, hunks: true }).extend({
  id: PermissionID,
})
export type HeadlessAnswer = z.infer<typeof HeadlessAnswer>

/** Such a line for a `question.asked` event: labels or own words, a list for each question. */
export const HeadlessReply = z.object({ id: QuestionID, answers: z.array(QuestionAnswer) })
export type HeadlessReply = z.infer<typeof HeadlessReply>

/** Or that there will be no answer: that ends the turn, unless a message tells the model how to go on. */
export const HeadlessRefusal = z.object({
  id: QuestionID,
  reply: z.literal("reject"),
  message: z.string().optional(),
})
export type HeadlessRefusal = z.infer<typeof HeadlessRefusal>

/** The schema of a line as JSON Schema (`docs/headless.schema.json`). */
export function headlessJsonSchema(): object {
  return {
    title: "A line of cairn run --format json",
    ...z.toJSONSchema(HeadlessLine, { reused: "ref", io: "input" }),
  }
}

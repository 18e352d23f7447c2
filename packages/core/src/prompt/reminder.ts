/** Everything the engine itself says to the model inside a conversation. */
export type ReminderName =
  | "date"
  | "steer"
  | "step-limit"
  | "interrupted"
  | "loop-guard"
  | "plan"
  | "continue"
  | "structured-output"
  | "malformed-call"

interface Kind {
  /** What stands above the text: who speaks, and what to make of it. */
  readonly head: string
  /** Most characters of the text. */
  readonly limit: number
}

const kinds: Readonly<Record<ReminderName, Kind>> = {
  date: { head: "", limit: 200 },
  steer: {
    head: "The user sent this new message while you were working. Take it into account now, then go on with what is still to be done:",
    limit: 200_000,
  },
  "step-limit": { head: "", limit: 2_000 },
  interrupted: { head: "", limit: 1_000 },
  "loop-guard": { head: "", limit: 2_000 },
  plan: { head: "", limit: 4_000 },
  continue: { head: "", limit: 1_000 },
  "structured-output": { head: "", limit: 1_000 },
  "malformed-call": { head: "", limit: 1_000 },
}

/**
 * A named fragment from the engine. The same arguments give the same bytes. Text beyond the name's limit is cut and
 * says so; text that looks like the end of a fragment cannot end it.
 */
export function reminder(name: ReminderName, text: string): string {
  const { head, limit } = kinds[name]
  const body = bounded(text, limit).replaceAll(/<(\/?)system-reminder/gi, "<$1 system-reminder")
  return [`<system-reminder name="${name}">`, ...(head ? [head] : []), body, "</system-reminder>"].join("\n")
}

/** Text of at most `limit` characters, with a note of how much is missing when it was cut. */
export function bounded(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Never between the two halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? "") ? limit - 1 : limit
  return `${text.slice(0, end)}\n[${text.length - end} more characters were cut]`
}

/** The date for the first user message, and again when it has changed. `date` is `dateOf(today)`. */
export const dateReminder = (date: string, changed = false): string =>
  reminder("date", changed ? `The date has changed. Today is ${date}.` : `Today is ${date}.`)

/** `Saturday 2026-11-21`. Equal texts are the same day. */
export const dateOf = ({ weekday, date }: { readonly weekday: number; readonly date: string }): string =>
  `${weekdays[weekday]} ${date}`

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const

/** What an agent wants kept in mind (`Agent.reminder`): with each prompt, and again when a compaction took it away. */
export const agentReminder = (text: string): string => reminder("plan", text)

/** Sent with the last step an agent may take: no tools any more, only an answer. */
export const stepLimitReminder = (steps: number, structured = false): string =>
  reminder(
    "step-limit",
    structured
      ? `This is the last of ${steps} steps you have for this turn. Call structured_output now, with what you have, and no other tool.`
      : `This is the last of ${steps} steps you have for this turn. Call no more tools. Answer now: what is done, what you found, what is still open and how to go on.`,
  )

/** Sent when the model stopped without the result that the user wants as data. */
export const structuredReminder = (): string =>
  reminder(
    "structured-output",
    "The result is still missing: words are not read here. Call structured_output with it now.",
  )

/** Sent when the provider could not read the call that the model wrote; `word` is what it said. */
export const malformedReminder = (word: string): string =>
  reminder(
    "malformed-call",
    `Your last tool call could not be read (${word}) and nothing was run. Send it again: one of the tools you have, its arguments as one valid JSON object.`,
  )

/** Stands where a turn was cut off, so that the model does not take its last words for finished work. */
export const interruptedReminder = (): string =>
  reminder(
    "interrupted",
    "The user interrupted you here. What you had begun may be half done: look before you rely on it. Do what the next message asks.",
  )

/** Sent when the same thing was tried again and again and the user let it go on. */
export const loopGuardReminder = (why: string): string =>
  reminder("loop-guard", `You are repeating yourself: ${why}. Try another way, or say what stops you.`)

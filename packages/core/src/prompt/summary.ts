/** Stands at the beginning of a compacted conversation, for everything that was said before. */
export function summaryFragment({ words, summary }: { words: readonly string[]; summary: string }): string {
  const quoted = words.map((text) => `<message>\n${fenced(text)}\n</message>`)
  return [
    '<system-reminder name="summary">',
    "The conversation became too long and its beginning was replaced by this. What was done up to here is done.",
    ...(quoted.length > 0 ? ["", "What the user wrote, word for word:", ...quoted] : []),
    "",
    "Notes on the work so far:",
    fenced(summary),
    "</system-reminder>",
  ].join("\n")
}

/** Follows a compaction that came in the middle of the work. `request` is the message that is being answered, if it is not in sight any more. */
export function continueFragment(request?: string): string {
  return [
    '<system-reminder name="continue">',
    ...(request === undefined
      ? []
      : ["You are answering this message of the user:", `<message>\n${fenced(request)}\n</message>`]),
    "Go on with the work where the notes end. Do not begin again, and do not tell the user about this note.",
    "</system-reminder>",
  ].join("\n")
}

/** Text that cannot end the fragment it stands in. */
const fenced = (text: string): string => text.replaceAll(/<(\/?)(system-reminder|message)>/gi, "<$1 $2>")

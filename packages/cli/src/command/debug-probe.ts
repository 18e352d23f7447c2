import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"

export const debugProbeCommand: Command = {
  name: "debug probe",
  summary: "Ask the engine's own functions, one JSON request a line",
  doc: [
    "Reads NDJSON from stdin and answers every line by a line on stdout, in order and as they come. Nothing is read," +
      " written or configured: the answer depends on the request alone.",
    "",
    '{"n", "probe": "edit", content, oldString, newString, replaceAll?} → {n, content}',
    '{"n", "probe": "patch", files: {path: text}, patchText} → {n, files}',
    '{"n", "probe": "rule", key, pattern, permission or rulesets} → {n, action}',
    '{"n", "probe": "disabled", tools, permission or rulesets} → {n, disabled}',
    '{"n", "probe": "wildcard", text, pattern} → {n, match}',
    '{"n", "probe": "glob", pattern, path} → {n, match}',
    '{"n", "probe": "ignore", files: {".gitignore": text}, paths} → {n, ignored}',
    '{"n", "probe": "error", providerID, status?, headers?, body?, code?, message?} → {n, class, retryAfterMs?}',
    "",
    "What cannot be done is an answer too: {n, error: {kind, message}}; n is null when the line does not tell it.",
  ].join("\n"),
  examples: [
    `echo '{"n":1,"probe":"wildcard","text":"git push","pattern":"git *"}' | cairn debug probe`,
    "cairn debug probe < requests.ndjson > answers.ndjson",
  ],
  flags: [],
  async run(io: Io) {
    const { answerLines } = await import("../probe/answer-lines.ts")
    return await answerLines(io)
  },
}

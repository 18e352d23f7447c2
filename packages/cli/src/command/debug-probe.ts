import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"

export const debugProbeCommand: Command = {
  name: "debug probe",
  summary: "Ask the engine's own functions, one JSON request a line",
  doc: [
    "Reads NDJSON from stdin and answers every line by a line on stdout, in order and as they come. Nothing is read," +
      " written or configured: the answer depends on the request alone, and in rules on the" +
      " home directory that ~ and $HOME stand for, and of shell on the links and names below cwd.",
    "",
    'A request is {"n", "probe", …} with these fields; its answer has "n" and what stands behind the arrow:',
    "edit: content, oldString, newString, replaceAll? → content",
    "patch: files {path: text}, patchText → files",
    "rule: key, pattern, permission or rulesets → action",
    "disabled: tools, permission or rulesets → disabled",
    "shell: command, cwd, home, permission?, agent?, shell? (bash, sh, zsh, powershell, cmd) → verdict, invocations, reads," +
      " writes, outside, opaque?",
    "wildcard: text, pattern → match",
    "glob: pattern, path → match",
    'ignore: files {".gitignore": text}, paths → ignored',
    "error: providerID, status?, headers?, body?, code?, message? → class, retryAfterMs?",
    "",
    "What cannot be done is answered by {n, error: {kind, message}}; n is null when the line does not tell it.",
  ].join("\n"),
  examples: [
    "cairn debug probe < requests.ndjson > answers.ndjson",
    `cairn debug probe <<< '{"n":1,"probe":"wildcard","text":"git push","pattern":"git *"}'`,
  ],
  flags: [],
  async run(io: Io) {
    const { answerLines } = await import("../probe/answer-lines.ts")
    return await answerLines(io)
  },
}

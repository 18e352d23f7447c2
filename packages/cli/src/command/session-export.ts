import { writeFile } from "node:fs/promises"
import path from "node:path"
import type { Command, Input } from "../argv/define.ts"
import { exportFormatFlag, outputFlag, sanitizeFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { setupError } from "../report-error.ts"
import { unknownSession } from "../run/choose-session.ts"
import { sanitise } from "../terminal/sanitise.ts"

export const sessionExportCommand: Command = {
  name: "session export",
  summary: "Write a session as JSON or Markdown",
  doc: [
    "As json (the default): an object with the session as `info` and its messages as `messages`, each with `info` and" +
      " `parts`, oldest first. As markdown: a document with each call's result folded away.",
    "A session holds what the agent read, so look before you share it; --sanitize leaves out the contents of files and" +
      " the output of commands, and hides what looks like a secret and the home directory. What you and the model said stays.",
  ].join("\n"),
  examples: [
    "cairn session export ses_0123456789abcdefghijklmnop > session.json",
    "cairn session export --sanitize --format markdown -o report.md ses_0123456789abcdefghijklmnop",
  ],
  flags: [exportFormatFlag, outputFlag, sanitizeFlag],
  args: { usage: "<id>", doc: "Id of the session, from cairn session list", min: 1, max: 1, completion: "session" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine, home) => {
    const id = input.words[0] ?? ""
    const info = engine.session(id)
    if (!info) return setupError(io, unknownSession(id))
    const whole = { info, messages: engine.messages(id) }
    const shown = input.get(sanitizeFlag)
      ? (await import("../export/sanitize-session.ts")).sanitizeSession(whole, home)
      : whole
    const text =
      input.get(exportFormatFlag) === "markdown"
        ? (await import("../export/markdown.ts")).markdown(shown)
        : `${JSON.stringify(shown, undefined, 2)}\n`
    const output = input.get(outputFlag)
    if (output === undefined || output === "-") {
      io.stdout.write(text)
      return 0
    }
    return await writeNew(io, output, text)
  })
}

/** Writes a file that did not exist, readable for the current user alone. */
async function writeNew(io: Io, output: string, text: string): Promise<number> {
  try {
    await writeFile(path.resolve(io.cwd ?? ".", output), text, { flag: "wx", mode: 0o600 })
  } catch (error) {
    return setupError(io, { kind: "file", message: `cannot write ${JSON.stringify(output)}: ${reason(error)}` })
  }
  io.stderr.write(`wrote ${sanitise(output)}\n`)
  return 0
}

function reason(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  if (code === "EEXIST") return "it exists already; choose another name"
  if (code === "ENOENT" || code === "ENOTDIR") return "its directory does not exist"
  if (code === "EACCES" || code === "EPERM") return "no permission to write there"
  return error instanceof Error ? error.message : String(error)
}

import { stat } from "node:fs/promises"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { PromptPart } from "@cairn/schema/prompt"
import type { Io } from "../io.ts"
import { attachment } from "./attachment.ts"
import { readStdin } from "./stdin.ts"

/** The directory, if it is one. */
export async function checkDirectory(directory: string): Promise<Result<string, SetupError>> {
  const info = await stat(directory).catch(() => undefined)
  if (info?.isDirectory()) return ok(directory)
  const why = info ? "is not a directory" : "does not exist or cannot be read"
  return err({ kind: "directory", message: `${JSON.stringify(directory)} ${why}` })
}

/** The message with what stdin and files add to it. Interruption rejects with the signal's reason. */
export async function promptParts(
  io: Pick<Io, "stdin" | "clock"> & { readonly cwd: string },
  wish: { readonly message: string; readonly files: readonly string[]; readonly interactive: boolean },
  { signal, note }: { readonly signal: AbortSignal; note(text: string): void },
): Promise<Result<PromptPart[], SetupError>> {
  const attached: PromptPart[] = []
  for (const file of wish.files) {
    const parts = await attachment(file, io.cwd)
    if (!parts.ok) return parts
    attached.push(...parts.value)
  }
  const message = wish.message.trim()
  // Then stdin carries answers.
  const stdin = wish.interactive ? undefined : io.stdin
  const piped = stdin ? await readStdin(stdin, { message: message !== "", clock: io.clock, signal, note }) : ok("")
  if (!piped.ok) return piped
  const text = [message, piped.value.trim()].filter((piece) => piece !== "").join("\n\n")
  if (text === "") return err({ kind: "usage", message: noMessage(wish.interactive) })
  return ok([{ type: "text", text }, ...attached])
}

function noMessage(interactive: boolean): string {
  const example = `cairn run "explain what this project does"`
  return interactive
    ? `no message: stdin carries answers, so the message goes on the command line: ${example}`
    : `no message: give it as words (${example}) or on stdin`
}

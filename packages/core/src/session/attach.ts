import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { PromptPart } from "@cairn/schema/prompt"
import { openRegular } from "../workspace/files.ts"
import { resolvePath } from "../workspace/paths.ts"
import { largestFile, tooLarge } from "./check-prompt.ts"

export const isFile = (part: PromptPart): boolean => part.type === "file" && part.url.startsWith("file:")

/** Takes `file:` URLs of a prompt into it as `data:` URLs, so that the session keeps what the model saw. */
export async function attachFiles(parts: readonly PromptPart[]): Promise<Result<PromptPart[], SetupError>> {
  const attached: PromptPart[] = []
  for (const part of parts) {
    if (part.type !== "file" || !isFile(part)) {
      attached.push(part)
      continue
    }
    const path = pathOf(part.url)
    if (path === undefined)
      return err({ kind: "file", message: `${part.url} is not the URL of a file on this machine.` })
    const data = await readBounded(path)
    if (typeof data === "string") return err({ kind: "file", message: data })
    attached.push({
      ...part,
      filename: part.filename ?? basename(path),
      url: `data:${part.mime};base64,${data.toString("base64")}`,
    })
  }
  return ok(attached)
}

/** The content, or why there is none. */
async function readBounded(path: string): Promise<Buffer | string> {
  const resolved = await resolvePath(path, "/")
  const opened = resolved.problem ? err(resolved.problem) : await openRegular(resolved.real)
  if (!opened.ok) {
    const { kind, message } = opened.error
    const isOther = kind === "directory" || /not a regular file/.test(message)
    return isOther
      ? `${path} is not a regular file. Attach a file, or name the directory in the prompt.`
      : `${path} cannot be read: ${message}`
  }
  await using file = opened.value.file
  if (opened.value.stat.size > largestFile) return tooLarge(path).message
  try {
    return await file.readFile()
  } catch (error) {
    return `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

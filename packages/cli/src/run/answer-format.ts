import { stat } from "node:fs/promises"
import path from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { OutputFormat } from "@cairn/schema/message"

/** What `--schema` asks of the answer. The error names file, line and column. */
export async function answerFormat(file: string, cwd: string): Promise<Result<OutputFormat, SetupError>> {
  const { largestSchemaFile, readSchema } = await import("@cairn/core/session/schema-file")
  const full = path.resolve(cwd, file)
  const info = await stat(full).catch(() => undefined)
  if (!info?.isFile()) return fail(`${file}: ${info ? "is not a regular file" : "does not exist or cannot be read"}`)
  if (info.size > largestSchemaFile)
    return fail(`${file}: is larger than ${largestSchemaFile / 1024 / 1024} MB, which no schema needs`)
  try {
    const schema = await readSchema(await Bun.file(full).text(), file)
    return schema.ok ? ok({ type: "json_schema", schema: schema.value }) : fail(schema.error)
  } catch (error) {
    return fail(`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const fail = (message: string): Result<never, SetupError> => err({ kind: "file", message })

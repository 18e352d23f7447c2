import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Config } from "@cairn/schema/config"
import type { SetupError } from "@cairn/schema/error"
import type { ParseError } from "jsonc-parser"
import { hidden } from "./redact.ts"

/** The file of a directory that changes go into: the one that is there, else a new one. */
export async function configFileIn(directory: string): Promise<string> {
  const files = ["cairn.jsonc", "cairn.json"].map((name) => join(directory, name))
  for (const file of files) if (await stat(file).catch(() => undefined)) return file
  return join(directory, "cairn.json")
}

/**
 * Puts what is given into a config file, key by key: objects are merged, anything else is replaced. Comments and what is not
 * named stay. A secret that was shown hidden is not written back.
 */
export async function saveConfig(file: string, change: Config): Promise<Result<void, SetupError>> {
  const { applyEdits, modify, parse } = await import("jsonc-parser")
  try {
    const before = (await readFile(file, "utf8").catch(missing)) ?? "{}\n"
    const errors: ParseError[] = []
    const value: unknown = parse(before, errors, { allowTrailingComma: true })
    if (errors.length > 0 || typeof value !== "object" || value === null || Array.isArray(value))
      return err({ kind: "config", message: `${file} is not valid JSON, so nothing was changed in it.` })
    let text = before
    for (const { path, value: leaf } of leavesOf(change))
      text = applyEdits(text, modify(text, path, leaf, { formattingOptions: { insertSpaces: true, tabSize: 2 } }))
    await mkdir(dirname(file), { recursive: true })
    const beside = `${file}.${crypto.randomUUID()}`
    await writeFile(beside, text.endsWith("\n") ? text : `${text}\n`, { mode: await modeOf(file) })
    await rename(beside, file)
    return ok(undefined)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return err({ kind: "config", message: `${file} cannot be written (${why}). Nothing was changed.` })
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}

/** A config may hold keys: a new one is for its user alone. */
const modeOf = async (file: string): Promise<number> =>
  ((await stat(file).catch(() => undefined))?.mode ?? 0o600) & 0o777

/** Whatever is no object, with the way to it. */
function* leavesOf(value: unknown, path: readonly string[] = []): Generator<{ path: string[]; value: unknown }> {
  if (typeof value === "string" && value.includes(hidden)) return
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (!JSON.stringify(value)?.includes(hidden)) yield { path: [...path], value }
    return
  }
  for (const [key, item] of Object.entries(value)) if (item !== undefined) yield* leavesOf(item, [...path, key])
}

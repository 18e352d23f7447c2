import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import { parseTheme, type Theme } from "./theme.ts"
import { builtInTheme, themeNames } from "./themes.ts"

/** Bytes of a theme file. */
const largest = 200_000

/**
 * A theme by its name: a file of the user's directories, the last first, else one that comes with the program. An error is
 * a sentence that names the file.
 */
export async function loadTheme(name: string, directories: readonly string[]): Promise<Result<Theme, string>> {
  if (/^[\w.-]+$/.test(name)) {
    for (const directory of directories.toReversed()) {
      const file = join(directory, `${name}.json`)
      const text = await readFile(file, "utf8").catch(() => undefined)
      if (text !== undefined) return parsed(name, file, text)
    }
  }
  const known = builtInTheme(name)
  return known === undefined ? err(`there is no theme "${name}" (there are ${themeNames.join(", ")})`) : ok(known)
}

function parsed(name: string, file: string, text: string): Result<Theme, string> {
  if (text.length > largest) return err(`${file}: it is too large for a theme`)
  try {
    const theme = parseTheme(name, Bun.JSONC.parse(text))
    return theme.ok ? theme : err(`${file}: ${theme.error}`)
  } catch (error) {
    return err(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Names of all themes that there are. */
export async function listThemes(directories: readonly string[]): Promise<string[]> {
  const found = await Promise.all(directories.map((directory) => readdir(directory).catch((): string[] => [])))
  const own = found.flat().flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []))
  return [...new Set([...themeNames, ...own])]
}

import { readFile } from "node:fs/promises"
import { defaultConfig, originals, settings, type TuiConfig } from "./define.ts"

/** Something in a file that was passed over: the default, or a file below, holds. */
export interface ConfigProblem {
  readonly file: string
  /** From 1; undefined when it is about the file. */
  readonly line: number | undefined
  readonly message: string
}

export interface LoadedConfig {
  readonly config: TuiConfig
  readonly problems: readonly ConfigProblem[]
}

/** Bytes of a file. */
const largest = 1_000_000

/** Reads `tui.json` or `tui.jsonc` of these paths, a later one over the earlier. What is not there is no problem; nothing here ever throws. */
export async function loadConfig(files: readonly string[]): Promise<LoadedConfig> {
  const values: Values = { paths: new Map(), keybinds: new Map() }
  const problems: ConfigProblem[] = []
  for (const file of files) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR")
        problems.push({ file, line: undefined, message: error.message })
      return undefined
    })
    if (text !== undefined) take(text, file, values, problems)
  }
  return { config: made(values), problems }
}

interface Values {
  readonly paths: Map<string, unknown>
  readonly keybinds: Map<string, string>
}

function take(text: string, file: string, values: Values, problems: ConfigProblem[]): void {
  if (text.length > largest) return void problems.push({ file, line: undefined, message: "it is too large" })
  const parsed = parse(text)
  if (!("value" in parsed)) return void problems.push({ file, line: undefined, message: parsed.message })
  if (!isRecord(parsed.value)) return void problems.push({ file, line: undefined, message: "it is no object" })
  const tell = (path: string, message: string) =>
    problems.push({ file, line: lineOf(text, path), message: `${path}: ${message}` })
  for (const [path, value] of flat(parsed.value)) {
    if (path.startsWith("keybinds.")) takeKeys(path, value, values, tell)
    else takeSetting(path, value, values, tell)
  }
}

function parse(text: string): { value: unknown } | { message: string } {
  try {
    return { value: Bun.JSONC.parse(text.replace(/^\ufeff/, "")) }
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}

/** Every value with its path; groups of settings are opened, values that are objects are not. */
function flat(value: Record<string, unknown>): [string, unknown][] {
  const groups = new Set(
    [...Object.keys(settings), ...Object.keys(originals)].flatMap((path) => path.split(".").slice(0, -1)),
  )
  groups.add("keybinds")
  return Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (!groups.has(key) || !isRecord(each)) return [[key, each]]
    return Object.entries(each).map(([name, inner]) => [`${key}.${name}`, inner])
  })
}

type Tell = (path: string, message: string) => void

function takeKeys(path: string, value: unknown, { keybinds }: Values, tell: Tell): void {
  const text = Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(",") : value
  if (typeof text === "string") keybinds.set(path.slice("keybinds.".length), text)
  else if (value === false) keybinds.set(path.slice("keybinds.".length), "none")
  else tell(path, 'expected keys, for example "ctrl+x" or "none"')
}

function takeSetting(path: string, value: unknown, { paths }: Values, tell: Tell): void {
  const own = Object.hasOwn(settings, path) ? settings[path] : undefined
  const theirs = own === undefined && Object.hasOwn(originals, path) ? originals[path] : undefined
  const setting = own ?? theirs?.setting
  if (setting === undefined) return tell(path, "there is no such setting")
  const read = setting.read(value)
  if (read === undefined) return tell(path, `expected ${setting.expected}`)
  if (theirs === undefined) paths.set(path, read.value)
  else if (theirs.path !== undefined)
    paths.set(theirs.path, theirs.means === undefined ? read.value : theirs.means(read.value))
}

function made({ paths, keybinds }: Values): TuiConfig {
  const config: Record<string, unknown> = { ...defaultConfig, keybinds: Object.fromEntries(keybinds) }
  for (const [path, value] of paths) {
    const [group = "", name] = path.split(".")
    if (group === "$schema") continue
    config[group] = name === undefined ? value : { ...(config[group] as object), [name]: value }
  }
  return config as unknown as TuiConfig
}

/** Where the last part of a path stands as a key; the first line that has all parts before it. */
function lineOf(text: string, path: string): number | undefined {
  let at = 0
  for (const part of path.split(".")) {
    const found = text.indexOf(JSON.stringify(part), at)
    if (found < 0) return undefined
    at = found + 1
  }
  return text.slice(0, at).split("\n").length
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

import { createHash } from "node:crypto"
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import type { TrustChange, TrustItem } from "@cairn/schema/trust"
import { ancestry, type ConfigSource } from "./discover.ts"
import { dotted, type Jsonc, type KeyPath, parseConfig } from "./parse.ts"
import { redactConfig } from "./redact.ts"
import { readText } from "./substitute.ts"
import { untrusted } from "./untrusted.ts"

interface SurfaceInput {
  readonly worktree: string
  readonly directory: string
  /** The project's config files. */
  readonly sources: readonly ConfigSource[]
  readonly jsonc: Jsonc
}

/** Folders of `.cairn` and `.opencode` whose files are run, or say what is run and asked. */
const folders = [
  "agent",
  "agents",
  "command",
  "commands",
  "hook",
  "hooks",
  "mode",
  "modes",
  "plugin",
  "plugins",
].concat(["skill", "skills", "tool", "tools"])

const mostFiles = 1_000
const largest = 1024 * 1024
/** Characters of a value that are shown. */
const shown = 400

/**
 * Everything by which the project's files would run, send or loosen something if it was trusted, in the order of the
 * files. Nothing of it has any effect. Every such thing is in here or it has no effect in any project: config keys go
 * through `untrusted`, and what is read from the folders has to be among `folders`.
 */
export async function trustSurface(input: SurfaceInput): Promise<TrustItem[]> {
  const items: TrustItem[] = []
  for (const source of input.sources) items.push(...(await itemsOfConfig(source, input)))
  for (const place of ancestry(input.worktree, input.directory))
    for (const dot of [".opencode", ".cairn"])
      for (const folder of folders) items.push(...(await itemsOfFolder(join(place, dot, folder), input)))
  return items
}

/** What has come or changed since it was trusted. What is gone needs no trust. */
export function trustChanges(known: readonly TrustItem[], surface: readonly TrustItem[]): TrustChange[] {
  const before = new Map(known.map((item) => [item.id, item]))
  return surface.flatMap((item): TrustChange[] => {
    const old = before.get(item.id)
    if (old?.hash === item.hash) return []
    return [{ item, ...(old && { was: old.text }) }]
  })
}

async function itemsOfConfig(source: ConfigSource, { worktree, jsonc }: SurfaceInput): Promise<TrustItem[]> {
  const file = relative(worktree, source.path)
  let text: string
  try {
    text = await readText(source.path, largest)
  } catch {
    return [] // the config is refused as a whole, and says why
  }
  const parsed = parseConfig(jsonc, text, file)
  if (!parsed.ok) return []
  const { value, permission, agents, at } = parsed.value
  const gated = untrusted(value)
  const item = async (path: KeyPath, found: unknown): Promise<TrustItem> => {
    const { line, column } = /:(?<line>\d+):(?<column>\d+)$/.exec(at(path))?.groups ?? {}
    return {
      id: `${file}#${dotted(path)}`,
      where: `${file}:${line}:${column}`,
      key: dotted(path),
      text: cut(withoutSecrets(String(path.at(-1)), found)),
      hash: hashOf(JSON.stringify(found), ...(await referenced(found, source.path))),
    }
  }
  const items = await Promise.all(gated.removed.map((path) => item(path, valueAt(value, path))))
  for (const path of references(gated.value)) items.push(await item(path, valueAt(value, path)))
  const loose = permission.filter(({ action }) => action !== "deny")
  if (loose.length > 0) items.push(await item(["permission"], permission))
  for (const [name, rules] of Object.entries(agents))
    if (rules.some(({ action }) => action !== "deny")) items.push(await item(["agent", name, "permission"], rules))
  return items
}

/** Places of strings that take something in from the environment or from a file. */
function references(value: unknown, path: KeyPath = []): KeyPath[] {
  if (typeof value === "string") return /\{(?:env|file):/.test(value) ? [path] : []
  if (typeof value !== "object" || value === null) return []
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, each]) => references(each, [...path, key]))
}

/** The contents of the files that a value takes in. */
async function referenced(value: unknown, file: string): Promise<string[]> {
  const names = [...(JSON.stringify(value) ?? "").matchAll(/\{file:([^{}\n]+)\}/g)].map(([, name = ""]) => name.trim())
  return Promise.all(names.map((name) => readText(resolve(dirname(file), name), largest).catch(() => "no such file")))
}

async function itemsOfFolder(folder: string, { worktree }: SurfaceInput): Promise<TrustItem[]> {
  const files = await filesBelow(folder, new Set())
  const items = await Promise.all(
    files
      .toSorted()
      .slice(0, mostFiles)
      .map(async (path): Promise<TrustItem> => {
        const where = relative(worktree, path)
        return { id: where, where, key: "", text: "", hash: await hashOfFile(path) }
      }),
  )
  if (files.length <= mostFiles) return items
  const where = relative(worktree, folder)
  // Never the same twice: so many files cannot be trusted.
  return [
    ...items,
    { id: `${where}/*`, where, key: "", text: `more than ${mostFiles} files`, hash: crypto.randomUUID() },
  ]
}

/** Files below a folder, links to directories followed: what loads them follows them too. One that leads in a circle is a file. */
async function filesBelow(folder: string, seen: Set<string>): Promise<string[]> {
  const real = await realpath(folder).catch(() => folder)
  if (seen.has(real)) return []
  seen.add(real)
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    const info = entry.isSymbolicLink() ? await stat(path).catch(() => entry) : entry
    if (info.isDirectory()) files.push(...(await filesBelow(path, seen)))
    else files.push(path)
    if (files.length > mostFiles) break
  }
  return files
}

async function hashOfFile(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isFile()) return "no file"
  if (info.size > largest) return hashOf(`${info.size} bytes of ${info.mtimeMs}`)
  return hashOf(await readFile(path).catch(() => "not readable"))
}

const valueAt = (value: unknown, path: KeyPath): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value)

function hashOf(...contents: readonly (string | Buffer | undefined)[]): string {
  const hash = createHash("sha256")
  for (const content of contents) hash.update(`${content?.length ?? -1}:`).update(content ?? "")
  return hash.digest("hex")
}

/** By its key, too: one that names a secret hides the value. */
function withoutSecrets(key: string, value: unknown): string {
  const shown = redactConfig({ [key]: value })
  return JSON.stringify(valueAt(shown, [key])) ?? ""
}

const cut = (text: string): string => (text.length > shown ? `${text.slice(0, shown)}…` : text)

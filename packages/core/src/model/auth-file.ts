import { readFileSync, statSync } from "node:fs"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { Auth } from "@cairn/schema/auth"
import type { SetupError } from "@cairn/schema/error"

/** The keys that were kept for providers, in a file of the current user alone. Read anew when it has changed. */
export interface AuthFile {
  /** The key of a provider, if one is kept. A file that cannot be read has none. */
  key(providerID: string): string | undefined
  /** Keeps what reaches a provider, or (without) forgets it. What the file holds for others stays. */
  save(providerID: string, auth: Auth | undefined): Promise<Result<void, SetupError>>
}

export function createAuthFile(file: string): AuthFile {
  let known: { readonly stamp: string; readonly entries: Entries } | undefined
  const current = (): Entries => {
    const stamp = stampOf(file)
    if (stamp === undefined) return {}
    if (known?.stamp !== stamp) known = { stamp, entries: read(file) ?? {} }
    return known.entries
  }
  return {
    key(providerID) {
      const entries = current()
      const entry = Object.hasOwn(entries, providerID) ? entries[providerID] : undefined
      return isRecord(entry) && entry["type"] === "api" && typeof entry["key"] === "string" ? entry["key"] : undefined
    },
    async save(providerID, auth) {
      const { [providerID]: _, ...others } = stampOf(file) === undefined ? {} : (read(file) ?? { broken })
      if (others["broken"] === broken)
        return err(unwritable(file, "it holds no JSON object; mend or remove it first, so that no key is lost"))
      const saved = await replace(file, auth ? { ...others, [providerID]: auth } : others)
      known = undefined
      return saved
    },
  }
}

type Entries = Readonly<Record<string, unknown>>
const broken = Symbol("broken")

/** What tells two states of the file apart; undefined when there is none. */
function stampOf(file: string): string | undefined {
  const info = statSync(file, { throwIfNoEntry: false, bigint: true })
  return info && `${info.ino}-${info.mtimeNs}-${info.size}`
}

function read(file: string): Entries | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // gone meanwhile, not ours to read, or no JSON
  }
}

/** As a whole, so that a reader never sees half of it. */
async function replace(file: string, entries: Entries): Promise<Result<void, SetupError>> {
  const beside = `${file}.${crypto.randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(beside, `${JSON.stringify(entries, undefined, 2)}\n`, { mode: 0o600, flag: "wx" })
    await rename(beside, file)
    return ok(undefined)
  } catch (error) {
    await rm(beside, { force: true })
    return err(unwritable(file, error instanceof Error ? error.message : String(error)))
  }
}

const unwritable = (file: string, why: string): SetupError => ({
  kind: "data_directory",
  message: `The key was not kept: ${file} cannot be written (${why}).`,
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

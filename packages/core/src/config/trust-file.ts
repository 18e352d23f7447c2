import { mkdir, rename, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Result, err, ok } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import { TrustItem } from "@cairn/schema/trust"
import { z } from "zod"
import { readText } from "./substitute.ts"

/** By the real path of the worktree: what the user saw when they trusted it, and when (ms). */
const TrustFile = z.object({
  version: z.literal(1),
  directories: z.record(z.string(), z.object({ time: z.number(), items: z.array(TrustItem) })),
})
type TrustFile = z.infer<typeof TrustFile>

const largest = 64 * 1024 * 1024

export const trustFileOf = (stateDir: string): string => join(stateDir, "trust.json")

/** What was trusted of a worktree; undefined when it never was. A file that cannot be read trusts nothing. */
export async function trustedItems(stateDir: string, worktree: string): Promise<readonly TrustItem[] | undefined> {
  const { directories } = await read(stateDir)
  return Object.hasOwn(directories, worktree) ? directories[worktree]!.items : undefined
}

/** Remembers (or, without items, forgets) a worktree. The file is replaced as a whole, for the current user only. */
export async function rememberTrust(
  stateDir: string,
  worktree: string,
  trusted: { readonly time: number; readonly items: readonly TrustItem[] } | undefined,
): Promise<Result<void, SetupError>> {
  const file = trustFileOf(stateDir)
  try {
    const { [worktree]: _, ...others } = (await read(stateDir)).directories
    const directories = trusted ? { ...others, [worktree]: { time: trusted.time, items: [...trusted.items] } } : others
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const temporary = `${file}.${crypto.randomUUID()}`
    await writeFile(temporary, JSON.stringify({ version: 1, directories } satisfies TrustFile), { mode: 0o600 })
    await rename(temporary, file)
    return ok(undefined)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return err({ kind: "data_directory", message: `${file} cannot be written (${why}). Nothing was changed.` })
  }
}

async function read(stateDir: string): Promise<TrustFile> {
  const none: TrustFile = { version: 1, directories: {} }
  try {
    const parsed = TrustFile.safeParse(JSON.parse(await readText(trustFileOf(stateDir), largest)))
    return parsed.success ? parsed.data : none
  } catch {
    return none // there is none yet, or it is not ours
  }
}

import { randomBytes } from "node:crypto"
import { chmod, link, lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"

/** The token of this user's servers: what stands in the file (0600), or a new one that is put there. */
export async function readToken(file: string): Promise<Result<string, SetupError>> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const found = await existing(file)
    if (found !== undefined) return ok(found)
    await create(file)
    const made = await existing(file)
    if (made === undefined) throw new Error("it is not there")
    return ok(made)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return err({ kind: "data_directory", message: `The token file ${file} cannot be used: ${why}` })
  }
}

/** Puts a whole file there, or leaves the one that is there: whoever comes first makes it. */
async function create(file: string): Promise<void> {
  const beside = `${file}.${randomBytes(6).toString("hex")}`
  await writeFile(beside, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" })
  try {
    await link(beside, file)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  } finally {
    await rm(beside)
  }
}

async function existing(file: string): Promise<string | undefined> {
  const info = await lstat(file).catch(() => undefined)
  if (!info) return undefined
  if (!info.isFile()) throw new Error("it is no file")
  if (info.uid !== process.getuid?.()) throw new Error("it belongs to another user")
  if ((info.mode & 0o077) !== 0) await chmod(file, 0o600)
  const token = (await readFile(file, "utf8")).trim()
  if (!/^[\w-]{20,200}$/.test(token))
    throw new Error("it holds no token; remove it, and the next start makes a new one")
  return token
}

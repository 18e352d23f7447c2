import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { z } from "zod"

/** What a running server says of itself in the state directory (`server.json`, 0600), for other commands of the user. */
export const ServerFile = z.object({
  url: z.string(),
  pid: z.number().int(),
  version: z.string(),
  /** Whether a call needs the token or the password. */
  secured: z.boolean(),
  /** ms since the epoch */
  started: z.number(),
})
export type ServerFile = z.infer<typeof ServerFile>

/** Puts it there as a whole. The last server that starts is the one that is found. */
export async function announceServer(file: string, server: ServerFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${server.pid}`
  await writeFile(beside, `${JSON.stringify(server)}\n`, { mode: 0o600 })
  await rename(beside, file)
}

/** What the file says, if it can be read. That the server still runs is for the caller to find out. */
export async function readServerFile(file: string): Promise<ServerFile | undefined> {
  try {
    const parsed = ServerFile.safeParse(JSON.parse(await readFile(file, "utf8")))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined // no server, or one that was cut short while it wrote
  }
}

/** Takes it away, unless another server has put its own there. */
export async function withdrawServer(file: string, pid: number): Promise<void> {
  const found = await readServerFile(file)
  if (found?.pid === pid) await rm(file, { force: true })
}

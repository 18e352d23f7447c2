import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import { z } from "zod"
import { codeOf } from "../files.ts"
import { contains } from "../paths.ts"

/** A command that runs or ran, as every process of ours can see it. Times in ms. */
const Seen = z.object({
  pid: z.number().int(),
  /** The session at whose undo it is taken back. */
  root: z.string(),
  worktree: z.string(),
  from: z.number(),
  to: z.number().optional(),
})
export type SeenCommand = z.infer<typeof Seen>

export interface Announced {
  /** Commands of others that ran at some moment since this one began, or still run. */
  others(): Promise<readonly SeenCommand[]>
  /** It ended at a time. What it says of itself stays until nobody can ask for it any more. */
  end(at: number): Promise<void>
}

/** Tells commands of several sessions and processes of each other, by small files of one directory. */
export interface RunningCommands {
  announce(command: Pick<SeenCommand, "root" | "worktree">): Promise<Announced>
}

/** No command runs longer: what says it does belongs to a dead process. */
const longest = 15 * 60 * 1_000

/** `directory` is made when it is missing. Where nothing can be written there, nobody knows of the command. */
export function createRunningCommands(
  directory: string,
  clock: Pick<Clock, "now">,
  isAlive: (pid: number) => boolean = lives,
): RunningCommands {
  const read = async (): Promise<readonly { readonly path: string; readonly command: SeenCommand }[]> => {
    const names = await readdir(directory).catch(() => [])
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name)
        const text = await readFile(path, "utf8").catch(() => "")
        const command = name.endsWith(".json") ? Seen.safeParse(parsed(text)) : undefined
        return command?.success ? [{ path, command: command.data }] : []
      }),
    )
    return found.flat()
  }
  const isOver = ({ pid, from, to }: SeenCommand) => to !== undefined || from + longest < clock.now() || !isAlive(pid)
  /** Removes what nobody can ask for: who began before its end has ended too. */
  const tidy = async () => {
    const all = await read()
    const oldest = Math.min(...all.flatMap(({ command }) => (isOver(command) ? [] : [command.from])))
    for (const { path, command } of all)
      if (isOver(command) && (command.to ?? command.from + longest) < oldest) await rm(path, { force: true })
  }
  const put = async (path: string, command: SeenCommand) => {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const temp = `${path}.tmp`
      await writeFile(temp, JSON.stringify(command), { mode: 0o600 })
      await rename(temp, path)
    } catch (error) {
      if (codeOf(error) === undefined) throw error
    }
  }
  return {
    async announce({ root, worktree }) {
      const path = join(directory, `${crypto.randomUUID()}.json`)
      const from = clock.now()
      const command: SeenCommand = { pid: process.pid, root, worktree, from }
      await put(path, command)
      return {
        async others() {
          const all = await read()
          return all.flatMap(({ command: each }) => {
            const meets = contains(each.worktree, worktree) || contains(worktree, each.worktree)
            const ran = each.to === undefined ? !isOver(each) : each.to >= from
            return meets && ran && each.root !== root ? [each] : []
          })
        },
        async end(at) {
          await put(path, { ...command, to: at })
          await tidy()
        },
      }
    },
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's, so it is there.
    return codeOf(error) === "EPERM"
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // of a process that died while it wrote
  }
}

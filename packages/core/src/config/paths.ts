import { constants } from "node:fs"
import { access, chmod, mkdir, stat } from "node:fs/promises"
import { join, isAbsolute } from "node:path"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"

/** Where Cairn keeps its things. Absolute paths; nothing is created by naming them. */
export interface Paths {
  readonly home: string
  /** The user's own files: `cairn.json`, `AGENTS.md`. */
  readonly configDir: string
  /** The original's config directory, which is read too. */
  readonly opencodeConfigDir: string
  /** `cairn.db`, `auth.json`, `blob/`, `tool-output/`. */
  readonly dataDir: string
  /** `server.json`, `token`, `log/`. */
  readonly stateDir: string
  readonly cacheDir: string
}

export type Env = Readonly<Record<string, string | undefined>>

/** The XDG directories of an environment. A relative XDG value is ignored, as its standard says. */
export function xdgPaths(env: Env, home: string): Paths {
  const base = (name: string, ...fallback: string[]) => {
    const value = env[name]
    return value !== undefined && isAbsolute(value) ? value : join(home, ...fallback)
  }
  const config = base("XDG_CONFIG_HOME", ".config")
  return {
    home,
    configDir: join(config, "cairn"),
    opencodeConfigDir: join(config, "opencode"),
    dataDir: join(base("XDG_DATA_HOME", ".local", "share"), "cairn"),
    stateDir: join(base("XDG_STATE_HOME", ".local", "state"), "cairn"),
    cacheDir: join(base("XDG_CACHE_HOME", ".cache"), "cairn"),
  }
}

/**
 * Creates the data directory (0700) and checks that it can be written. It and the state directory, if there is one, are
 * taken from others when they were open to them. Says which path failed and what to do.
 */
export async function ensureDataDir(
  paths: Pick<Paths, "dataDir"> & Partial<Pick<Paths, "stateDir">>,
): Promise<Result<string, SetupError>> {
  const directory = paths.dataDir
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await access(directory, constants.W_OK | constants.X_OK)
    await close(directory)
    if (paths.stateDir !== undefined) await close(paths.stateDir)
    return ok(directory)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return err({
      kind: "data_directory",
      message: `The data directory ${directory} cannot be written (${why}). Give it to the current user, or set XDG_DATA_HOME to a directory that can be written.`,
    })
  }
}

/** Another user's directory that we may write stays as it is: it is not ours to close. */
async function close(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined)
  if (found && (found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) await chmod(directory, 0o700)
}

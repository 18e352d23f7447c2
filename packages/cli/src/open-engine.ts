import type { Engine } from "@cairn/schema/engine"
import type { EngineOptions } from "@cairn/core/engine-options"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Io } from "./io.ts"
import { setupError } from "./report-error.ts"
import { sanitise } from "./terminal/sanitise.ts"

/** The home directory, without which nobody knows where config and data lie. */
export function needHome({ home }: Io): Result<string, SetupError> {
  if (home !== undefined) return ok(home)
  return err({ kind: "directory", message: "HOME is not set and the user has no home directory; set HOME" })
}

/** The current directory, unless somebody removed it. */
export function needCwd({ cwd }: Pick<Io, "cwd">): Result<string, SetupError> {
  if (cwd !== undefined) return ok(cwd)
  return err({ kind: "directory", message: "the current directory no longer exists; change to another one" })
}

/** Opens the engine of a directory with what the program was started with. */
export async function openEngine(
  io: Io,
  directory: string,
  more: Pick<EngineOptions, "trust" | "flags"> = {},
): Promise<Result<Engine, SetupError>> {
  const home = needHome(io)
  if (!home.ok) return home
  return await io.openEngine({
    leavesQueued: true,
    directory,
    env: io.env,
    home: home.value,
    version: io.version,
    ...more,
  })
}

/** Runs a command that needs the engine of the current directory (or `at`), and disposes it. Setup errors end with their exit code. */
export async function withEngine(
  io: Io,
  work: (engine: Engine, home: string) => Promise<number>,
  at?: string,
): Promise<number> {
  const home = needHome(io)
  if (!home.ok) return setupError(io, home.error)
  const cwd = at === undefined ? needCwd(io) : ok(at)
  if (!cwd.ok) return setupError(io, cwd.error)
  const opened = await openEngine(io, cwd.value)
  if (!opened.ok) return setupError(io, opened.error)
  await using engine = opened.value
  for (const warning of engine.warnings) io.stderr.write(`cairn: ${sanitise(warning)}\n`)
  return await work(engine, home.value)
}

import type { Engine } from "@cairn/core/engine"
import type { Io } from "./io.ts"
import { setupError } from "./report-error.ts"
import { sanitise } from "./terminal/sanitise.ts"

/** Runs a command that needs the engine of the current directory, and disposes it. Setup errors end with their exit code. */
export async function withEngine(io: Io, work: (engine: Engine) => Promise<number>): Promise<number> {
  const opened = await io.openEngine({ directory: io.cwd, env: io.env, home: io.home, version: io.version })
  if (!opened.ok) return setupError(io, opened.error)
  await using engine = opened.value
  for (const warning of engine.warnings) io.stderr.write(`cairn: ${sanitise(warning)}\n`)
  return await work(engine)
}

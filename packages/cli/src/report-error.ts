import type { StoreFailed } from "@cairn/core/store/trouble"
import type { SetupError } from "@cairn/schema/error"
import type { HeadlessReason } from "@cairn/schema/headless"
import type { UsageError } from "./argv/define.ts"
import { exitOf } from "./exit-code.ts"
import type { Io } from "./io.ts"
import { sanitise } from "./terminal/sanitise.ts"

/** Says on stderr what is wrong with the command line and where to read on. In JSON mode stdout gets its `result` line. */
export async function usageError(io: Io, error: UsageError, json: boolean): Promise<number> {
  const help = `cairn ${error.command === undefined ? "" : `${error.command} `}--help`
  io.stderr.write(`cairn: ${sanitise(error.message)}\nSee ${help}\n`)
  if (json) await resultOnly(io, "usage", error.message)
  return 2
}

/** Says on stderr what has to be mended first. Returns the exit code. */
export function setupError(io: Io, error: SetupError): number {
  io.stderr.write(`cairn: ${sanitise(error.message)}\n`)
  return exitOf({ kind: "setup", error }).code
}

/** A database that cannot be read or written is something to mend, and its message says how. */
export const storeError = ({ message }: StoreFailed): SetupError => ({ kind: "data_directory", message })

async function resultOnly(io: Io, reason: HeadlessReason, message: string): Promise<void> {
  const { resultLine } = await import("./run/json-reporter.ts")
  io.stdout.write(`${JSON.stringify(resultLine({ exit: { code: 2, reason }, denied: 0, message }))}\n`)
}

import { StoreFailed } from "@cairn/core/store/trouble"
import { helpText } from "./argv/help.ts"
import { parseArgv } from "./argv/parse.ts"
import { commands } from "./command/all.ts"
import type { Io } from "./io.ts"
import { setupError, storeError, usageError } from "./report-error.ts"
import { sanitise } from "./terminal/sanitise.ts"

/** The whole program: arguments in, exit code out. Never throws; when it returns, all output is written. */
export async function runCli(io: Io, argv: readonly string[]): Promise<number> {
  const code = await dispatch(io, argv).catch((error: unknown) => {
    if (error instanceof StoreFailed) return setupError(io, storeError(error))
    const text = error instanceof Error ? error.message : String(error)
    io.stderr.write(`cairn: internal error: ${sanitise(text)}\n`)
    return 1
  })
  await io.stdout.flush()
  const { failure } = io.stdout
  if (failure !== undefined) io.stderr.write(`cairn: stdout cannot be written: ${sanitise(failure)}\n`)
  await io.stderr.flush()
  return failure === undefined || code === 2 ? code : 1
}

async function dispatch(io: Io, argv: readonly string[]): Promise<number> {
  if (argv[0] === "__complete") return (await import("./completion/complete.ts")).complete(io, argv.slice(1))
  const request = parseArgv(commands, argv)
  if (!request.ok) return usageError(io, request.error, wantsJson(argv))
  switch (request.value.kind) {
    case "version":
      io.stdout.write(`${io.version}\n`)
      return 0
    case "help":
      io.stdout.write(helpText(commands, request.value.topic))
      return 0
    case "run":
      return request.value.command.run(io, request.value.input)
  }
}

/** Whether a command line that could not be parsed asked for JSON lines: `run` keeps its promise of a last line. */
function wantsJson(argv: readonly string[]): boolean {
  if (argv[0] !== "run") return false
  const format = argv.indexOf("--format")
  return argv.includes("--format=json") || (format > 0 && argv[format + 1] === "json")
}

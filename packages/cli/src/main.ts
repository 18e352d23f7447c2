#!/usr/bin/env bun
import { version } from "./version.ts"

// The version is asked for by scripts and shells on every prompt: nothing else is loaded for it.
const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${version}\n`)
} else {
  const { runCli } = await import("./cli.ts")
  const { processIo } = await import("./process-io.ts")
  process.exit(await runCli(processIo(), argv))
}

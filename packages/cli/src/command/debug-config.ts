import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"

export const debugConfigCommand: Command = {
  name: "debug config",
  summary: "Show the effective configuration and where it was read from",
  doc: "One JSON object: `config` with secrets replaced, `sources` from lowest to highest, and `warnings`.",
  examples: ["cairn debug config", "cairn debug config | jq .config.permission"],
  flags: [],
  run: (io: Io) =>
    withEngine(io, async (engine) => {
      io.stdout.write(`${JSON.stringify(engine.configView(), undefined, 2)}\n`)
      return 0
    }),
}

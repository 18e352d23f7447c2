import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { table } from "../render/table.ts"

export const debugPathsCommand: Command = {
  name: "debug paths",
  summary: "Show where Cairn keeps its files",
  doc: "One name and one absolute path a line. The XDG variables move them.",
  examples: ["cairn debug paths"],
  flags: [],
  run: (io: Io) =>
    withEngine(io, async (engine) => {
      const rows = Object.entries({ directory: engine.directory, worktree: engine.worktree, ...engine.paths })
      io.stdout.write(`${table(rows, { width: Infinity }, 1).join("\n")}\n`)
      return 0
    }),
}

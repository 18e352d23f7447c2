import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"
import { table } from "../render/table.ts"

export const debugTerminalCommand: Command = {
  name: "debug terminal",
  summary: "Show what Cairn finds out about this terminal",
  doc: "Its name and width, colours, glyphs, what stands between (tmux, SSH), and whether the native renderer of the terminal interface can be loaded. Exit code 1 when it cannot.",
  examples: ["cairn debug terminal"],
  flags: [],
  run: async (io: Io) => {
    const { terminalReport } = await import("@cairn/tui/terminal/report")
    const terminal = io.stdin.kind === "terminal" && io.stdout.isTerminal
    const { rows, problem } = terminalReport({ env: io.env, terminal, columns: io.stdout.columns })
    io.stdout.write(`${table(rows, { width: Infinity }, 1).join("\n")}\n`)
    return problem === undefined ? 0 : 1
  },
}

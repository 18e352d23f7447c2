import type { Command } from "../argv/define.ts"

export const debugResetTerminalCommand: Command = {
  name: "debug reset-terminal",
  summary: "Undo what a killed terminal interface left switched on",
  doc: "Prints the sequences that switch off mouse, paste, focus and keyboard modes, leave the other screen and show the cursor. If the terminal does not echo what you type, run `stty sane` too.",
  examples: ["cairn debug reset-terminal", "stty sane; cairn debug reset-terminal"],
  flags: [],
  run: async (io) => {
    const { resetSequences } = await import("@cairn/tui/terminal/reset")
    io.stdout.write(resetSequences)
    return 0
  },
}

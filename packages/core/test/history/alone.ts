import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import type { CommandJournalDeps } from "../../src/workspace/history/command-journal.ts"
import { createRunningCommands } from "../../src/workspace/history/running-commands.ts"

/** What a journal of commands needs to know of others, where there are none that record anything. */
export const alone = (root: string): Pick<CommandJournalDeps, "clock" | "running" | "others" | "rootOf"> => ({
  clock: systemClock,
  running: createRunningCommands(join(root, "running"), systemClock),
  others: { mark: () => 0, since: () => new Map() },
  rootOf: (sessionID) => sessionID,
})

import type { Command } from "../argv/define.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { searchProgress } from "../render/search-progress.ts"
import { setupError } from "../report-error.ts"

export const debugRebuildSearchCommand: Command = {
  name: "debug rebuild-search",
  summary: "Build the search index of the sessions again",
  doc: "For when it is damaged, or `debug verify` finds that it differs. Sessions may run meanwhile, and none is changed.",
  examples: ["cairn debug rebuild-search"],
  flags: [],
  run: (io: Io) =>
    withEngine(io, async (engine) => {
      const progress = searchProgress(io)
      const built = await engine.rebuildSearch(progress.tell)
      progress.clear()
      if (!built.ok) return setupError(io, built.error)
      io.stdout.write("the search index was built again\n")
      return 0
    }),
}

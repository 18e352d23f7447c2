import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { createEditTool } from "../../src/tool/edit/edit.ts"
import { createWriteOperations } from "../../src/workspace/atomic-write.ts"
import { createWriteGuard } from "../../src/workspace/write-guard.ts"
import { createToolBench, runTool, shownResult } from "../support/tool-context.ts"

/**
 * Edits one file over and over, beside whoever else does: `edit-driver.ts <file> <name> <count> <directory of the guard>`.
 * Each edit that the tool reports as done puts one line behind the line `<name>`. Says how many were done.
 */
const [file = "", name = "", wanted = "0", locks = ""] = process.argv.slice(2)
process.stdout.write("ready\n")
for await (const _ of Bun.stdin.stream()) break
await using bench = await createToolBench()
const guard = createWriteGuard(locks, { clock: systemClock, log: silentLog })
const operations = createWriteOperations(locks === "" ? undefined : guard)
const edit = createEditTool({ ...bench.deps, operations })
let done = 0
for (let n = 0; done < Number(wanted); n++) {
  bench.deps.seen.forget(bench.context.sessionID)
  const line = `${name} ${n}`
  const result = await runTool(edit, bench, { filePath: file, oldString: `${name}\n`, newString: `${name}\n${line}\n` })
  if (result.ok) done++
  else if (!/changed/.test(shownResult(result))) throw new Error(shownResult(result))
}
process.stdout.write(`${done}\n`)

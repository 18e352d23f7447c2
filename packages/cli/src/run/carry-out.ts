import type { RevertReport } from "@cairn/schema/revert"
import type { Result } from "@cairn/kernel/result"
import type { SetupError } from "@cairn/schema/error"
import type { Io } from "../io.ts"
import { isPartial, revertLines } from "../render/revert.ts"
import { setupError } from "../report-error.ts"
import { confirm } from "../terminal/confirm.ts"
import { lookOf, styleOf } from "../terminal/look.ts"

interface CarryOut {
  /** Does it; only says what it would do with `dryRun`. */
  readonly work: (dryRun: boolean) => Promise<Result<RevertReport, SetupError>>
  readonly direction: "back" | "forth"
  readonly dryRun: boolean
  /** Asks on a terminal, after the preview. */
  readonly ask: string | undefined
  readonly json: boolean
}

/** Previews a revert and asks where somebody can answer, then does it and says what was done. 1 when a file was left alone. */
export async function carryOut(io: Io, { work, direction, dryRun, ask, json }: CarryOut): Promise<number> {
  const style = styleOf(lookOf(io.stdout, io.env).color)
  const print = (report: RevertReport) =>
    io.stdout.write(
      json ? `${JSON.stringify(report, undefined, 2)}\n` : `${revertLines(report, style, direction).join("\n")}\n`,
    )
  if (!dryRun && ask !== undefined && io.stdin.kind === "terminal") {
    const preview = await work(true)
    if (!preview.ok) return setupError(io, preview.error)
    io.stderr.write(`${revertLines(preview.value, styleOf(lookOf(io.stderr, io.env).color), direction).join("\n")}\n`)
    if (!(await confirm(io, ask))) {
      io.stderr.write("Nothing was changed.\n")
      return 0
    }
  }
  const done = await work(dryRun)
  if (!done.ok) return setupError(io, done.error)
  print(done.value)
  return isPartial(done.value) ? 1 : 0
}

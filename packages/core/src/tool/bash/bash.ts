import { stat } from "node:fs/promises"
import { constants } from "node:os"
import { err, ok, type Result } from "@cairn/kernel/result"
import type { ToolFailure } from "@cairn/schema/error"
import { z } from "zod"
import { shellCommand } from "../../process/shell.ts"
import type { ProcessResult } from "../../process/run.ts"
import type { Supervisor } from "../../process/supervisor.ts"
import type { CommandJournal } from "../../workspace/history/command-journal.ts"
import type { Threat } from "../../workspace/history/threat.ts"
import { resolvePath } from "../../workspace/paths.ts"
import { type Ask, defineTool, type ToolContext } from "../define.ts"
import type { Fitted, Output } from "../output.ts"
import type { Confined } from "./confine.ts"
import description from "./bash.md" with { type: "text" }
import { createPreview } from "./preview.ts"
import { runWatched } from "./run-watched.ts"

/** What a command line needs to be allowed, in the order of asking. */
export interface CommandPlan {
  readonly asks: readonly Ask[]
  /** It certainly changes no file: nobody has to look what it changed. */
  readonly quiet?: boolean
  /** What it could destroy. */
  readonly threats?: readonly Threat[]
  /** Puts the shell that reads the line into its bounds, right before it starts; without it nothing bounds it. */
  readonly confine?: (argv: readonly string[]) => Confined
}

export interface BashOptions {
  readonly supervisor: Supervisor
  readonly output: Output
  /** Path of the shell. */
  shell(): string
  /** Turns a command line that is to run in `cwd` (a real path) into asks; it never throws. `outside`: without the sandbox. */
  plan(command: string, cwd: string, context: ToolContext, outside: boolean): CommandPlan | Promise<CommandPlan>
  /** Finds out what a command changes in files. */
  readonly journal: Pick<CommandJournal, "begin">
}

const defaultTimeout = 120_000
const longestTimeout = 600_000

const parameters = z.object({
  command: z.string().min(1).describe("The command line"),
  timeout: z.number().int().positive().max(longestTimeout).optional().describe("Milliseconds"),
  workdir: z.string().optional().describe("Directory to run in"),
  outside: z.boolean().optional().describe("Ask the user to run it without the sandbox"),
})

/** Interruption ends the command and all it started, then rejects with the reason. */
export function createBashTool({ supervisor, output, shell, plan, journal }: BashOptions) {
  return defineTool({
    name: "bash",
    description: description.trim(),
    parameters,
    async execute({ command, timeout = defaultTimeout, workdir, outside = false }, context) {
      const cwd = await directoryOf(workdir, context)
      if (!cwd.ok) return cwd
      const planned = await plan(command, cwd.value, context, outside)
      for (const ask of planned.asks) {
        const allowed = await context.ask(ask)
        if (!allowed.ok) return allowed
      }
      await using writer = output.open(context, "tail")
      const preview = createPreview()
      const title = titleOf(command)
      // Only now: what the user changes while an ask is open is the user's.
      const argv = shellCommand(command, shell())
      const confine = planned.confine && (() => planned.confine!(argv))
      const done = await runWatched({ ...planned, journal, confine }, context, (bounded) =>
        supervisor.run({
          ...(bounded?.command ?? { argv, cwd: cwd.value }),
          merged: true,
          signal: context.signal,
          ...(context.span && { span: context.span }),
          timeoutMs: timeout,
          maxBytes: 0,
          onOutput: async (chunk) => {
            preview.push(chunk)
            context.progress({ title, metadata: { output: preview.text() } })
            await writer.write(chunk)
          },
        }),
      )
      if (!done.ok) return done
      const { ran, bounded, notes, lines } = done.value
      if (!ran.ok)
        return err({
          kind: ran.error.kind === "cwd" ? "missing" : "io",
          message: `The command did not start. ${ran.error.message}`,
        })
      const fitted = await writer.end()
      const ended = bounded ? asSignal(ran.value) : ran.value
      const blocked = ended.exitCode === 0 ? undefined : bounded?.blocked(fitted.text)
      return ok({
        title,
        output: [report(fitted, ended, timeout), ...(blocked === undefined ? [] : [blocked]), ...lines].join("\n"),
        metadata: {
          output: preview.text(),
          exit: ended.exitCode,
          truncated: fitted.truncated,
          ...(fitted.spill === undefined ? {} : { spill: fitted.spill }),
          ...(notes ? { journal: notes } : { quiet: true }),
        },
      })
    },
  })
}

/** A sandbox says of a command that a signal ended what a shell says: 128 and the signal's number. */
function asSignal(ran: ProcessResult): ProcessResult {
  const name = Object.entries(constants.signals).find(([, number]) => number === (ran.exitCode ?? 0) - 128)?.[0]
  return name === undefined ? ran : { ...ran, exitCode: null, signal: name }
}

async function directoryOf(workdir: string | undefined, context: ToolContext): Promise<Result<string, ToolFailure>> {
  if (workdir === undefined) return ok(context.directory)
  const resolved = await resolvePath(workdir, context.directory)
  if (resolved.problem) return err(resolved.problem)
  const info = await stat(resolved.real).catch(() => undefined)
  if (info?.isDirectory()) return ok(resolved.real)
  return err({
    kind: "missing",
    message: `workdir: ${resolved.real} ${info ? "is not a directory" : "does not exist"}.`,
  })
}

/** The output, then how it ended, which a reader must never have to guess. */
function report(fitted: Fitted, ran: ProcessResult, timeout: number): string {
  const text = clean(fitted.text)
  const end = ran.timedOut
    ? `[stopped after ${timeout} ms (timeout), with everything it had started]`
    : ran.exitCode === null
      ? `[killed by ${ran.signal}]`
      : `[exit code ${ran.exitCode}]`
  const leftovers = ran.leftovers ? "\n[what it left running in the background was stopped]" : ""
  return `${text === "" ? "" : `${text}\n\n`}${end}${leftovers}`
}

/** Without colours and NULs, which mean nothing to a model; the spilled file has them. */
function clean(text: string): string {
  return Bun.stripANSI(text).replaceAll("\0", "\u2400").replace(/\s+$/, "")
}

function titleOf(command: string): string {
  const line = command.trim().split("\n", 1)[0] ?? ""
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

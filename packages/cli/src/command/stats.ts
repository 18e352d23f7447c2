import { stat } from "node:fs/promises"
import path from "node:path"
import type { Engine } from "@cairn/schema/engine"
import type { Stats } from "@cairn/schema/stats"
import type { Command, Input } from "../argv/define.ts"
import { daysFlag, formatFlag, modelTableFlag, projectFlag, toolTableFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { needCwd, withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"
import { setupError } from "../report-error.ts"
import { lookOf, styleOf } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const statsCommand: Command = {
  name: "stats",
  summary: "Show what was spent, when, and on what",
  doc: [
    "Tokens and cost of every call of a model: answers, subagents, summaries and titles, by day, model, project and" +
      " session. Sessions that were deleted stay counted; only their names and tools are gone. Nothing is changed, so it" +
      " works while other runs go on.",
    "--models and --tools show these in full instead. What a tool costs is the schema that is sent with each request," +
      " though mostly read from the provider's cache, and its results, each counted once; both are estimates, four bytes a" +
      " token.",
    "A ? is a price that was not known when the call was made. As json everything, with times in milliseconds since 1970" +
      " and cost in dollars.",
  ].join("\n"),
  examples: [
    "cairn stats",
    "cairn stats --project here --days 7 --tools",
    `cairn stats --days all --format json | jq '.models[] | {modelID, cost, cacheHitRate}'`,
  ],
  flags: [daysFlag, projectFlag, modelTableFlag, toolTableFlag, formatFlag],
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const place = await placeOf(io, input.get(projectFlag) ?? "all")
  if (place === undefined) return setupError(io, noCwd(io))
  const wanted = input.get(daysFlag) ?? 30
  const days = wanted === "all" ? undefined : wanted
  return withEngine(
    io,
    async (engine) => {
      const stats = await engine.stats({ project: place.project, ...(days !== undefined && { days }) })
      if (input.get(formatFlag) === "json") io.stdout.write(`${JSON.stringify(stats, undefined, 2)}\n`)
      else await show(io, input, stats, `${whose(engine, place.project)}, ${when(days)}`)
      return 0
    },
    place.at,
  )
}

type Project = Parameters<Engine["stats"]>[0]["project"]

/** Whose numbers are wanted, and where the engine is to be opened for that. Undefined without a current directory. */
async function placeOf(io: Io, project: string): Promise<{ project: Project; at?: string } | undefined> {
  if (project === "all" || project === "here") return { project }
  const cwd = needCwd(io)
  if (!cwd.ok && !path.isAbsolute(project)) return undefined
  const directory = path.resolve(cwd.ok ? cwd.value : "/", project)
  const there = await stat(directory).catch(() => undefined)
  return there === undefined ? { project: { directory } } : { project: "here", at: directory }
}

function noCwd(io: Io) {
  const cwd = needCwd(io)
  return cwd.ok ? { kind: "directory" as const, message: "the directory cannot be found" } : cwd.error
}

async function show(io: Io, input: Input, stats: Stats, title: string): Promise<void> {
  if (stats.totals.calls === 0) {
    const hint = stats.from === undefined ? "" : " (--days all: ever)"
    io.stderr.write(`No model was called: ${sanitiseLine(title)}${hint}.\n`)
    return
  }
  const { statsText } = await import("../render/stats.ts")
  const look = lookOf(io.stdout, io.env)
  const only = { models: input.get(modelTableFlag) ?? false, tools: input.get(toolTableFlag) ?? false }
  const lines = statsText(stats, { title, look, style: styleOf(look.color), ...only })
  io.stdout.write(`${lines.join("\n")}\n`)
}

function whose(engine: Engine, project: Project): string {
  if (project === "all") return "all projects"
  return project === "here" ? engine.worktree : project.directory
}

function when(days: number | undefined): string {
  if (days === undefined) return "from the beginning"
  return days === 1 ? "today" : `the last ${plural(days, "day")}`
}

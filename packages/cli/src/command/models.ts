import type { Engine } from "@cairn/schema/engine"
import type { Command, Input } from "../argv/define.ts"
import { allModelsFlag, formatFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"
import { setupError } from "../report-error.ts"
import { lookOf, styleOf } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const modelsCommand: Command = {
  name: "models",
  summary: "List the models that can be used, or all with --all",
  doc: [
    "Lists the models whose key is present, those of the config, and the scripted one. Nothing is sent anywhere: that a" +
      " key is accepted shows only in a run. A filter keeps the names that contain it.",
    "In a pipe one provider/model a line. On a terminal a table: context and longest answer in tokens, dollars a million" +
      " tokens in and out, whether it calls tools, and its key. As json all of that, the variants (cairn run --variant), and" +
      " what is missing as `problem`.",
  ].join("\n"),
  examples: ["cairn models", "cairn models --all sonnet", `cairn models --format json | jq -r '.[].ref'`],
  flags: [allModelsFlag, formatFlag],
  args: { usage: "[filter]", doc: "Part of provider/model", min: 0, max: 1, completion: "model" },
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  return withEngine(io, async (engine) => {
    const filter = input.words[0] ?? ""
    const all = input.get(allModelsFlag) ?? false
    const models = engine.models(filter, all ? "all" : "ready")
    const others = all || filter === "" || models.length > 0 ? 0 : engine.models(filter, "all").length
    if (models.length === 0 && others === 0) return unknown(io, engine, filter)
    if (input.get(formatFlag) === "json") io.stdout.write(`${JSON.stringify(models, undefined, 2)}\n`)
    else if (!io.stdout.isTerminal) io.stdout.write(models.map(({ ref }) => `${sanitiseLine(ref)}\n`).join(""))
    else if (models.length > 0) {
      const { modelTable } = await import("../render/model-table.ts")
      const look = lookOf(io.stdout, io.env)
      io.stdout.write(`${modelTable(models, look, styleOf(look.color)).join("\n")}\n`)
    }
    const note = remark(others, !all && filter === "" && models.every(({ source }) => source === "demo"))
    if (note !== undefined) io.stderr.write(`${note}\n`)
    return 0
  })
}

function remark(others: number, none: boolean): string | undefined {
  if (none) return noneReady
  return others === 0
    ? undefined
    : `${plural(others, "model")} of that name cannot be used as things are (--all lists them).`
}

const noneReady =
  "No key was found, so only the scripted model can be used. Set the key of a provider in the environment, for example\n" +
  "ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or declare a model of your own in the\n" +
  "config (provider.<name>.models). cairn models --all lists the models that are known."

function unknown(io: Io, engine: Engine, filter: string): number {
  const near = engine.suggestModels(filter)
  const hint = near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`
  const shown = filter.length > 60 ? `${filter.slice(0, 60)}…` : filter
  return setupError(io, { kind: "model", message: `no model's name contains ${JSON.stringify(shown)}${hint}` })
}

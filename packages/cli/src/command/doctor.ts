import type { Command, Input } from "../argv/define.ts"
import { formatFlag, networkFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { needCwd, needHome } from "../open-engine.ts"
import { setupError } from "../report-error.ts"

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Look at what a run needs and say what is wrong",
  doc: [
    "The runtime, the programs that tools run, the directories and the database, the config with where it was read from," +
      " rules that allow more than they seem to, keys by the names of their variables, and the default model. Changes" +
      " nothing, also where a run cannot start.",
    "Exits 0 when nothing is broken, 1 when something is. As json: `ok`, and the `checks` with area, name, state (ok," +
      " note, warning, broken), text and advice.",
  ].join("\n"),
  examples: ["cairn doctor", `cairn doctor --network --format json | jq '.checks[] | select(.state != "ok")'`],
  flags: [networkFlag, formatFlag],
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const { env, version, clock } = io
  const home = needHome(io)
  if (!home.ok) return setupError(io, home.error)
  const cwd = needCwd(io)
  if (!cwd.ok) return setupError(io, cwd.error)
  const report = await io.examine({
    directory: cwd.value,
    env,
    home: home.value,
    version,
    clock,
    network: input.get(networkFlag) ?? false,
  })
  if (input.get(formatFlag) === "json") io.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
  else {
    const { doctorLines } = await import("../render/doctor.ts")
    const { lookOf, styleOf } = await import("../terminal/look.ts")
    const look = lookOf(io.stdout, io.env)
    io.stdout.write(`${doctorLines(report, look, styleOf(look.color)).join("\n")}\n`)
  }
  return report.ok ? 0 : 1
}

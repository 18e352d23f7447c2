import type { Trust } from "@cairn/schema/trust"
import type { Command, Input } from "../argv/define.ts"
import { formatFlag, removeTrustFlag, yesFlag } from "../flag.ts"
import type { Io } from "../io.ts"
import { withEngine } from "../open-engine.ts"
import { plural } from "../render/format.ts"
import { table } from "../render/table.ts"
import { setupError, usageError } from "../report-error.ts"
import { confirm } from "../terminal/confirm.ts"
import { type Look, lookOf, styleOf } from "../terminal/look.ts"
import { sanitiseLine } from "../terminal/sanitise.ts"

export const trustCommand: Command = {
  name: "trust",
  summary: "Look at what this project's files would run or loosen, and trust them",
  doc:
    "Until you trust it, a project's config cannot start programs, choose providers or loosen permissions. Shows each" +
    " such key and file with its place, and asks on a terminal; elsewhere --yes is needed. What you saw is remembered" +
    " by its content: when a pull changes it, it has no effect until you have seen how it changed, here. To trust for" +
    " one run, use cairn run --trust; to trust a directory whatever it holds, put its path under `trust` in your own" +
    " config. As json: nothing is asked, and --yes or --remove says what is wanted.",
  examples: ["cairn trust", "cairn trust --remove"],
  flags: [yesFlag, removeTrustFlag, formatFlag],
  run,
}

async function run(io: Io, input: Input): Promise<number> {
  const json = input.get(formatFlag) === "json"
  const [sure, remove] = [input.get(yesFlag) ?? false, input.get(removeTrustFlag) ?? false]
  if (sure && remove)
    return usageError(io, { message: "--yes and --remove exclude each other", command: "trust" }, false)
  return withEngine(io, async (engine) => {
    const before = await engine.trust()
    if (!json && !remove) io.stdout.write(`${linesOf(before, lookOf(io.stdout, io.env)).join("\n")}\n`)
    const wanted = sure || (!json && !remove && before.changes.length > 0 && !before.by && (await agreed(io, before)))
    if (wanted || remove) {
      const saved = await engine.saveTrust(remove ? undefined : before)
      if (!saved.ok) return setupError(io, saved.error)
    }
    if (json) io.stdout.write(`${JSON.stringify(wanted || remove ? await engine.trust() : before, undefined, 2)}\n`)
    else if (wanted) io.stdout.write(`trusted ${sanitiseLine(before.directory)}\n`)
    else if (remove) io.stdout.write(`no longer remembered ${sanitiseLine(before.directory)}${stillTrusted(before)}\n`)
    return 0
  })
}

const stillTrusted = ({ by }: Trust): string => (by === "config" ? "; your config trusts it all the same" : "")

async function agreed(io: Io, { changed }: Trust): Promise<boolean> {
  if (io.stdin.kind !== "terminal") {
    io.stderr.write("Nothing was changed: nobody can be asked here, add --yes to trust it.\n")
    return false
  }
  const yes = await confirm(io, changed ? "Trust it as it is now?" : "Trust this project?")
  if (!yes) io.stderr.write("Nothing was changed.\n")
  return yes
}

function linesOf(trust: Trust, look: Look): string[] {
  const style = styleOf(look.color)
  const directory = sanitiseLine(trust.directory)
  if (trust.surface.length === 0) return [`${directory} sets nothing that needs trust.`]
  if (trust.by)
    return [
      `${directory} is trusted, ${who[trust.by]}:`,
      ...rows(
        trust.surface.map((item) => ({ item })),
        look,
      ),
    ]
  const count = plural(trust.changes.length, "thing")
  const head = trust.changed
    ? `${directory} has changed since you trusted it: ${count} to look at.`
    : `${directory} is not trusted. If you trust it, ${count} in it will count:`
  return [style.warn(head), ...rows(trust.changes, look)]
}

const who: Record<NonNullable<Trust["by"]>, string> = {
  flag: "for this run",
  config: "by your own config",
  remembered: "as you saw it",
}

function rows(changes: Trust["changes"], look: Look): string[] {
  const cells = changes.flatMap(({ item, was }) => [
    [`  ${item.where}`, item.key, item.text === "" ? "a file that is read or run" : item.text],
    ...(was === undefined || was === item.text ? [] : [["", "was", was]]),
  ])
  return table(cells, look, 2)
}

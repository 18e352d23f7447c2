// Compiles the command line into one executable: `bun run build` for this machine, `bun run build --all` for the others too.
import path from "node:path"
import { parseArgs } from "node:util"
import { version } from "../packages/cli/package.json"
import { type Built, compile, ownTarget, type Target, targets } from "./build/compile.ts"

const root = path.join(import.meta.dir, "..")
const names = Object.keys(targets) as Target[]
const usage = `Usage: bun run build [--all] [--target ${names.join("|")}]… [--out DIRECTORY]`

interface Wanted {
  readonly name: string
  readonly target: Target
}

/** Prints what was built, or why not. Returns whether it was. */
function report({ name, target }: Wanted, built: Built): boolean {
  if ("problem" in built) {
    console.error(`${name}: not built\n${built.problem.replace(/^/gm, "  ")}`)
    if (target !== ownTarget())
      console.error(
        "  The runtime and the ripgrep of another platform come from the package registry: is it reachable?",
      )
    return false
  }
  const place = path.relative(process.cwd(), built.file)
  console.log(`${place}  ${(built.bytes / 1024 / 1024).toFixed(1)} MB  cairn ${version}`)
  return true
}

const programName = (name: string, target: Target) => (targets[target].os === "win32" ? `${name}.exe` : name)

/** What the arguments ask for, or what is wrong with them. */
function parse(args: string[]): { out: string; wanted: readonly Wanted[] } | string {
  const options = {
    all: { type: "boolean" },
    target: { type: "string", multiple: true },
    out: { type: "string" },
  } as const
  try {
    const { values } = parseArgs({ args, options })
    const unknown = values.target?.filter((name) => !Object.hasOwn(targets, name)) ?? []
    if (unknown.length > 0) return `No target named ${unknown.join(", ")}.`
    const others = values.all ? names : ((values.target ?? []) as Target[])
    const wanted = others.map((target) => ({ name: programName(`cairn-${target}`, target), target }))
    const own = ownTarget()
    if (values.target === undefined && own !== undefined)
      wanted.unshift({ name: programName("cairn", own), target: own })
    if (wanted.length === 0) return `No executable is made for ${process.platform}-${process.arch}.`
    return { out: path.resolve(root, values.out ?? "dist"), wanted }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function main(args: string[]): Promise<number> {
  const parsed = parse(args)
  if (typeof parsed === "string") {
    console.error(`${parsed}\n${usage}`)
    return 2
  }
  let good = true
  for (const wanted of parsed.wanted)
    good = report(wanted, await compile(path.join(parsed.out, wanted.name), wanted.target)) && good
  return good ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))

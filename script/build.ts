// Compiles the command line into one executable: `bun run build` for this machine, `bun run build --all` for the others too.
import { mkdir, rename, rm, stat } from "node:fs/promises"
import path from "node:path"
import { version } from "../packages/cli/package.json"

const root = path.join(import.meta.dir, "..")
const dist = path.join(root, "dist")

/** Platforms that Bun compiles for. Their runtime is fetched once from the package registry. */
const targets = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "windows-x64"] as const
type Target = (typeof targets)[number]

/** What was built, or why it could not be. */
type Built = { readonly file: string; readonly bytes: number } | { readonly problem: string }

async function build(file: string, target?: Target): Promise<Built> {
  const partial = `${file}.partial${file.endsWith(".exe") ? ".exe" : ""}`
  try {
    const result = await Bun.build({
      entrypoints: [path.join(root, "packages/cli/src/main.ts")],
      target: "bun",
      format: "esm",
      splitting: true,
      minify: true,
      bytecode: true,
      define: { "process.env.NODE_ENV": '"production"' },
      compile: {
        outfile: partial,
        autoloadDotenv: false,
        autoloadBunfig: false,
        ...(target ? { target: `bun-${target}` } : {}),
      },
    })
    if (!result.success) return { problem: result.logs.map(String).join("\n") }
    // Renamed when whole: a build that is interrupted leaves the old executable in its place.
    await rename(partial, file)
    return { file, bytes: (await stat(file)).size }
  } catch (error) {
    const logs = error instanceof AggregateError ? error.errors.map(String).join("\n") : ""
    return { problem: logs || (error instanceof Error ? error.message : String(error)) }
  } finally {
    await rm(partial, { force: true })
  }
}

function report(name: string, built: Built): boolean {
  if ("problem" in built) {
    console.error(`${name}: not built\n${built.problem.replace(/^/gm, "  ")}`)
    return false
  }
  console.log(`${path.relative(root, built.file)}  ${(built.bytes / 1024 / 1024).toFixed(1)} MB  cairn ${version}`)
  return true
}

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((arg) => arg !== "--all")
  if (unknown.length > 0) {
    console.error(`Unknown argument ${unknown.join(" ")}. Usage: bun run build [--all]`)
    return 2
  }
  await mkdir(dist, { recursive: true })
  const own = process.platform === "win32" ? "cairn.exe" : "cairn"
  let good = report(own, await build(path.join(dist, own)))
  if (!args.includes("--all")) return good ? 0 : 1
  for (const target of targets) {
    const name = `cairn-${target}${target.startsWith("windows") ? ".exe" : ""}`
    const built = await build(path.join(dist, name), target)
    good = report(name, built) && good
    if ("problem" in built)
      console.error("  The runtime for another platform comes from the package registry: is it reachable?")
  }
  return good ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))

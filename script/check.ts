import { join } from "node:path"
import { checkBans } from "./check/bans.ts"
import { checkLayers } from "./check/layers.ts"
import { checkSizes } from "./check/sizes.ts"
import { readSources } from "./check/source.ts"

/** What a check found: `failures` fail the run, `notes` are only listed. */
interface Verdict {
  readonly failures: readonly string[]
  readonly notes: readonly string[]
}

interface Check {
  readonly name: string
  readonly run: () => Promise<Verdict>
}

const root = join(import.meta.dir, "..")

/** A tool from node_modules, run under this Bun so that no Node is needed. Its output is shown when it fails. */
function tool(name: string, script: string, ...args: string[]): Check {
  return {
    name,
    run: async () => {
      const child = Bun.spawn([process.execPath, join(root, "node_modules", script), ...args], {
        cwd: root,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        env: { ...process.env, NO_COLOR: "1" },
      })
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      const text = `${out}${err}`.trim()
      return { failures: code === 0 ? [] : [text || `${name} ended with ${child.signalCode ?? code}`], notes: [] }
    },
  }
}

const sources = readSources(root)

const checks: readonly Check[] = [
  tool("types", "typescript/bin/tsc", "-p", ".", "--noEmit", "--pretty", "false"),
  tool("lint", "oxlint/bin/oxlint"),
  tool("unused", "knip/bin/knip.js", "--no-progress", "--no-config-hints"),
  tool("format", "oxfmt/bin/oxfmt", "--list-different", "."),
  { name: "layers", run: async () => checkLayers(await sources) },
  {
    name: "bans",
    run: async () => {
      const lockfile = { path: "bun.lock", text: await Bun.file(join(root, "bun.lock")).text() }
      return checkBans(await sources, lockfile)
    },
  },
  { name: "sizes", run: async () => checkSizes(await sources) },
]

/** Runs one check and prints its line, with what it found below it. Returns whether it passed. */
async function report(check: Check): Promise<boolean> {
  const started = performance.now()
  const { failures, notes } = await check.run()
  const passed = failures.length === 0
  const lines = [`${passed ? "ok  " : "FAIL"}  ${check.name.padEnd(10)} ${seconds(started)}`]
  for (const text of [...failures, ...notes.map((note) => `note: ${note}`)]) {
    lines.push(text.replace(/^(?=.)/gm, "      "))
  }
  console.log(lines.join("\n"))
  return passed
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

/** `bun run check [name…]`: every check, or those named. Exits 1 when one of them fails, 2 when a name is unknown. */
async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name))
  if (unknown.length > 0) {
    console.error(`No check named ${unknown.join(", ")}. There are: ${checks.map((check) => check.name).join(", ")}.`)
    return 2
  }
  const started = performance.now()
  const chosen = checks.filter((check) => names.length === 0 || names.includes(check.name))
  const results = await Promise.all(chosen.map(report))
  const failed = results.filter((passed) => !passed).length
  console.log(`${chosen.length - failed} of ${chosen.length} checks passed in ${seconds(started)}`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))

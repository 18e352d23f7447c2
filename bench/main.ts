// `bun run bench [--quick] [--dry]`: measures the executable against the budgets, prints the table, and puts it into
// docs/benchmarks.md. `--quick` repeats less, `--dry` writes nothing. Fails on counts only, never on a time.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import { join } from "node:path"
import { version } from "../packages/cli/package.json"
import { cairnClient, floorClient } from "./client.ts"
import { executables } from "./executables.ts"
import { pageWith } from "./page.ts"
import { runSuite } from "./suite.ts"
import { type Row, holds, markdownTable, terminalTable } from "./table.ts"

const root = join(import.meta.dir, "..")
const page = join(root, "docs/benchmarks.md")
const started = performance.now()

function say(text: string): void {
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
}

const load = (): string => os.loadavg()[0]?.toFixed(1) ?? "?"

/** Which commit, and whether the tree has more than it. */
async function revision(): Promise<string> {
  const git = async (...args: string[]) => {
    const child = Bun.spawn(["git", ...args], { cwd: root, stdin: "ignore", stderr: "ignore" })
    return (await child.stdout.text()).trim()
  }
  if (Bun.which("git") === null) return "unknown revision"
  const changed = await git("status", "--porcelain", "--", "packages")
  return `${await git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : " with changes"}`
}

/** What was measured, on what, and how busy the machine was. */
function heading(now: Date, revision: string, loads: readonly string[], seconds: number): string {
  const cpus = os.cpus()
  const memory = (os.totalmem() / 1024 ** 3).toFixed(0)
  const machine = `${cpus.length} × ${cpus[0]?.model.trim() ?? "unknown processor"}, ${memory} GB, ${process.platform} ${process.arch}`
  return [
    `## ${now.toISOString().slice(0, 16).replace("T", " ")} UTC`,
    "",
    `cairn ${version} (${revision}), Bun ${Bun.version}; ${machine}; load average ${loads.join(" → ")}; ${seconds.toFixed(0)} s.`,
    "",
  ].join("\n")
}

async function run(quick: boolean): Promise<{ rows: Row[]; title: string }> {
  const folder = await mkdtemp(join(os.tmpdir(), "cairn-bench-"))
  try {
    const before = load()
    const now = new Date()
    const commit = await revision()
    const { cairn, floor } = await executables(folder, say)
    const effort = quick ? 0.2 : 1
    const unbounded = cairnClient([cairn], { sandbox: { enabled: false } })
    const clients = { cairn: cairnClient([cairn]), floor: floorClient([floor]), unbounded }
    const rows = await runSuite({ ...clients, file: cairn, effort, say })
    return { rows, title: heading(now, commit, [before, load()], (performance.now() - started) / 1000) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((arg) => arg !== "--quick" && arg !== "--dry")
  if (unknown.length > 0) {
    console.error(`Unknown argument ${unknown.join(" ")}. Usage: bun run bench [--quick] [--dry]`)
    return 2
  }
  const { rows, title } = await run(args.includes("--quick"))
  console.log(`\n${title.replace("## ", "")}\n${terminalTable(rows)}`)
  if (!args.includes("--dry")) {
    const old = await readFile(page, "utf8").catch(() => "")
    await writeFile(page, pageWith(old, `${title}\n${markdownTable(rows)}`))
    say("docs/benchmarks.md has it")
  }
  const broken = rows.filter((row) => row.counted && !holds(row))
  for (const { name } of broken) console.error(`Not within its bound: ${name}.`)
  return broken.length === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))

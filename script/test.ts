import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { summary, tally } from "./junit.ts"

const root = join(import.meta.dir, "..")

/** A test may wait long for its turn on a busy machine; one that hangs still ends. */
const timeoutMilliseconds = 60_000

/** Test files of the repository, `./`-relative and sorted; with filters, those whose path contains one of them. */
async function findTests(filters: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const pattern of ["packages/**/*.test.{ts,tsx}", "script/**/*.test.ts", "bench/**/*.test.ts"]) {
    for await (const path of new Bun.Glob(pattern).scan({ cwd: root })) {
      if (!/(^|[\\/])(node_modules|dist)[\\/]/.test(path)) found.push(`./${path.replaceAll("\\", "/")}`)
    }
  }
  const wanted = filters.map((filter) => filter.replace(/^\.\//, ""))
  return found.toSorted().filter((path) => wanted.length === 0 || wanted.some((filter) => path.includes(filter)))
}

/**
 * Runs the files in worker processes, so that one that dies or exits fails its own file and takes no other with it.
 * The runner prints failures as they come; returns its report, if it got to write one, and how it ended.
 */
async function runTests(files: readonly string[], long: boolean) {
  const folder = await mkdtemp(join(tmpdir(), "cairn-test-"))
  const report = join(folder, "junit.xml")
  try {
    const workers = Math.max(2, Math.min(8, availableParallelism()))
    const options = [`--parallel=${workers}`, "--only-failures", `--timeout=${timeoutMilliseconds}`]
    const child = Bun.spawn(
      [process.execPath, "test", ...options, "--reporter=junit", `--reporter-outfile=${report}`, ...files],
      {
        cwd: root,
        stdin: "ignore",
        stdout: "inherit",
        stderr: "inherit",
        // With CI set a snapshot that is missing fails; otherwise it would be written, and pass.
        env: { ...process.env, CI: process.env["CI"] ?? "1", ...(long ? { CAIRN_TEST_LONG: "1" } : {}) },
      },
    )
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => child.kill(signal))
    await child.exited
    const file = Bun.file(report)
    const text = (await file.exists()) ? await file.text() : undefined
    return { report: text, end: child.signalCode ?? child.exitCode ?? 1 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `bun run script/test.ts [--long] [path…]`: the last line printed is `N passed, N failed`. Exits 1 unless all passed. */
async function main(args: readonly string[]): Promise<number> {
  const options = args.filter((arg) => arg.startsWith("-"))
  const unknown = options.filter((option) => option !== "--long")
  if (unknown.length > 0) {
    console.error(`Unknown option ${unknown.join(" ")}. Usage: npm test [-- --long] [path…]`)
    return 2
  }
  const filters = args.filter((arg) => !arg.startsWith("-"))
  const files = await findTests(filters)
  const { report, end } = files.length > 0 ? await runTests(files, options.length > 0) : { report: undefined, end: 0 }
  const result = tally(report, files, end)
  for (const problem of result.problems) console.log(`FAILED ${problem}`)
  if (result.skipped > 0) console.log(`${result.skipped} skipped: this machine lacks something that they need`)
  console.log(summary(result))
  return result.failed === 0 && result.passed > 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))

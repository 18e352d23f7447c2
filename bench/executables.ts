import { copyFile, mkdir, stat } from "node:fs/promises"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const suffix = process.platform === "win32" ? ".exe" : ""

/** The two programs, compiled, in `folder`: copies, so that a build beside us changes nothing half-way. */
export interface Executables {
  readonly cairn: string
  readonly floor: string
}

export async function executables(folder: string, say: (text: string) => void): Promise<Executables> {
  const built = join(root, "dist", `cairn${suffix}`)
  if (await isStale(built)) {
    say("building dist/cairn")
    await command([process.execPath, "script/build.ts"])
  }
  const cairn = join(folder, `cairn${suffix}`)
  await mkdir(folder, { recursive: true })
  await copyFile(built, cairn)
  const floor = join(folder, `floor${suffix}`)
  say("building the floor program")
  const flags = ["--compile", "--minify", "--bytecode", "--format=esm", "--no-compile-autoload-dotenv"]
  await command([process.execPath, "build", ...flags, "bench/floor.ts", "--outfile", floor])
  return { cairn, floor }
}

/** Whether the executable is missing or older than what it is made of. */
async function isStale(file: string): Promise<boolean> {
  const built = await stat(file).catch(() => undefined)
  if (!built) return true
  const sources = new Bun.Glob(
    "{packages/{kernel,schema,core,cli}/{package.json,src/**},script/build.ts,script/build/**}",
  )
  for (const path of ["bun.lock", ...sources.scanSync({ cwd: root })]) {
    if (path.endsWith(".test.ts")) continue
    const found = await stat(join(root, path)).catch(() => undefined)
    if (found && found.mtimeMs > built.mtimeMs) return true
  }
  return false
}

async function command(argv: readonly string[]): Promise<void> {
  const child = Bun.spawn([...argv], { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}\n${out}${problem}`)
}

import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { compile, ownTarget, type Target, targets } from "./build/compile.ts"
import { rendererLibrary } from "./build/renderer.ts"
import { ripgrepProgram } from "./build/ripgrep.ts"

let folder = ""
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "cairn-build-")))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const other: Target = ownTarget() === "darwin-x64" ? "linux-arm64" : "darwin-x64"
// Nothing listens on this port of loopback, and nothing is in this cache. The proxy too: for its own runtime Bun does
// not ask the registry that is configured.
const nowhere = "http://127.0.0.1:1"
const offline = () => ({
  ...Object.fromEntries(["BUN_CONFIG_REGISTRY", "NPM_CONFIG_REGISTRY"].map((name) => [name, `${nowhere}/`])),
  ...Object.fromEntries(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, nowhere])),
  NO_PROXY: "",
  no_proxy: "",
  BUN_INSTALL_CACHE_DIR: path.join(folder, "empty-cache"),
})

/** The build as a process of its own, with its output in a directory of the test. */
async function build(args: readonly string[], env: Record<string, string> = {}) {
  const out = await mkdtemp(path.join(folder, "out-"))
  const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "build.ts"), "--out", out, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr, files: await readdir(out), out }
}

test.each([[["--minify"]], [["extra"]], [["--target", "amiga"]], [["--target", "toString"]]])(
  "unknown arguments are refused with the usage: %p",
  async (args) => {
    const { code, stderr, files } = await build(args)
    expect(code).toBe(2)
    expect(stderr).toContain("Usage: bun run build")
    expect(files).toEqual([])
  },
)

test("the build leaves one file, says its size and version, and can be repeated over it", async () => {
  const { code, stdout, files, out } = await build([])
  expect(code).toBe(0)
  expect(files).toEqual([process.platform === "win32" ? "cairn.exe" : "cairn"])
  expect(stdout).toMatch(/cairn(\.exe)? {2}\d+\.\d MB {2}cairn \d+\.\d+\.\d+\n$/)
  const again = await compile(path.join(out, files[0]!), ownTarget()!)
  expect(again).toEqual({ file: path.join(out, files[0]!), bytes: expect.any(Number) })
  expect(await readdir(out)).toEqual(files)
  // With the terminal interface inside: the budget of the install.
  expect("bytes" in again && again.bytes).toBeLessThanOrEqual(160 * 1024 * 1024)
}, 60_000)

test("a target that cannot be fetched is said, and leaves no file", async () => {
  const { code, stderr, files } = await build(["--target", other], offline())
  expect(code).toBe(1)
  expect(stderr).toContain(`cairn-${other}: not built`)
  expect(stderr).toContain("is it reachable?")
  expect(files).toEqual([])
}, 60_000)

test("a place where nothing can be written is said", async () => {
  const file = path.join(folder, "a-file")
  await writeFile(file, "")
  const built = await compile(path.join(file, "cairn"), ownTarget()!)
  expect(built).toEqual({ problem: expect.stringMatching(/\S/) })
})

test("the ripgrep of this machine is the installed one", async () => {
  const program = await ripgrepProgram(targets[ownTarget()!])
  expect(program).toContain(`ripgrep-${process.platform}-${process.arch}`)
  expect(Bun.spawnSync([program, "--version"]).stdout.toString()).toStartWith("ripgrep ")
})

test("the terminal interface's library of this machine is the installed one, and one that is not pinned is none", async () => {
  const { os, cpu } = targets[ownTarget()!]
  expect(await rendererLibrary({ os, cpu })).toContain(`core-${os}-${cpu}`)
  expect(await rendererLibrary({ os: "win32", cpu: "arm64" })).toBeUndefined()
})

test("every target has its ripgrep pinned, with a hash, in the lockfile", async () => {
  const lockfile = await Bun.file(path.join(import.meta.dir, "../bun.lock")).text()
  for (const { os, cpu } of Object.values(targets)) {
    expect(lockfile).toMatch(new RegExp(`"@vscode/ripgrep-${os}-${cpu}": \\[.*"sha512-`))
  }
})

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { text, toolCall, type Reply } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import packageJson from "../package.json"
import { badInput } from "./bad-input.ts"
import { configure, makeHostile, runProgram } from "./hostile-project.ts"

const root = path.join(import.meta.dir, "../../..")
const bwrap = Bun.which("bwrap")
const isolates = bwrap !== null && Bun.spawnSync([bwrap, "--unshare-all", "--ro-bind", "/", "/", "true"]).exitCode === 0
if (!isolates)
  process.stdout.write("skipped: the executable alone in an empty root, because bwrap is missing or not allowed here\n")

let folder = ""
let program = ""

beforeAll(async () => {
  // Built as anybody builds it, but away from the checkout, where it has nothing beside it.
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "cairn-executable-")))
  const build = [process.execPath, path.join(root, "script/build.ts"), "--out", folder]
  const { code, err } = await runProgram(build, { cwd: root, env: { ...process.env } as Record<string, string> })
  if (code !== 0) throw new Error(`the build failed: ${err}`)
  program = path.join(folder, process.platform === "win32" ? "cairn.exe" : "cairn")
}, 60_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

const files = { "src/one.ts": "export const needle = 1\n", "src/two.ts": "export const hay = 2\n" }

/** Searches, runs a command, answers. */
const searching: readonly Reply[] = [
  [toolCall("grep", { pattern: "needle" }), toolCall("glob", { pattern: "**/*.ts" })],
  [toolCall("bash", { command: "echo from the shell; exit 3" })],
  [text("Found it.")],
]

/** What the model was told of the tool calls of its request `index`. */
const told = (server: { readonly requests: readonly { readonly body: unknown }[] }, index: number) =>
  JSON.stringify(server.requests[index]?.body)

/** Names in the directory where the executable unpacks to. */
const unpacked = (space: TempWorkspace) => readdir(path.join(space.home, ".cache/cairn/bin"))

/** One search by the executable; what the model was told of it. */
async function search(space: TempWorkspace): Promise<string> {
  await using server = await startModelServer([[toolCall("grep", { pattern: "needle" })], [text("Done.")]])
  await configure(space, server)
  const run = await runProgram([program, "run", "--title", "Search", "search"], { cwd: space.dir, env: space.env })
  expect(run).toMatchObject({ code: 0, out: "Done.\n" })
  return told(server, 1)
}

describe.skipIf(!isolates)("alone in an empty root", () => {
  /**
   * The arguments that make a root of the executable, the libraries it names, these programs with theirs, and the workspace.
   * Of `inside`, which the executable has in itself, only the libraries that they name.
   */
  async function emptyRoot(
    space: TempWorkspace,
    programs: readonly string[] = ["/bin/sh"],
    inside: readonly string[] = [],
  ): Promise<string[]> {
    const libraries = new Set<string>()
    for (const file of [program, ...programs, ...inside]) {
      const { out } = await runProgram(["ldd", file], { cwd: "/", env: { PATH: process.env.PATH ?? "" } })
      for (const [library] of out.matchAll(/\/\S+/g)) if (library !== `${file}:`) libraries.add(library)
    }
    const binds = [...libraries, ...programs].flatMap((file) => ["--ro-bind", file, file])
    const workspace = ["--bind", space.dir, "/project", "--bind", space.home, "/home"]
    const variables = ["--clearenv", "--setenv", "HOME", "/home", "--setenv", "PATH", "/bin"]
    const system = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/project"]
    const isolation = ["--unshare-all", "--share-net", "--die-with-parent"]
    return [bwrap!, ...isolation, ...variables, "--ro-bind", program, "/cairn", ...binds, ...system, ...workspace]
  }

  test("it runs, searches, and starts commands", async () => {
    await using space = await tempWorkspace({ files })
    await using server = await startModelServer(searching)
    await configure(space, server)
    const sandbox = await emptyRoot(space)
    const argv = [...sandbox, "/cairn", "run", "--title", "Search", "find the needle"]
    const run = await runProgram(argv, { cwd: "/", env: {} })
    expect(run).toEqual({ code: 0, out: "Found it.\n", err: expect.stringContaining("exit 3") })
    expect(told(server, 1)).toContain("export const needle = 1")
    expect(told(server, 1)).toContain("two.ts")
    expect(told(server, 2)).toContain("from the shell")
    expect(server.unexpected).toEqual([])

    const listed = await runProgram([...sandbox, "/cairn", "session", "list"], { cwd: "/", env: {} })
    expect(listed.out).toContain("Search")
    const verified = await runProgram([...sandbox, "/cairn", "debug", "verify"], { cwd: "/", env: {} })
    expect(verified.code).toBe(0)
  })

  test("without a shell it searches all the same, and the doctor says what is missing", async () => {
    await using space = await tempWorkspace({ files })
    await using server = await startModelServer(searching)
    await configure(space, server)
    const sandbox = await emptyRoot(space, [])
    const argv = [...sandbox, "/cairn", "run", "--title", "Search", "find the needle"]
    const run = await runProgram(argv, { cwd: "/", env: {} })
    expect(run).toMatchObject({ code: 0, out: "Found it.\n" })
    expect(told(server, 1)).toContain("export const needle = 1")
    expect(told(server, 1)).toContain("two.ts")
    expect(told(server, 2)).toContain("there is no such program")

    const doctor = await runProgram([...sandbox, "/cairn", "doctor", "--format", "json"], { cwd: "/", env: {} })
    const { checks } = JSON.parse(doctor.out)
    const of = (name: string) => checks.filter((check: { name: string }) => check.name === name)
    expect(of("sh")).toMatchObject([{ state: "warning", text: expect.stringContaining("/bin/sh not found") }])
    expect(of("bash")).toMatchObject([{ state: "warning", text: expect.stringContaining("no command can run") }])
    expect(of("ripgrep")).toMatchObject([{ state: "ok" }])
    expect([doctor.code, doctor.err]).toEqual([0, ""])
  })

  test("it loads the renderer of the terminal interface", async () => {
    await using space = await tempWorkspace()
    const core = await realpath(path.join(root, "packages/tui/node_modules/@opentui/core"))
    const library = path.join(core, "../..", `@opentui/core-linux-${process.arch}/libopentui.so`)
    const sandbox = await emptyRoot(space, [], [library])
    const shown = await runProgram([...sandbox, "/cairn", "debug", "terminal"], { cwd: "/", env: {} })
    expect(shown).toMatchObject({ code: 0, err: "" })
    expect(shown.out).toMatch(/^renderer +loaded$/m)
    expect(await unpacked(space)).toEqual([expect.stringMatching(/^libopentui-[0-9a-f]{16}\.so$/)])
  })

  test("it says its version where there is nothing else at all", async () => {
    await using space = await tempWorkspace()
    const argv = [...(await emptyRoot(space)), "/cairn", "--version"]
    expect(await runProgram(argv, { cwd: "/", env: {} })).toEqual({
      code: 0,
      out: `${packageJson.version}\n`,
      err: "",
    })
  })
})

describe("its own ripgrep", () => {
  test("is unpacked once, for this user alone, and taken again", async () => {
    await using space = await tempWorkspace({ files })
    expect(await search(space)).toContain("export const needle")
    const names = await unpacked(space)
    expect(names).toEqual([expect.stringMatching(/^rg-[0-9a-f]{16}(\.exe)?$/)])
    const place = path.join(space.home, ".cache/cairn/bin")
    const first = await stat(path.join(place, names[0]!))
    if (process.platform !== "win32")
      expect([first.mode & 0o777, (await stat(place)).mode & 0o777]).toEqual([0o700, 0o700])
    expect(await search(space)).toContain("export const needle")
    expect((await stat(path.join(place, names[0]!))).ino).toBe(first.ino)
  })

  test("is not what somebody else put in its place", async () => {
    await using space = await tempWorkspace({ files })
    await search(space)
    const file = path.join(space.home, ".cache/cairn/bin", (await unpacked(space))[0]!)
    await writeFile(file, "#!/bin/sh\ntouch ../fooled\n")
    expect(await search(space)).toContain("export const needle")
    expect(await space.exists("../fooled")).toBe(false)
    expect(await unpacked(space)).toHaveLength(1)
  })

  test("lies in the temporary directory when the cache is no place for it", async () => {
    await using space = await tempWorkspace({ files })
    await space.write(path.join(space.home, ".cache"), "a file, not a directory")
    expect(await search(space)).toContain("export const needle")
    expect(await readdir(space.env["TMPDIR"]!)).toEqual([expect.stringMatching(/^cairn-/)])
  })
})

describe("started in somebody's project", () => {
  test("it takes nothing from the directory but the work", async () => {
    await using space = await tempWorkspace({ files })
    await using server = await startModelServer([...searching, [text("Fine.")]])
    const marker = await makeHostile(space)
    await configure(space, server)
    const env = space.env
    const config = await runProgram([program, "debug", "config"], { cwd: space.dir, env })
    expect(config).toMatchObject({ code: 0, err: "" })
    expect(config.out).toContain("scripted/model")
    expect(config.out).not.toContain("evil")
    const run = await runProgram([program, "run", "--title", "Search", "search"], { cwd: space.dir, env })
    expect(run).toMatchObject({ code: 0, out: "Found it.\n" })
    expect(await space.exists(marker)).toBe(false)
    const log = path.join(space.env["XDG_STATE_HOME"] ?? path.join(space.home, ".local/state"), "cairn/log/cairn.log")
    expect(await space.read(log).catch(() => "")).not.toContain("traces")
    const asked = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
    await runProgram([program, "run", "--continue", "and?"], { cwd: space.dir, env: asked })
    expect(await space.read(log)).toContain("traces were lost")
  })

  test("a shell command gets no variable from its .env", async () => {
    await using space = await tempWorkspace()
    const command = "printenv FROM_DOTENV || echo dotenv=."
    await using server = await startModelServer([[toolCall("bash", { command })], [text("Done.")]])
    await makeHostile(space)
    await configure(space, server)
    await runProgram([program, "run", "--title", "Env", "say it"], { cwd: space.dir, env: space.env })
    expect(told(server, 1)).toContain("dotenv=.")
  })
})

describe("what goes wrong with a prompt or an answer", () => badInput(() => program))

test("it has the validator of schemas inside", async () => {
  await using space = await tempWorkspace({
    files: { "s.json": '{"type":"object","properties":{"n":{"type":"integer"}}}' },
  })
  await using server = await startModelServer([
    toolCall("structured_output", { n: "many" }),
    toolCall("structured_output", { n: 2 }),
  ])
  await configure(space, server)
  const argv = [program, "run", "--schema", "s.json", "count"]
  expect(await runProgram(argv, { cwd: space.dir, env: space.env })).toMatchObject({ code: 0, out: '{"n":2}\n' })
  expect(told(server, 1)).toContain("/n: must be integer")
})

test("the demonstration runs inside it", async () => {
  await using space = await tempWorkspace({ files })
  const argv = [program, "run", "--model", "demo/tour", "--title", "Demo", "hello"]
  const run = await runProgram(argv, { cwd: space.dir, env: space.env })
  expect(run).toMatchObject({ code: 0, out: expect.stringContaining("demo/tour") })
})

test("it runs from a directory that cannot be written, under another name", async () => {
  await using space = await tempWorkspace()
  const place = path.join(space.home, "read only")
  await mkdir(place)
  const copy = path.join(place, "renamed")
  await Bun.write(copy, Bun.file(program))
  await chmod(copy, 0o500)
  await chmod(place, 0o500)
  try {
    expect(await runProgram([copy, "--version"], { cwd: space.dir, env: space.env })).toMatchObject({ code: 0 })
  } finally {
    await chmod(place, 0o700)
  }
})

import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

const node = Bun.which("node", { PATH: cleanPath() })
const shell = Bun.which("sh")
if (!node) console.log("skipped: the bootstrap under Node, because node is not on PATH")

/** PATH without the stand-in for node that Bun adds when there is none. */
function cleanPath(): string {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !/bun-node-/.test(folder))
    .join(delimiter)
}

const manifest = {
  name: "fixture",
  private: true,
  packageManager: `bun@${Bun.version}`,
  workspaces: ["local"],
  scripts: { start: "node script/bootstrap.mjs start" },
}

/** What Bun writes for the manifest: one workspace, nothing from a registry. */
const lockfile = `{
  "lockfileVersion": 2,
  "configVersion": 1,
  "workspaces": { "": { "name": "fixture" }, "local": { "name": "local", "version": "1.0.0" } },
  "packages": { "local": ["local@workspace:local"] }
}
`

let root = ""
let bin = ""

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "cairn-bootstrap-")))
  bin = join(root, "bin")
  await mkdir(join(root, "script"))
  await mkdir(bin)
  await copyFile(join(import.meta.dir, "bootstrap.mjs"), join(root, "script/bootstrap.mjs"))
  await mkdir(join(root, "local"))
  await writeFile(join(root, "local/package.json"), `{ "name": "local", "version": "1.0.0" }`)
  await writeFile(join(root, "package.json"), JSON.stringify(manifest))
  await writeFile(join(root, "bun.lock"), lockfile)
  await start(`console.log(JSON.stringify(process.argv.slice(2)), Bun.which("bun") !== null)`)
  await link("sh", shell ?? "/bin/sh")
  for (const name of ["mkdir", "ln", "chmod", "cat"]) await link(name, Bun.which(name) ?? `/bin/${name}`)
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function start(text: string): Promise<void> {
  await writeFile(join(root, "script/start.ts"), text)
}

async function link(name: string, target: string): Promise<void> {
  await symlink(target, join(bin, name))
}

async function executable(name: string, text: string): Promise<void> {
  await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`)
  await chmod(join(bin, name), 0o755)
}

/** An npm that notes how it was called and does what the script says, in `.tools/node_modules`. */
async function fakeNpm(script: string): Promise<void> {
  await executable(
    "npm",
    `echo "$@" >> ${root}/npm.log\nmkdir -p ${root}/.tools/node_modules/.bin\ncd ${root}/.tools/node_modules\n${script}`,
  )
}

const linkBun = `ln -s ${process.execPath} .bin/bun`

async function npmCalls(): Promise<string[]> {
  const file = Bun.file(join(root, "npm.log"))
  return (await file.exists()) ? (await file.text()).trim().split("\n") : []
}

function spawn(runtime: string, args: readonly string[]) {
  return Bun.spawn([runtime, "script/bootstrap.mjs", ...args], {
    cwd: root,
    env: { PATH: bin, HOME: root },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
}

async function run(runtime: string, ...args: string[]) {
  const child = spawn(runtime, args)
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out: out.trim(), err, code, signal: child.signalCode }
}

describe.skipIf(!node)("under Node", () => {
  const runtime = node ?? ""

  test("installs Bun once, then the dependencies, then runs with the arguments; the second time it only runs", async () => {
    await fakeNpm(linkBun)
    const first = await run(runtime, "start", "--", "--model", "a b")
    expect(first).toMatchObject({ out: `["--model","a b"] true`, code: 0 })
    expect(first.err).toContain(`Installing Bun ${Bun.version}`)
    expect(await npmCalls()).toEqual([expect.stringContaining(`bun@${Bun.version}`)])
    const second = await run(runtime, "start")
    expect(second).toMatchObject({ out: "[] true", err: "", code: 0 })
    expect(await npmCalls()).toHaveLength(1)
  })

  test("takes the Bun on PATH when it is the pinned one", async () => {
    await link("bun", process.execPath)
    expect(await run(runtime, "start")).toMatchObject({ code: 0 })
    expect(await npmCalls()).toEqual([])
  })

  test("passes over a Bun of another version, and puts its own first on PATH", async () => {
    await executable("bun", "echo 0.0.1")
    await fakeNpm(linkBun)
    await start(`console.log((await Bun.$\`bun --version\`.text()).trim())`)
    expect(await run(runtime, "start")).toMatchObject({ out: Bun.version, code: 0 })
  })

  test("uses the platform's binary when install scripts were blocked", async () => {
    await fakeNpm(
      `echo placeholder > .bin/bun\nmkdir -p @oven/bun-x/bin\nln -s ${process.execPath} @oven/bun-x/bin/bun`,
    )
    expect(await run(runtime, "start")).toMatchObject({ out: "[] true", code: 0 })
  })

  test("says what npm said, and what to do, when the install fails; a later run tries again", async () => {
    await fakeNpm("echo ECONNREFUSED >&2; exit 1")
    const failed = await run(runtime, "start")
    expect(failed).toMatchObject({ out: "", code: 1 })
    expect(failed.err).toContain("ECONNREFUSED")
    expect(failed.err).toContain("npm ping")
    await fakeNpm(linkBun)
    expect(await run(runtime, "start")).toMatchObject({ code: 0 })
  })

  test("says so when an install leaves no Bun that runs", async () => {
    await fakeNpm("echo placeholder > .bin/bun")
    expect((await run(runtime, "start")).err).toContain("no Bun of this version can be run")
  })

  test("without npm and Bun it says what to install", async () => {
    const { err, code } = await run(runtime, "start")
    expect(err).toContain("npm is not on PATH")
    expect(code).toBe(1)
  })

  test("three at once install once", async () => {
    await fakeNpm(linkBun)
    const results = await Promise.all([1, 2, 3].map((each) => run(runtime, "start", String(each))))
    expect(results.map(({ out }) => out)).toEqual([`["1"] true`, `["2"] true`, `["3"] true`])
    expect(await npmCalls()).toHaveLength(1)
  })
})

for (const [name, runtime] of [
  ["Node", node],
  ["Bun", process.execPath],
] as const) {
  describe.skipIf(!runtime)(`once Bun is there, under ${name}`, () => {
    const command = runtime ?? ""
    beforeEach(() => link("bun", process.execPath))

    test("the exit code is the program's", async () => {
      await start("process.exit(7)")
      expect(await run(command, "start")).toMatchObject({ code: 7 })
    })

    test("a signal reaches the program, which may still end as it likes", async () => {
      await start(`process.on("SIGTERM", () => process.exit(5)); console.log("ready"); setInterval(() => {}, 1000)`)
      const child = spawn(command, ["start"])
      const reader = child.stdout.getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toContain("ready")
      child.kill("SIGTERM")
      expect(await child.exited).toBe(5)
    })

    test("a program that dies of a signal is told on as such", async () => {
      await start(`process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)`)
      const result = await run(command, "start")
      expect(result.signal ?? result.code).toBe("SIGTERM")
    })

    test("dependencies are installed again when bun.lock changed, and not otherwise", async () => {
      expect((await run(command, "install")).err).toContain("Installing the dependencies")
      expect((await run(command, "install")).err).toBe("")
      await writeFile(join(root, "bun.lock"), `${lockfile}\n`)
      expect((await run(command, "install")).err).toContain("Installing the dependencies")
    })

    test("a lockfile that does not fit is said, with what to do", async () => {
      await mkdir(join(root, "second"))
      await writeFile(join(root, "second/package.json"), `{ "name": "second", "version": "1.0.0" }`)
      await writeFile(join(root, "package.json"), JSON.stringify({ ...manifest, workspaces: ["local", "second"] }))
      const { err, code } = await run(command, "start")
      expect(err).toContain("The dependencies could not be installed")
      expect(err).toContain("run `bun install`")
      expect(code).toBe(1)
    })

    test("the lock of a process that died is taken over", async () => {
      const gone = Bun.spawn([process.execPath, "--version"], { stdout: "ignore" })
      await gone.exited
      await mkdir(join(root, ".tools"))
      await writeFile(join(root, ".tools/lock"), String(gone.pid))
      expect(await run(command, "install")).toMatchObject({ code: 0 })
      expect(await Bun.file(join(root, ".tools/lock")).exists()).toBe(false)
    })

    test("the lock of a living process is waited for", async () => {
      await mkdir(join(root, ".tools"))
      await writeFile(join(root, ".tools/lock"), String(process.pid))
      const child = spawn(command, ["install"])
      const reader = child.stderr.getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toContain("waiting")
      await rm(join(root, ".tools/lock"))
      expect(await child.exited).toBe(0)
    })

    test("an unknown task is refused with the list of tasks", async () => {
      const { err, code } = await run(command, "strat")
      expect(err).toContain("start | test | check")
      expect(code).toBe(1)
    })

    test("a package.json that pins no Bun is refused", async () => {
      await writeFile(join(root, "package.json"), `{ "packageManager": "npm@11.0.0" }`)
      expect((await run(command, "start")).err).toContain("expected bun@x.y.z")
    })
  })
}

test("`bun run start` works where there is no Node at all", async () => {
  const child = Bun.spawn([process.execPath, "run", "start", "a"], {
    cwd: root,
    env: { PATH: bin, HOME: root },
    stdout: "pipe",
    stderr: "pipe",
  })
  expect((await child.stdout.text()).trim()).toBe(`["a"] true`)
  expect(await child.exited).toBe(0)
})

// From a fresh clone to a running program: finds or installs the pinned Bun, installs the dependencies, runs.
// Plain JavaScript without dependencies, because nothing is installed yet. Runs on Node >= 20 and on Bun.
//
//   node script/bootstrap.mjs install            only prepares
//   node script/bootstrap.mjs <task> [args…]     prepares, then runs the task of that name
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, delimiter, dirname, isAbsolute, join } from "node:path"
import { isatty } from "node:tty"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tools = join(root, ".tools")
const windows = process.platform === "win32"
const lockPatience = 15 * 60_000
const tasks = {
  start: "script/start.ts",
  test: "script/test.ts",
  check: "script/check.ts",
  build: "script/build.ts",
  bench: "bench/main.ts",
}

/** Ends the program with a message for the user: what happened, where, what to do. */
class Failure extends Error {}

/** The version of Bun that `packageManager` in package.json pins. */
function pinnedVersion() {
  const { packageManager = "" } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const match = /^bun@(\d+\.\d+\.\d+)/.exec(packageManager)
  if (!match)
    throw new Failure(`package.json: packageManager is ${JSON.stringify(packageManager)}, expected bun@x.y.z.`)
  return match[1]
}

/** Path of a Bun of exactly this version, or undefined. */
function findBun(version) {
  if (process.versions.bun === version) return process.execPath
  return [...onPath("bun"), ...installed()].find((path) => versionOf(path) === version)
}

/** Executables of this name in the absolute folders of PATH, in order: a relative one leads into the current project. */
function onPath(name) {
  const file = windows ? `${name}.exe` : name
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, file))
    .filter((path) => existsSync(path))
}

/** Where `.tools` may hold Bun: npm's link, and the platform package in case install scripts were blocked. */
function installed() {
  const modules = join(tools, "node_modules")
  const platforms = join(modules, "@oven")
  const packages = existsSync(platforms) ? readdirSync(platforms).toSorted() : []
  const paths = packages.map((name) => join(platforms, name, "bin", windows ? "bun.exe" : "bun"))
  return [join(modules, ".bin", windows ? "bun.exe" : "bun"), ...paths].filter((path) => existsSync(path))
}

function versionOf(path) {
  const result = spawnSync(path, ["--version"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 30_000,
  })
  return result.status === 0 ? result.stdout.trim() : undefined
}

/** Installs Bun into `.tools` with npm, or with whatever Bun is there when npm is not. */
function installBun(version) {
  say(`Installing Bun ${version} into .tools (once)`)
  mkdirSync(tools, { recursive: true })
  // Without a package.json of its own, .tools would be taken for a part of this workspace.
  writeFileSync(join(tools, "package.json"), '{ "private": true, "allowScripts": { "bun": true } }\n')
  const npm = npmCommand()
  const other = process.versions.bun ? process.execPath : onPath("bun")[0]
  if (!npm && !other)
    throw new Failure(`Bun ${version} is not here and npm is not on PATH. Install Node.js with npm, or Bun ${version}.`)
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--include=optional", "--loglevel=error"]
  // npm's own patience is over a minute for each of the dozen requests.
  const patience = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
  const [command, ...args] = npm
    ? [...npm, "install", "--prefix", tools, ...flags, ...patience, `bun@${version}`]
    : [other, "add", "--exact", "--cwd", tools, `bun@${version}`]
  const output = runQuietly(command, args, tools)
  const bun = findBun(version)
  if (bun) return bun
  throw new Failure(
    `Bun ${version} could not be installed into ${tools}.\n${indent(output ?? "npm reported success, but no Bun of this version can be run.")}\n` +
      "Check that the npm registry is reachable from here (`npm ping`; a proxy or a mirror is set in ~/.npmrc) and that\n" +
      `this platform has Bun (${process.platform}-${process.arch}), or put Bun ${version} on PATH yourself, then run the command again.`,
  )
}

/** How to start npm: the script of the npm that runs us, else `npm` on PATH. Undefined when there is none. */
function npmCommand() {
  const script = process.env.npm_execpath
  if (!process.versions.bun && script && /npm-cli\.c?js$/.test(script) && existsSync(script))
    return [process.execPath, script]
  const [found] = windows ? [] : onPath("npm")
  if (found) return [found]
  const cli = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js")
  return !process.versions.bun && existsSync(cli) ? [process.execPath, cli] : undefined
}

/** A folder for PATH in which this Bun is called `bun`: child scripts call it by name. */
function folderOf(bun) {
  if (basename(bun) === (windows ? "bun.exe" : "bun")) return dirname(bun)
  const folder = join(tools, "bin")
  const link = join(folder, "bun")
  mkdirSync(folder, { recursive: true })
  if (existsSync(link) && versionOf(link) === versionOf(bun)) return folder
  rmSync(link, { force: true })
  symlinkSync(bun, link)
  return folder
}

/** Installs the dependencies unless they stand as bun.lock has them. The stamp is the lockfile's hash, for this Bun. */
function installDependencies(bun, version, env) {
  const stamp = join(root, "node_modules", ".cairn-installed")
  if (readStamp(stamp) === wantedStamp(version)) return
  say("Installing the dependencies (bun install --frozen-lockfile)")
  const output = runQuietly(bun, ["install", "--frozen-lockfile"], root, env)
  if (output !== undefined) {
    throw new Failure(
      `The dependencies could not be installed.\n${indent(output)}\n` +
        "If the registry was not reachable, run the command again when it is. If bun.lock is out of date, run `bun install`.",
    )
  }
  writeFileSync(stamp, wantedStamp(version))
}

function wantedStamp(version) {
  const hash = createHash("sha256")
    .update(readFileSync(join(root, "bun.lock")))
    .digest("hex")
  return `bun ${version} ${hash}\n`
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** Runs a command without a terminal. Undefined when it succeeded, else what it printed and why it did not end well. */
function runQuietly(command, args, cwd, env = process.env) {
  const stdio = ["ignore", "pipe", "pipe"]
  const result = spawnSync(command, args, { cwd, env, encoding: "utf8", stdio, maxBuffer: 64 << 20, timeout: 600_000 })
  if (result.status === 0) return undefined
  const reason = result.error?.message ?? `${basename(command)} ended with ${result.signal ?? result.status}`
  return [result.stdout, result.stderr, reason].filter(Boolean).join("\n").trim()
}

/** Prepares once at a time: a second process waits until the first is done, or takes over when it died. */
function prepare(version) {
  const ready = findBun(version)
  const stamp = join(root, "node_modules", ".cairn-installed")
  if (ready && readStamp(stamp) === wantedStamp(version)) return ready
  const release = lock(join(root, ".tools", "lock"))
  try {
    const bun = findBun(version) ?? installBun(version)
    installDependencies(bun, version, environment(bun))
    return bun
  } finally {
    release()
  }
}

/** Takes a lock file that names its owner. Returns how to give it back. */
function lock(path) {
  const deadline = Date.now() + lockPatience
  for (let told = false; ; told = true) {
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, String(process.pid), { flag: "wx" })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== "EEXIST") throw new Failure(`${path} cannot be written: ${error.message}`)
    }
    if (isAbandoned(path)) {
      takeAway(path)
      continue
    }
    if (Date.now() > deadline)
      throw new Failure(`Another process is preparing this checkout. If none is, delete ${path}.`)
    if (!told) say("Another process is preparing this checkout; waiting for it")
    pause(200)
  }
}

/** The owner died, or never got to write its id. */
function isAbandoned(path) {
  try {
    const owner = Number(readFileSync(path, "utf8"))
    if (!Number.isInteger(owner) || owner <= 0) return Date.now() - statSync(path).mtimeMs > 10_000
    process.kill(owner, 0)
    return false
  } catch (error) {
    return error.code === "ESRCH"
  }
}

/** Removes an abandoned lock, one remover at a time: a slow second one would take the lock of the first. */
function takeAway(path) {
  const marker = `${path}.removing`
  try {
    writeFileSync(marker, String(process.pid), { flag: "wx" })
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    if (isAbandoned(marker)) rmSync(marker, { force: true })
    return pause(50)
  }
  try {
    if (isAbandoned(path)) rmSync(path, { force: true })
  } finally {
    rmSync(marker, { force: true })
  }
}

function pause(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function environment(bun) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === "PATH") ?? "PATH"
  const folders = [folderOf(bun), join(root, "node_modules", ".bin"), process.env[name] ?? ""]
  return { ...process.env, [name]: folders.filter(Boolean).join(delimiter) }
}

/** Runs the program on our terminal, in the root of this checkout, hands it our signals, and ends as it ended. */
function runAs(command, args, env) {
  const child = spawn(command, args, { cwd: root, stdio: "inherit", env })
  const forward = (signal) => child.kill(signal)
  // On a terminal Ctrl-C reaches the child by itself; a second one from here would mean "at once".
  const handlers = new Map([
    ["SIGINT", isatty(0) ? () => {} : forward],
    ["SIGTERM", forward],
    ["SIGHUP", forward],
  ])
  for (const [signal, handler] of handlers) process.on(signal, handler)
  child.on("error", (error) => {
    say(`${command} could not be started: ${error.message}`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    for (const [name, handler] of handlers) process.off(name, handler)
    if (signal) process.kill(process.pid, signal)
    else process.exitCode = code ?? 1
  })
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

function indent(text) {
  return text.replace(/^/gm, "  ")
}

function main([task, ...rest]) {
  const script = Object.hasOwn(tasks, task ?? "") ? tasks[task] : undefined
  if (!script && task !== "install") {
    throw new Failure(`Usage: node script/bootstrap.mjs install | ${Object.keys(tasks).join(" | ")} [args…]`)
  }
  const bun = prepare(pinnedVersion())
  if (!script) return
  // `npm start -- x` drops the dashes, `bun run start -- x` hands them on.
  const args = rest[0] === "--" ? rest.slice(1) : rest
  // Bun takes settings, and code to run first, from where it starts (bunfig.toml, tsconfig.json, .env), and that may be
  // anybody's project. So it starts in our root and is told where we are, as npm does it.
  const here = process.env.INIT_CWD || process.cwd()
  runAs(bun, ["--no-env-file", "run", join(root, script), ...args], { ...environment(bun), INIT_CWD: here })
}

try {
  const major = Number(process.versions.node.split(".")[0])
  if (!process.versions.bun && major < 20)
    throw new Failure(`Node ${process.versions.node} is too old: 20 or later is needed.`)
  main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Failure)) throw error
  say(error.message)
  process.exitCode = 1
}

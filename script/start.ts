// What `npm start` runs: without arguments a tour on a small broken project, with arguments `cairn run` where you are.
import { cp, mkdtemp, realpath } from "node:fs/promises"
import os from "node:os"
import path from "node:path"

const root = path.join(import.meta.dir, "..")
const entry = path.join(root, "packages/cli/src/main.ts")
const tourMessage = "The tests of this project fail. Find out why, fix it, and run them again."

/** Runs the real command line by the same Bun in the tour's directory and waits for it; signals are its to answer. */
async function cairn(args: readonly string[], directory: string): Promise<number> {
  const child = Bun.spawn([process.execPath, entry, ...args], {
    cwd: directory,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  })
  // On a terminal Ctrl-C reaches the child by itself; a second one from here would mean "at once".
  const terminate = () => child.kill("SIGTERM")
  const interrupt = () => {
    if (!process.stdin.isTTY) child.kill("SIGINT")
  }
  process.on("SIGINT", interrupt)
  process.on("SIGTERM", terminate)
  process.on("SIGHUP", terminate)
  return child.exited
}

/** What a command prints, or undefined when it is not there or fails. */
async function output(command: readonly string[], cwd: string): Promise<string | undefined> {
  if (Bun.which(command[0] ?? "") === null) return undefined
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")))
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "ignore" })
  const text = await child.stdout.text()
  return (await child.exited) === 0 ? text : undefined
}

/** A copy of the example in a directory of its own, with a first commit where git is. */
async function copyTour(): Promise<string> {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "cairn-tour-")))
  await cp(path.join(root, "examples/tour"), directory, { recursive: true })
  const identity = ["-c", "user.name=Cairn tour", "-c", "user.email=tour@example.invalid"]
  const quiet = ["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "-c", "init.defaultBranch=main"]
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "The project as it came"],
  ]) {
    await output(["git", ...identity, ...quiet, ...args], directory)
  }
  return directory
}

interface Listed {
  readonly id: string
  readonly cost?: number
  readonly tokens?: { readonly input: number; readonly output: number; readonly cache: { readonly read: number } }
}

/** The session that the tour left behind, as `cairn session list` tells it. */
async function newestSession(directory: string): Promise<Listed | undefined> {
  const text = await output([process.execPath, entry, "session", "list", "--limit", "1", "--format", "json"], directory)
  const sessions: Listed[] = text === undefined ? [] : JSON.parse(text)
  return sessions[0]
}

async function tour(): Promise<number> {
  const directory = await copyTour()
  say("This is the tour: a scripted model (demo/tour: no network, no key) works on a small project whose tests fail,")
  say(`through the same loop, tools, permissions and store as any model. The project is a copy: ${directory}\n`)
  say(`$ cairn run --model demo/tour ${JSON.stringify(tourMessage)}\n`)
  const code = await cairn(["run", "--model", "demo/tour", "--title", "Tour", tourMessage], directory)
  if (code !== 0) {
    say(`\nThe tour ended with exit code ${code}. The project stays in ${directory}.`)
    return code
  }
  const color = process.stdout.isTTY && !process.env["NO_COLOR"] ? "always" : "never"
  const diff = await output(["git", "--no-pager", "diff", `--color=${color}`], directory)
  if (diff) say(`\nWhat changed\n\n${diff.trimEnd()}`)
  const session = await newestSession(directory)
  const tokens = session?.tokens
  if (tokens) {
    say(
      `\nTokens: ${tokens.input + tokens.cache.read} in, ${tokens.output} out, counted from what was sent; a scripted model costs nothing.`,
    )
  }
  say(nextSteps(directory, session?.id))
  return 0
}

function nextSteps(directory: string, sessionID: string | undefined): string {
  const command = `${shellWord(process.execPath)} ${shellWord(entry)}`
  const show =
    sessionID === undefined
      ? []
      : ["", "Look at the session again, or at the project it worked on:", `  ${command} session show ${sessionID}`]
  return [
    ...show,
    ...(sessionID === undefined ? [""] : []),
    `  cd ${shellWord(directory)}`,
    "",
    "Use a real model: put a provider's key into the environment and say what to do, in any directory of yours:",
    "  export ANTHROPIC_API_KEY=…      (or OPENAI_API_KEY, OPENROUTER_API_KEY, …)",
    `  npm start --prefix ${shellWord(root)} -- "explain what this project does"`,
    "Local and other models: put `provider` and `model` into cairn.json; the README says how.",
  ].join("\n")
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Becomes `cairn run` in a directory. By changing into it: a Bun that starts there would take settings and code from it. */
async function run(args: readonly string[], directory: string): Promise<void> {
  process.chdir(directory)
  process.argv = [process.execPath, entry, "run", ...args]
  await import(entry)
}

const args = process.argv.slice(2)
// npm runs scripts in the package's directory and says here where it was called.
if (args.length > 0) await run(args, process.env["INIT_CWD"] || process.cwd())
else process.exit(await tour())

import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { KeyedLock } from "@cairn/kernel/lock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { FileChange } from "@cairn/schema/history"
import { planCommand } from "../../src/permission/command.ts"
import { createGrammars } from "../../src/permission/shell/parser.ts"
import { applyRecord } from "../../src/session/revert-apply.ts"
import { childEnvironment } from "../../src/process/environment.ts"
import { createGit } from "../../src/process/git.ts"
import { createSupervisor } from "../../src/process/supervisor.ts"
import { createWriteOperations } from "../../src/workspace/atomic-write.ts"
import { contentHash } from "../../src/workspace/files.ts"
import { type BlobStore, createBlobStore } from "../../src/workspace/history/blob-store.ts"
import {
  type CommandJournal,
  type CommandNotes,
  createCommandJournal,
} from "../../src/workspace/history/command-journal.ts"
import { diskSources } from "../../src/workspace/history/disk-sources.ts"
import { type CallRef, createJournal, type Journal } from "../../src/workspace/history/journal.ts"
import { createKnownFiles } from "../../src/workspace/history/known-files.ts"
import type { OtherChanges } from "../../src/workspace/history/attribution.ts"
import { alone } from "./alone.ts"
import { type PathPlan, planRevert } from "../../src/workspace/history/plan-revert.ts"
import { locate } from "../../src/workspace/project.ts"

const { signal } = new TaskGroup()
const grammars = createGrammars()
const call = { sessionID: "ses_1", messageID: "msg_1", callID: "call_1" }

export interface OpenCommand {
  shell(line: string): void
  finish(): Promise<CommandNotes>
}

/** A directory in which commands run under the journal's eyes. */
export interface CommandBench extends AsyncDisposable {
  /** Holds the working tree, the store and a home. */
  readonly root: string
  readonly directory: string
  readonly blobs: BlobStore
  readonly journal: Journal
  readonly commands: CommandJournal
  /** What was recorded, in order. */
  readonly changes: FileChange[]
  /** Runs a shell command as a tool does, between two looks. */
  run(command: string, by?: CallRef): Promise<CommandNotes>
  /** Looks as before a command of these words; its parts are run by `shell`, until it is over. */
  begin(command: string, by?: CallRef): Promise<OpenCommand>
  /** What a tool says would be lost by a command, by the commands of its line. */
  losses(command: string): Promise<Record<string, string>>
  /** Runs a shell command that nobody watches; throws when it fails. */
  shell(command: string): string
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Everything below the directory but git's own: content, mode and links. */
  tree(): Promise<Record<string, string>>
  /** Takes everything back that was recorded, and forgets it. */
  revert(): Promise<readonly PathPlan[]>
}

const environment = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" },
  ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", EDITOR: "true" },
}

interface BenchLog {
  /** Gets what is recorded. */
  append(by: CallRef, changes: readonly FileChange[]): void
  readonly others: OtherChanges
  rootOf(sessionID: string): string
}

/** Makes the working tree with `setup`, a shell script that runs in it; `below` is where in it the session works. */
export async function commandBench(setup: string, below = ".", log?: BenchLog): Promise<CommandBench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cairn-command-")))
  const base = join(root, "work")
  await mkdir(base)
  const shellIn = (cwd: string, command: string): string => {
    const ran = Bun.spawnSync(["sh", "-e", "-c", command], { cwd, env: environment })
    if (ran.exitCode !== 0) throw new Error(`${command}: ${ran.stderr.toString()}${ran.stdout.toString()}`)
    return ran.stdout.toString()
  }
  shellIn(base, setup)
  const located = await locate(join(base, below))
  if (!located.ok) throw new Error(located.error.message)
  const location = located.value
  const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(environment) })
  const git = createGit(supervisor)
  const blobs = createBlobStore(join(root, "blob"), systemClock)
  const changes: FileChange[] = []
  const recorded: FileChange[] = []
  let count = 0
  const journal = createJournal({
    blobs,
    changeID: () => `chg_${(count += 1)}`,
    append: (by, more) => {
      changes.push(...more)
      recorded.push(...more)
      log?.append(by, more)
    },
  })
  const known = createKnownFiles(blobs, systemClock)
  const commands = createCommandJournal({
    ...{ git, blobs, journal, known, location, own: [], home: join(root, "home"), ...alone(root) },
    others: log?.others ?? {
      // Of each change, once: the bench forgets what it has taken back.
      mark: () => recorded.length,
      since: (mark) => Map.groupBy(recorded.slice(mark), ({ path }) => path),
    },
    ...(log && { rootOf: log.rootOf }),
  })
  const directory = location.worktree
  const threatsOf = async (command: string) => {
    const context = { cwd: directory, worktree: directory, home: join(root, "home") }
    return planCommand(await grammars.bash(signal), command, context).threats
  }
  const made: CommandBench = {
    ...{ root, directory, blobs, journal, commands, changes },
    async run(command, by = call) {
      const open = await made.begin(command, by)
      open.shell(command)
      return await open.finish()
    },
    async begin(command, by = call) {
      const watch = await commands.begin(by, signal, await threatsOf(command))
      if (!watch.ok) throw new Error(watch.error.message)
      const shell = (line: string) => void Bun.spawnSync(["sh", "-c", line], { cwd: directory, env: environment })
      return { shell, finish: () => watch.value.finish() }
    },
    losses: async (command) => Object.fromEntries(await commands.losses(await threatsOf(command), signal)),
    shell: (command) => shellIn(directory, command),
    async write(path, content) {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), content)
    },
    tree: () => treeOf(directory),
    async revert() {
      const plans = await planRevert(changes.splice(0), diskSources(blobs, signal))
      const files = plans.flatMap((plan) => {
        if (!("target" in plan)) return []
        const made = plan.madeDirectory !== undefined && { madeDirectory: plan.madeDirectory }
        return [{ path: plan.path, before: plan.now.state, after: plan.target.state, ...made }]
      })
      for (const plan of plans)
        if ("target" in plan && typeof plan.target.content !== "string") await blobs.put(plan.target.content)
      const operations = createWriteOperations()
      const deps = { log: silentLog, blobs, locks: new KeyedLock(), operations }
      const done = await applyRecord(deps, { id: "rev_1", kind: "revert", messageID: "msg_1", files })
      if (done.problem !== undefined || done.left.length > 0) throw new Error(`${done.problem} ${done.left.join(" ")}`)
      return plans
    },
    async [Symbol.asyncDispose]() {
      await supervisor[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
  return made
}

async function treeOf(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/\.git(?:\/|$)/.test(path))
  const shown = await Promise.all(
    paths.map(async (path): Promise<[string, string]> => {
      const info = await lstat(path)
      const name = path.slice(directory.length + 1)
      if (info.isSymbolicLink()) return [name, `-> ${await readlink(path)}`]
      if (info.isDirectory()) return [`${name}/`, ""]
      const executable = (info.mode & 0o111) === 0 ? "" : "x "
      const bytes = await readFile(path)
      const content = bytes.length > 10_000 ? `${bytes.length} bytes, ${contentHash(bytes)}` : bytes.toString("latin1")
      return [name, `${executable}${content}`]
    }),
  )
  return Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

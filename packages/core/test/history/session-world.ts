import { createHash } from "node:crypto"
import { lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Ids } from "@cairn/kernel/id"
import { KeyedLock } from "@cairn/kernel/lock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { noSpan } from "@cairn/kernel/span"
import type { CommandNotes } from "../../src/workspace/history/command-journal.ts"
import type { RevertReport } from "@cairn/schema/revert"
import { cleanUp } from "../../src/session/clean-up.ts"
import { createCoordinator } from "../../src/session/coordinator.ts"
import { createReverts, type Reverts } from "../../src/session/reverts.ts"
import { createWriteOperations, prepareWrite } from "../../src/workspace/atomic-write.ts"
import { readSnapshot } from "../../src/workspace/files.ts"
import { walkFiles } from "../../src/workspace/history/walk-files.ts"
import { prepareDelete, readWhole } from "../../src/workspace/whole-file.ts"
import { verify } from "../../src/store/verify.ts"
import { assistantMessage, completed, created, toolPart, userMessage } from "../store/events.ts"
import { tempStore } from "../store/temp-store.ts"
import { type CommandBench, commandBench } from "./command-bench.ts"

/** What stands at a path, as tests compare it: kind, mode and content, or where a link leads. */
export type Tree = ReadonlyMap<string, { readonly mode: number; readonly text: string } | { readonly link: string }>

/** A session that works in a real directory: turns of file tools and commands, reverts, and whoever else is there. */
export interface SessionWorld extends AsyncDisposable {
  readonly bench: CommandBench
  readonly sessionID: string
  /** First messages of the turns that are not taken back for good. */
  readonly turns: readonly string[]
  /** Begins a turn; what was reverted is gone for good then. Gives how many turns are left before it. */
  prompt(): number
  /** The agent writes a file by a tool, or removes it when there is no text. */
  write(path: string, text: string | undefined): Promise<void>
  /** The agent runs a command. */
  command(command: string): Promise<CommandNotes>
  revert(turn: number): Promise<RevertReport>
  unrevert(): Promise<RevertReport>
  tree(): Promise<Tree>
  /** Everything in the repository's own directory by name, mode and content. */
  git(): Promise<string>
  /** What a replay of the log does not give. */
  problems(): readonly string[]
}

export async function sessionWorld(setup: string, below?: string): Promise<SessionWorld> {
  const made = tempStore()
  const { store, clock } = made
  const sessionID = "ses_1"
  const ids = new Ids(clock)
  store.append(sessionID, [created(sessionID)])
  const bench = await commandBench(setup, below, ({ messageID, callID }, changes) => {
    const events = { sessionID, messageID, callID, changes: [...changes] }
    store.append(sessionID, [{ type: "session.file.changed", properties: events }])
  })
  const { directory } = bench
  const base = { clock, ids, log: silentLog, store }
  const coordinator = createCoordinator({
    ...{ ...base, tracer: noSpan },
    facts: () => [],
    sessionChanges: () => [],
    cleanUp: (id) => void cleanUp(store, id),
    turn: () => Promise.reject(new Error("no turn runs here")),
  })
  const operations = createWriteOperations()
  const writing = { locks: new KeyedLock(), operations }
  const reverts: Reverts = createReverts({ ...base, ...writing, coordinator, worktree: directory, blobs: bench.blobs })
  const turns: string[] = []
  let messageID = ""
  let calls = 0
  const called = (tool: string, metadata: Record<string, unknown>) => {
    const part = { ...toolPart(sessionID, messageID, ids.next("part"), completed("", { metadata })), tool }
    const whole = { ...part, callID: `call_${calls}` }
    store.append(sessionID, [
      { type: "message.part.updated", properties: { sessionID, part: whole, time: clock.now() } },
    ])
  }
  const nextCall = () => ({ sessionID, messageID, callID: `call_${(calls += 1)}` })
  const world: SessionWorld = {
    ...{ bench, sessionID, turns },
    prompt() {
      cleanUp(store, sessionID)
      const left = new Set(store.read.messages(sessionID).map(({ info }) => info.id))
      turns.splice(0, turns.length, ...turns.filter((id) => left.has(id)))
      const prompt = ids.next("message")
      messageID = ids.next("message")
      for (const info of [userMessage(sessionID, prompt), assistantMessage(sessionID, messageID, prompt)])
        store.append(sessionID, [{ type: "message.updated", properties: { sessionID, info } }])
      turns.push(prompt)
      return turns.length - 1
    },
    async write(name, text) {
      const path = join(directory, name)
      const by = nextCall()
      const before = await readWhole(path)
      if (before.ok && text === undefined) {
        await using change = prepareDelete(before.value, operations)
        const write = { change, before: before.value, after: undefined, additions: 0, deletions: 1 }
        must(await bench.journal.record(by, [write]))
        must(await change.commit())
      } else if (text !== undefined) {
        const bytes = new TextEncoder().encode(text)
        const snapshot = before.ok ? must(await readSnapshot(path)) : undefined
        await using change = must(await prepareWrite(path, bytes, snapshot, operations))
        must(await bench.journal.record(by, [{ change, before: snapshot, after: bytes, additions: 1, deletions: 0 }]))
        must(await change.commit())
      }
      called("write", {})
    },
    async command(command) {
      const notes = await bench.run(command, nextCall())
      called("bash", { journal: notes })
      return notes
    },
    revert: async (turn) => must(await reverts.revert(sessionID, { to: turns[turn] ?? "" })),
    unrevert: async () => must(await reverts.unrevert(sessionID, { dryRun: false })),
    tree: () => treeOf(directory),
    git: () => gitOf(join(directory, ".git")),
    problems: () => verify(made.database).problems,
    async [Symbol.asyncDispose]() {
      await coordinator[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
      made[Symbol.dispose]()
    },
  }
  return world
}

function must<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly message: string } },
): T {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** A user writes a file, making the directories that it needs. */
export async function userWrites(directory: string, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, name)), { recursive: true })
  await writeFile(join(directory, name), text)
}

export const userRemoves = (directory: string, name: string): Promise<void> =>
  rm(join(directory, name), { force: true })

async function treeOf(directory: string): Promise<Tree> {
  const tree = new Map<string, { mode: number; text: string } | { link: string }>()
  for (const path of (await walkFiles(directory, Number.POSITIVE_INFINITY, new TaskGroup().signal, true)).files) {
    const name = path.slice(directory.length + 1)
    if (/(?:^|\/)\.git(?:\/|$)/.test(name)) continue
    const info = await lstat(path)
    if (info.isSymbolicLink()) tree.set(name, { link: await readlink(path) })
    else tree.set(name, { mode: info.mode & 0o7777, text: (await readFile(path)).toString("latin1") })
  }
  return new Map([...tree].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function gitOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const lines = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const info = await lstat(path)
      const content = info.isFile()
        ? createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        : ""
      return `${path.slice(directory.length)} ${info.mode} ${info.mtimeMs} ${content}`
    }),
  )
  return lines.toSorted().join("\n")
}

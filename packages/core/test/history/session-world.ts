import { createHash } from "node:crypto"
import { lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import { Ids } from "@cairn/kernel/id"
import { KeyedLock } from "@cairn/kernel/lock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { noSpan } from "@cairn/kernel/span"
import { changesSince, rootOf } from "../../src/session/family.ts"
import type { Store } from "../../src/store/store.ts"
import type { CommandNotes } from "../../src/workspace/history/command-journal.ts"
import type { DurableEvent } from "@cairn/schema/event"
import type { RevertReport } from "@cairn/schema/revert"
import { cleanUp } from "../../src/session/clean-up.ts"
import { createCoordinator } from "../../src/session/coordinator.ts"
import { createReverts, type Reverts } from "../../src/session/reverts.ts"
import { createWriteOperations, prepareWrite, type WriteOperations } from "../../src/workspace/atomic-write.ts"
import { readSnapshot } from "../../src/workspace/files.ts"
import { walkFiles } from "../../src/workspace/history/walk-files.ts"
import { prepareDelete, readWhole } from "../../src/workspace/whole-file.ts"
import { verify } from "../../src/store/verify.ts"
import { assistantMessage, completed, created, toolPart, userMessage } from "../store/events.ts"
import { tempStore } from "../store/temp-store.ts"
import { type CommandBench, commandBench, type OpenCommand } from "./command-bench.ts"

/** What stands at a path, as tests compare it: kind, mode and content, or where a link leads. */
export type Tree = ReadonlyMap<string, { readonly mode: number; readonly text: string } | { readonly link: string }>

/** A session at work in a real directory: turns of file tools and commands, and reverts. */
export interface SessionActor {
  readonly sessionID: string
  /** First messages of the turns that are not taken back for good. */
  readonly turns: readonly string[]
  /** Begins a turn; what was reverted is gone for good then. Gives how many turns are left before it. */
  prompt(): number
  /** The agent writes a file by a tool, or removes it when there is no text. */
  write(path: string, text: string | undefined): Promise<void>
  /** The agent runs a command. */
  command(command: string): Promise<CommandNotes>
  /** The agent begins a command whose parts run when the test says so. */
  begin(command: string): Promise<OpenCommand>
  revert(turn: number): Promise<RevertReport>
  unrevert(): Promise<RevertReport>
}

/** The first session, and the directory in which it and whoever else is there work. */
export interface SessionWorld extends SessionActor, AsyncDisposable {
  readonly bench: CommandBench
  /** Appends to the log of the first session. */
  append(event: DurableEvent): void
  /** Another session; with `parentID` one that belongs to the undo of the first. */
  another(id: string, parentID?: string): SessionActor
  tree(): Promise<Tree>
  /** Everything in the repository's own directory by name, mode and content. */
  git(): Promise<string>
  /** What a replay of the log does not give. */
  problems(): readonly string[]
}

export async function sessionWorld(setup: string, below?: string): Promise<SessionWorld> {
  const made = tempStore()
  const { store, clock } = made
  const bench = await commandBench(setup, below, {
    append: ({ sessionID, messageID, callID }, changes) =>
      void store.append(sessionID, [
        { type: "session.file.changed", properties: { sessionID, messageID, callID, changes: [...changes] } },
      ]),
    others: { mark: () => store.read.lastSeq(), since: (mark) => changesSince(store, mark) },
    rootOf: (sessionID) => rootOf(store, sessionID),
  })
  const { directory, blobs } = bench
  const base = { clock, ids: new Ids(clock), log: silentLog, store }
  const coordinator = createCoordinator({
    ...{ ...base, tracer: noSpan },
    facts: () => [],
    sessionChanges: () => [],
    cleanUp: (id) => void cleanUp(store, id),
    turn: () => Promise.reject(new Error("no turn runs here")),
  })
  const writing = { locks: new KeyedLock(), operations: createWriteOperations() }
  const reverts = createReverts({ ...base, ...writing, coordinator, worktree: directory, blobs })
  const actor = (sessionID: string, parentID?: string) => {
    store.append(sessionID, [created(sessionID, parentID === undefined ? {} : { parentID })])
    return actorOf({ ...base, bench, reverts, operations: writing.operations }, sessionID)
  }
  return {
    ...{ ...actor("ses_1"), bench, another: actor },
    append: (event) => void store.append("ses_1", [event]),
    tree: () => treeOf(directory),
    git: () => gitOf(join(directory, ".git")),
    problems: () => verify(made.database).problems,
    async [Symbol.asyncDispose]() {
      await coordinator[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
      made[Symbol.dispose]()
    },
  }
}

interface ActorDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly bench: CommandBench
  readonly reverts: Reverts
  readonly operations: WriteOperations
}

function actorOf({ store, clock, ids, bench, reverts, operations }: ActorDeps, sessionID: string): SessionActor {
  const turns: string[] = []
  let messageID = ""
  let calls = 0
  const nextCall = () => ({ sessionID, messageID, callID: `call_${(calls += 1)}` })
  const called = (by: { messageID: string; callID: string }, tool: string, metadata: Record<string, unknown>) => {
    const state = completed("", { metadata })
    const part = { ...toolPart(sessionID, by.messageID, ids.next("part"), state), tool, callID: by.callID }
    store.append(sessionID, [{ type: "message.part.updated", properties: { sessionID, part, time: clock.now() } }])
  }
  const actor: SessionActor = {
    ...{ sessionID, turns },
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
      const path = join(bench.directory, name)
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
      called(by, "write", {})
    },
    async command(command) {
      const open = await actor.begin(command)
      open.shell(command)
      return await open.finish()
    },
    async begin(command) {
      const by = nextCall()
      const { shell, finish } = await bench.begin(command, by)
      return {
        shell,
        async finish() {
          const notes = await finish()
          called(by, "bash", { journal: notes })
          return notes
        },
      }
    },
    revert: async (turn) => must(await reverts.revert(sessionID, { to: turns[turn] ?? "" })),
    unrevert: async () => must(await reverts.unrevert(sessionID, { dryRun: false })),
  }
  return actor
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

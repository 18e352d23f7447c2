import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import type { JournalEntry } from "@cairn/schema/history"
import type { Part } from "@cairn/schema/part"
import { text, toolCall } from "@cairn/testkit/scenario"
import { createBlobStore } from "../../src/workspace/history/blob-store.ts"
import { mountable, onSmallDisk } from "../history/temp-blobs.ts"
import { type Bench, bench, problemsOf } from "./harness.ts"

/** The journal of a session as it stands in the file. */
function journalOf(made: Bench, sessionID: string): JournalEntry[] {
  using database = new Database(made.engine.paths.database, { readonly: true })
  const query = "SELECT data FROM file_change WHERE session_id = ? ORDER BY seq, id"
  return database
    .query<{ data: string }, [string]>(query)
    .all(sessionID)
    .map(({ data }) => JSON.parse(data) as JournalEntry)
}

/** What the stored content of a state says. */
async function said(made: Bench, state: JournalEntry["before"]): Promise<string> {
  if (state.kind !== "file") return state.kind
  const content = await createBlobStore(made.engine.paths.blobs, { now: () => 0 }).get(state)
  return content.ok ? `${state.mode.toString(8)} ${new TextDecoder().decode(content.value)}` : content.error.kind
}

/** Everything that names a state of the files, by the kind of part, in order. */
function snapshotsOf(made: Bench, sessionID: string): (string | undefined)[][] {
  const parts = made.engine.messages(sessionID).flatMap((message) => message.parts)
  const named = (part: Part) => {
    if (part.type === "patch") return [part.type, part.hash, ...part.files]
    return part.type === "step-start" || part.type === "step-finish" ? [part.type, part.snapshot] : undefined
  }
  return parts.map(named).filter((each) => each !== undefined)
}

const patchText = [
  "*** Begin Patch",
  "*** Update File: a.txt",
  "-ONE",
  "+1",
  "+2",
  "*** Add File: deep/new.txt",
  "+new",
  "*** Delete File: gone.txt",
  "*** End Patch",
].join("\n")

test("each change is kept as it was before and after, and sums up in the message and the session", async () => {
  await using made = await bench(
    [
      [toolCall("read", { filePath: "a.txt" })],
      [toolCall("edit", { filePath: "a.txt", oldString: "one", newString: "ONE" }, { id: "call_a" })],
      [toolCall("write", { filePath: "b.txt", content: "b\nb\n" }, { id: "call_b" })],
      [toolCall("apply_patch", { patchText }, { id: "call_c" })],
      [text("Done.")],
      [toolCall("write", { filePath: "b.txt", content: "b\n" }, { id: "call_d" })],
      [text("Done again.")],
    ],
    { files: { "a.txt": "one\n", "gone.txt": "x\ny\n" } },
  )
  const { sessionID } = await made.prompt("first")
  await made.prompt("second", { sessionID })
  const journal = journalOf(made, sessionID)
  const dir = made.workspace.dir
  const shown = await Promise.all(
    journal.map(async (entry) => [
      entry.callID,
      entry.path.slice(dir.length + 1),
      await said(made, entry.before),
      await said(made, entry.after),
      `+${entry.additions} -${entry.deletions}`,
    ]),
  )
  expect(shown).toEqual([
    ["call_a", "a.txt", "644 one\n", "644 ONE\n", "+1 -1"],
    ["call_b", "b.txt", "absent", "644 b\nb\n", "+2 -0"],
    ["call_c", "a.txt", "644 ONE\n", "644 1\n2\n", "+2 -1"],
    ["call_c", "deep/new.txt", "absent", "644 new\n", "+1 -0"],
    ["call_c", "gone.txt", "644 x\ny\n", "absent", "+0 -2"],
    ["call_d", "b.txt", "644 b\nb\n", "644 b\n", "+0 -1"],
  ])
  expect(journal.map((entry) => entry.madeDirectory)).toEqual([
    ...[undefined, undefined, undefined],
    join(dir, "deep"),
    ...[undefined, undefined],
  ])

  const [first, second] = made.engine.messages(sessionID).filter(({ info }) => info.role === "user")
  expect(first!.info.role === "user" && first!.info.summary?.diffs).toEqual([
    { file: "a.txt", additions: 3, deletions: 2, status: "modified" },
    { file: "b.txt", additions: 2, deletions: 0, status: "added" },
    { file: "deep/new.txt", additions: 1, deletions: 0, status: "added" },
    { file: "gone.txt", additions: 0, deletions: 2, status: "deleted" },
  ])
  expect(second!.info.role === "user" && second!.info.summary?.diffs).toEqual([
    { file: "b.txt", additions: 0, deletions: 1, status: "modified" },
  ])
  expect(made.engine.session(sessionID)?.summary).toEqual({ additions: 6, deletions: 5, files: 4 })

  const [start, one, two, three, four] = [
    `snp${sessionID.slice(3)}`,
    ...[...new Set(journal.map((entry) => `snp${entry.messageID.slice(3)}`))],
  ]
  const step = (from: string | undefined, to: string | undefined, ...files: string[]) => [
    ["step-start", from],
    ["step-finish", to],
    ...(files.length > 0 ? [["patch", to, ...files.map((name) => join(dir, name))]] : []),
  ]
  expect(snapshotsOf(made, sessionID)).toEqual([
    ...step(start, start),
    ...step(start, one, "a.txt"),
    ...step(one, two, "b.txt"),
    ...step(two, three, "a.txt", "deep/new.txt", "gone.txt"),
    ...step(three, three),
    ...step(three, four, "b.txt"),
    ...step(four, four),
  ])
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("steps that write nothing leave no journal, no summary and no store", async () => {
  await using made = await bench(
    [
      [toolCall("read", { filePath: "a.txt" }), toolCall("write", { filePath: "a.txt", content: "one\n" })],
      [text("Nothing to do.")],
    ],
    { files: { "a.txt": "one\n" } },
  )
  const { sessionID } = await made.prompt("look")
  expect(journalOf(made, sessionID)).toEqual([])
  expect(made.engine.session(sessionID)?.summary).toBeUndefined()
  expect(await readdir(made.engine.paths.blobs).catch(() => "none")).toBe("none")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("a step that broke off has its changes in the journal and in the sums", async () => {
  await using made = await bench([
    [toolCall("write", { filePath: "a.txt", content: "a\n" }), toolCall("bash", { command: "sleep 60" })],
  ])
  const session = await made.engine.createSession({})
  made.engine.subscribe((event) => {
    if (event.type !== "session.file.changed") return
    void made.engine.abort(session.id)
  })
  expect(await made.prompt("begin", { sessionID: session.id })).toMatchObject({ reason: "aborted" })
  // What was recorded becomes visible, whatever happens meanwhile.
  expect(await made.workspace.read("a.txt")).toBe("a\n")
  expect(journalOf(made, session.id).map(({ path }) => path)).toEqual([`${made.workspace.dir}/a.txt`])
  expect(made.engine.session(session.id)?.summary).toEqual({ additions: 1, deletions: 0, files: 1 })
  const changed = snapshotsOf(made, session.id).at(-1)
  expect(changed).toEqual(["patch", expect.stringMatching(/^snp_/), `${made.workspace.dir}/a.txt`])
  expect(problemsOf(made, session.id)).toEqual([])
})

test.skipIf(!mountable)("a content that cannot be kept leaves the file untouched, and the model is told", async () => {
  await onSmallDisk("64k", async (disk) => {
    await using made = await bench(
      [[toolCall("write", { filePath: "a.txt", content: "small" })], [text("It failed.")]],
      { files: {} },
    )
    const { blobs } = made.engine.paths
    Bun.spawnSync(["ln", "-s", disk, blobs])
    await writeFile(join(disk, "filler"), new Uint8Array(60_000)).catch(() => "full")
    await writeFile(join(disk, "more"), new Uint8Array(60_000)).catch(() => "full")
    const { sessionID } = await made.prompt("write")
    const call = made.engine
      .messages(sessionID)
      .flatMap(({ parts }) => parts)
      .find((part) => part.type === "tool")
    expect(call?.type === "tool" && call.state).toMatchObject({ status: "error", kind: "io" })
    expect(JSON.stringify(call)).toContain("could not be undone")
    expect(await readdir(made.workspace.dir)).not.toContain("a.txt")
    expect(journalOf(made, sessionID)).toEqual([])
    expect(problemsOf(made, sessionID)).toEqual([])
    await rm(blobs)
  })
})

test("the contents of a deleted session are no longer named", async () => {
  let ahead = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead }
  const scenario = [[toolCall("write", { filePath: "a.txt", content: "secret\n" })], [text("Done.")]]
  await using made = await bench(scenario, { clock })
  const { sessionID } = await made.prompt("write")
  ahead = 2 * 60 * 60 * 1_000
  expect(await made.engine.collect({ dryRun: false })).toMatchObject({
    before: { blobs: 1 },
    unreferenced: { blobs: 0 },
  })
  await made.engine.deleteSession(sessionID)
  expect(await made.engine.collect({ dryRun: true })).toMatchObject({ unreferenced: { blobs: 1 } })
  expect(await made.engine.collect({ dryRun: false })).toMatchObject({ unreferenced: { blobs: 1 } })
  expect(await made.engine.collect({ dryRun: false })).toMatchObject({ before: { blobs: 0 } })
})

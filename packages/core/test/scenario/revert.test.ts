import { describe, expect, test } from "bun:test"
import { chmod, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { RevertInput, RevertReport } from "@cairn/schema/revert"
import { userTexts } from "@cairn/testkit/request"
import { type Scenario, hang, text, toolCall } from "@cairn/testkit/scenario"
import { type Bench, type BenchOptions, bench, problemsOf } from "./harness.ts"

const edit = (filePath: string, oldString: string, newString: string) =>
  toolCall("edit", { filePath, oldString, newString })
const write = (filePath: string, content: string) => toolCall("write", { filePath, content })
const ten = Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join("")

/** A session in which each of these groups of calls was a turn of its own. */
async function worked(
  turns: readonly (readonly ReturnType<typeof toolCall>[])[],
  options: BenchOptions = {},
  more: Extract<Scenario, readonly unknown[]> = [],
): Promise<{ made: Bench; sessionID: string; prompts: string[] }> {
  const made = await bench([...turns.flatMap((calls) => [[...calls], [text("Done.")]]), ...more], options)
  const { id: sessionID } = await made.engine.createSession({})
  for (const n of turns.keys()) await made.prompt(`turn ${n}`, { sessionID })
  const prompts = made.engine.messages(sessionID).flatMap(({ info }) => (info.role === "user" ? [info.id] : []))
  return { made, sessionID, prompts }
}

async function reverted(made: Bench, sessionID: string, input: RevertInput): Promise<RevertReport> {
  const done = await made.engine.revert(sessionID, input)
  if (!done.ok) throw new Error(done.error.message)
  return done.value
}

async function unreverted(made: Bench, sessionID: string): Promise<RevertReport> {
  const done = await made.engine.unrevert(sessionID)
  if (!done.ok) throw new Error(done.error.message)
  return done.value
}

const actions = ({ files }: RevertReport) =>
  files.map(({ action, file, reason }) => `${action} ${file}${reason === undefined ? "" : `: ${reason}`}`)

/** Every file below the workspace with its content and mode. */
async function tree(made: Bench): Promise<Record<string, string>> {
  const found = await readdir(made.workspace.dir, { recursive: true, withFileTypes: true })
  const files = found
    .map((entry) => join(entry.parentPath, entry.name).slice(made.workspace.dir.length + 1))
    .filter((path) => path !== ".git" && !path.startsWith(".git/"))
    .toSorted((a, b) => (a < b ? -1 : 1))
  return Object.fromEntries(
    await Promise.all(
      files.map(async (path) => {
        const info = await stat(join(made.workspace.dir, path))
        const content = info.isFile() ? await made.workspace.read(path) : "directory"
        return [`${path} ${(info.mode & 0o777).toString(8)}`, content] as const
      }),
    ),
  )
}

describe("a turn is taken back", () => {
  test("with all its files, and an unrevert brings all back", async () => {
    const patchText = "*** Begin Patch\n*** Update File: a.txt\n-two\n+three\n*** Delete File: gone.txt\n*** End Patch"
    const { made, sessionID, prompts } = await worked(
      [
        [
          toolCall("read", { filePath: "a.txt" }),
          edit("a.txt", "one", "two"),
          write("deep/er/new.txt", "new\n"),
          write("beside.txt", "x\n"),
          toolCall("apply_patch", { patchText }),
        ],
      ],
      { files: { "a.txt": "one\n", "gone.txt": "x\n" } },
    )
    await using _ = made
    await chmod(join(made.workspace.dir, "a.txt"), 0o755)
    const after = await tree(made)
    const preview = await reverted(made, sessionID, { to: prompts[0]!, dryRun: true })
    expect(await tree(made)).toEqual(after)
    expect(made.engine.session(sessionID)?.revert).toBeUndefined()
    const report = await reverted(made, sessionID, { to: prompts[0]! })
    expect({ ...report, dryRun: true, session: preview.session }).toEqual(preview)
    expect(actions(report)).toEqual([
      ...["restore a.txt", "delete beside.txt", "delete deep/er/new.txt", "restore gone.txt"],
    ])
    expect(report).toMatchObject({ messages: 3, notes: [] })
    expect(await tree(made)).toEqual({ "a.txt 755": "one\n", "gone.txt 644": "x\n" })
    expect(made.engine.session(sessionID)?.revert).toMatchObject({ messageID: prompts[0]! })
    expect(made.engine.messages(sessionID)).toHaveLength(3)
    const back = await unreverted(made, sessionID)
    expect(back).toMatchObject({ messages: 3, dryRun: false })
    expect(await tree(made)).toEqual(after)
    expect(made.engine.session(sessionID)?.revert).toBeUndefined()
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("and what the user changed stays: merged where it can be, named where it cannot", async () => {
    const { made, sessionID, prompts } = await worked(
      [[toolCall("read", { filePath: "a.txt" }), edit("a.txt", "line 2\n", "agent\n"), write("b.txt", "agent\n")]],
      { files: { "a.txt": ten } },
    )
    await using _ = made
    const dir = made.workspace.dir
    await writeFile(join(dir, "a.txt"), (await made.workspace.read("a.txt")).replace("line 8\n", "user\n"))
    await writeFile(join(dir, "b.txt"), "agent\nuser\n")
    await writeFile(join(dir, "c.txt"), "user's own\n")
    const after = await tree(made)
    const report = await reverted(made, sessionID, { to: prompts[0]! })
    expect(actions(report)).toEqual(["merge a.txt", "conflict b.txt: it was changed since"])
    expect(report.files[0]).toMatchObject({ additions: 1, deletions: 1 })
    expect(report.files[0]!.patch).toContain("-agent\n+line 2\n")
    expect(await made.workspace.read("a.txt")).toBe(ten.replace("line 8\n", "user\n"))
    expect(await made.workspace.read("b.txt")).toBe("agent\nuser\n")
    await writeFile(join(dir, "a.txt"), (await made.workspace.read("a.txt")).replace("line 5\n", "more\n"))
    expect(actions(await unreverted(made, sessionID))).toEqual(["merge a.txt"])
    expect(await tree(made)).toEqual({ ...after, "a.txt 644": after["a.txt 644"]!.replace("line 5\n", "more\n") })
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("turn by turn, back and forth", async () => {
    const { made, sessionID, prompts } = await worked([
      [write("a.txt", "1\n")],
      [write("a.txt", "2\n"), write("b.txt", "2\n")],
      [write("b.txt", "3\n")],
    ])
    await using _ = made
    const states = async () => [await tree(made), made.engine.session(sessionID)?.revert?.messageID]
    const newest = await states()
    await reverted(made, sessionID, { to: prompts[2]! })
    const third = await states()
    expect(third[0]).toEqual({ "a.txt 644": "2\n", "b.txt 644": "2\n" })
    await reverted(made, sessionID, { to: prompts[1]! })
    const second = await states()
    expect(second[0]).toEqual({ "a.txt 644": "1\n" })
    await reverted(made, sessionID, { to: prompts[0]! })
    expect((await states())[0]).toEqual({})
    await reverted(made, sessionID, { to: prompts[1]! })
    expect(await states()).toEqual(second)
    await reverted(made, sessionID, { to: prompts[2]! })
    expect(await states()).toEqual(third)
    await reverted(made, sessionID, { to: prompts[0]! })
    await unreverted(made, sessionID)
    expect(await states()).toEqual(newest)
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("also from a part on", async () => {
    const { made, sessionID } = await worked([[write("a.txt", "a\n"), write("b.txt", "b\n")]])
    await using _ = made
    const [step] = made.engine.messages(sessionID).filter(({ info }) => info.role === "assistant")
    const calls = step!.parts.filter((part) => part.type === "tool")
    const second = calls.find((part) => JSON.stringify(part).includes("b.txt"))!
    const kept = calls.indexOf(second) === 0 ? [] : ["a.txt 644"]
    await reverted(made, sessionID, { to: second.id })
    expect(Object.keys(await tree(made))).toEqual(kept)
    expect(made.engine.session(sessionID)?.revert).toMatchObject({ messageID: step!.info.id, partID: second.id })
    await unreverted(made, sessionID)
    expect(Object.keys(await tree(made))).toEqual(["a.txt 644", "b.txt 644"])
  })

  test("of some paths only, and of some hunks", async () => {
    const { made, sessionID, prompts } = await worked([
      [write("src/a.txt", "a\n"), write("src/b.txt", "b\n"), write("c.txt", "c\n")],
    ])
    await using _ = made
    expect(actions(await reverted(made, sessionID, { to: prompts[0]!, paths: ["src"], dryRun: true }))).toHaveLength(2)
    const one = await reverted(made, sessionID, { to: prompts[0]!, paths: ["src/a.txt"] })
    expect(actions(one)).toEqual(["delete src/a.txt"])
    expect(Object.keys(await tree(made))).toEqual(["c.txt 644", "src 755", "src/b.txt 644"])
  })

  test("a hunk that is not chosen stays", async () => {
    const { made, sessionID, prompts } = await worked(
      [
        [toolCall("read", { filePath: "a.txt" }), edit("a.txt", "line 0\n", "first\n")],
        [edit("a.txt", "line 9\n", "last\n")],
      ],
      { files: { "a.txt": ten } },
    )
    await using _ = made
    const preview = await reverted(made, sessionID, { to: prompts[0]!, dryRun: true })
    expect(preview.files[0]!.patch.match(/^@@/gm)).toHaveLength(2)
    const report = await reverted(made, sessionID, { to: prompts[0]!, hunks: { "a.txt": [1] } })
    expect(actions(report)).toEqual(["merge a.txt"])
    expect(await made.workspace.read("a.txt")).toBe(ten.replace("line 0\n", "first\n"))
  })
})

describe("the next prompt makes it final", () => {
  test("what was hidden is gone, for the model too, and cannot be brought back", async () => {
    const { made, sessionID, prompts } = await worked(
      [[write("a.txt", "1\n")], [write("a.txt", "2\n"), write("b.txt", "2\n")]],
      {},
      [[text("Something else.")]],
    )
    await using _ = made
    await reverted(made, sessionID, { to: prompts[1]! })
    expect(await made.prompt("another way", { sessionID })).toMatchObject({ text: "Something else." })
    const said = userTexts(made.server.requests.at(-1)!).join("\n")
    expect(said).toContain("turn 0")
    expect(said).toContain("another way")
    expect(said).not.toContain("turn 1")
    const roles = made.engine.messages(sessionID).map(({ info }) => info.role)
    expect(roles.join(" ")).toBe("user assistant assistant user assistant")
    const session = made.engine.session(sessionID)!
    expect(session.revert).toBeUndefined()
    expect(session.summary).toEqual({ additions: 1, deletions: 0, files: 1 })
    expect(await made.engine.unrevert(sessionID)).toMatchObject({ ok: false, error: { kind: "session" } })
    expect(actions(await reverted(made, sessionID, { to: prompts[0]!, dryRun: true }))).toEqual(["delete a.txt"])
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("of a message that is cut in the middle the beginning stays, with its sums", async () => {
    const { made, sessionID, prompts } = await worked([[write("a.txt", "a\n")]], {}, [
      [text("I write."), write("b.txt", "b\nb\n")],
      [text("Done.")],
      [text("Again.")],
    ])
    await using _ = made
    await made.prompt("more", { sessionID })
    const call = made.engine
      .messages(sessionID)
      .flatMap(({ parts }) => parts)
      .findLast((part) => part.type === "tool")!
    await reverted(made, sessionID, { to: call.id })
    await made.prompt("go on", { sessionID })
    const messages = made.engine.messages(sessionID)
    const cut = messages.find(({ info }) => info.id === call.messageID)!
    expect(cut.parts.map(({ type }) => type)).toEqual(["step-start", "text"])
    const user = messages.filter(({ info }) => info.role === "user")[1]!.info
    expect(user.role === "user" && user.summary).toBeUndefined()
    expect(made.engine.session(sessionID)!.summary).toEqual({ additions: 1, deletions: 0, files: 1 })
    expect(actions(await reverted(made, sessionID, { to: prompts[0]! }))).toEqual(["delete a.txt"])
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("the model has to read again what went back", async () => {
    const { made, sessionID, prompts } = await worked(
      [[toolCall("read", { filePath: "a.txt" })], [edit("a.txt", "one", "two")]],
      { files: { "a.txt": "one\n" } },
      [[write("a.txt", "three\n")], [text("Done.")]],
    )
    await using _ = made
    await reverted(made, sessionID, { to: prompts[0]! })
    await made.prompt("write", { sessionID })
    expect(await made.workspace.read("a.txt")).toBe("one\n")
    expect(JSON.stringify(made.engine.messages(sessionID))).toContain("you have not read it in this session")
  })
})

describe("it is refused", () => {
  test("while the session runs, here or elsewhere", async () => {
    const { made, sessionID, prompts } = await worked([[write("a.txt", "a\n")]], {}, [[hang()]])
    await using _ = made
    const before = made.server.requests.length
    const running = made.prompt("hang", { sessionID })
    await made.server.received(before)
    for (const refused of [
      await made.engine.revert(sessionID, { to: prompts[0]! }),
      await made.engine.revert(sessionID, { to: prompts[0]!, dryRun: true }),
    ])
      expect(refused).toMatchObject({ ok: false, error: { kind: "busy" } })
    await made.engine.abort(sessionID)
    await running
    expect(Object.keys(await tree(made))).toEqual(["a.txt 644"])
    expect(actions(await reverted(made, sessionID, { to: prompts[0]! }))).toEqual(["delete a.txt"])
  })

  test("for what the session does not have", async () => {
    const { made, sessionID } = await worked([[write("a.txt", "a\n")]])
    await using _ = made
    for (const done of [
      await made.engine.revert(sessionID, { to: "msg_unknown" }),
      await made.engine.revert("ses_unknown", { to: "msg_unknown" }),
      await made.engine.unrevert(sessionID),
    ])
      expect(done).toMatchObject({ ok: false, error: { kind: "session" } })
  })

  test("when what is there cannot be kept: then nothing is changed", async () => {
    const calls = [toolCall("read", { filePath: "a.txt" }), edit("a.txt", "line 1\n", "one\n"), write("b.txt", "b\n")]
    const { made, sessionID, prompts } = await worked([calls], { files: { "a.txt": ten } })
    await using _ = made
    // What the user changed since is not in the store yet.
    await writeFile(join(made.workspace.dir, "a.txt"), ten.replace("line 1\n", "one\n").replace("line 7\n", "seven\n"))
    const before = await tree(made)
    const incoming = join(made.engine.paths.blobs, "incoming")
    await rm(incoming, { recursive: true })
    await writeFile(incoming, "a file where the store writes")
    const done = await made.engine.revert(sessionID, { to: prompts[0]! })
    expect(done).toMatchObject({ ok: false, error: { kind: "data_directory" } })
    expect(done.ok || done.error.message).toStartWith("Nothing was changed. ")
    expect(await tree(made)).toEqual(before)
    expect(made.engine.session(sessionID)?.revert).toBeUndefined()
    await rm(incoming)
    expect(actions(await reverted(made, sessionID, { to: prompts[0]! }))).toHaveLength(2)
  })
})

test("another session's work in the same file is kept", async () => {
  const { made, sessionID, prompts } = await worked(
    [[toolCall("read", { filePath: "a.txt" }), edit("a.txt", "line 1\n", "first session\n")]],
    { files: { "a.txt": ten } },
    [[toolCall("read", { filePath: "a.txt" }), edit("a.txt", "line 7\n", "second session\n")], [text("Done.")]],
  )
  await using _ = made
  await made.prompt("from elsewhere")
  expect(actions(await reverted(made, sessionID, { to: prompts[0]! }))).toEqual(["merge a.txt"])
  expect(await made.workspace.read("a.txt")).toBe(ten.replace("line 7\n", "second session\n"))
})

describe("what a command changed", () => {
  const bash = (command: string) => toolCall("bash", { command })

  test("directories that come back with their files go with them, also where a file takes their place", async () => {
    const swap = "rm -r d x; echo d > d; rm a.txt; mkdir a.txt; echo q > a.txt/q"
    const { made, sessionID, prompts } = await worked([[bash(swap)]], {
      files: { "a.txt": "a\n", "d/e/f.txt": "f\n", "x/y/z.txt": "z\n" },
    })
    await using _ = made
    const after = await tree(made)
    await reverted(made, sessionID, { to: prompts[0]! })
    const files = ["a.txt 644", "d 755", "d/e 755", "d/e/f.txt 644", "x 755", "x/y 755", "x/y/z.txt 644"]
    expect(Object.keys(await tree(made))).toEqual(files)
    await unreverted(made, sessionID)
    expect(await tree(made)).toEqual(after)
    await reverted(made, sessionID, { to: prompts[0]! })
    expect(Object.keys(await tree(made))).toEqual(files)
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("goes back with the rest, dirty and ignored files too", async () => {
    const { made, sessionID, prompts } = await worked(
      [[bash("sed -i s/one/two/ a.txt; echo new > b.txt; rm -r gone; echo x > ignored.log")], [bash("git stash -q")]],
      { files: { "a.txt": "one\n", "gone/c.txt": "c\n", ".gitignore": "*.log\n" } },
    )
    await using _ = made
    const before = await tree(made)
    expect(actions(await reverted(made, sessionID, { to: prompts[1]! }))).toEqual([
      "restore a.txt",
      "delete gone/c.txt",
    ])
    expect(await made.workspace.read("a.txt")).toBe("two\n")
    const report = await reverted(made, sessionID, { to: prompts[0]! })
    const all = ["restore a.txt", "delete b.txt", "restore gone/c.txt", "delete ignored.log"]
    expect([actions(report), report.notes]).toEqual([all, []])
    expect(Object.keys(await tree(made))).toEqual([".gitignore 644", "a.txt 644", "gone 755", "gone/c.txt 644"])
    await unreverted(made, sessionID)
    expect(await tree(made)).toEqual(before)
    expect(problemsOf(made, sessionID)).toEqual([])
  })

  test("is said where it is not covered, HEAD that moved first; commands that only look need no word", async () => {
    const commit = "git commit -q --allow-empty -m a; mkdir dist; echo x > dist/x; echo dist/ > .gitignore"
    await using made = await bench([
      [bash("ls -la; git status | grep main"), write("a.txt", "a\n")],
      [text("Done.")],
      [bash(commit)],
      [text("Done.")],
    ])
    for (const setting of ["user.name", "user.email"]) await made.workspace.git(["config", setting, "t"])
    const { sessionID } = await made.prompt("look")
    await made.prompt("commit", { sessionID })
    const [prompt] = made.engine.messages(sessionID)
    const { notes } = await reverted(made, sessionID, { to: prompt!.info.id, dryRun: true })
    expect(notes).toEqual([
      expect.stringMatching(
        /^HEAD of the repository was moved \(it was [0-9a-f]{12}\)\. Only contents of files go back: commits, branches and what is staged stay\.$/,
      ),
      "Not covered of what commands changed: directories of builds and dependencies (dist).",
    ])
    expect(JSON.stringify(made.engine.messages(sessionID))).toContain('"quiet":true')
  })

  test("is recorded when it is interrupted, and a call that was refused changed nothing", async () => {
    await using made = await bench([[bash("rm -rf ../elsewhere"), bash("echo x > a.txt; echo ready; sleep 60")]])
    const { id: sessionID } = await made.engine.createSession({})
    made.engine.subscribe((event) => {
      if (event.type !== "message.part.updated" || event.properties.part.type !== "tool") return
      const { state } = event.properties.part
      if (state.status === "running" && state.metadata?.["output"] === "ready\n") void made.engine.abort(sessionID)
    })
    expect(await made.prompt("go", { sessionID })).toMatchObject({ reason: "aborted" })
    const [prompt] = made.engine.messages(sessionID)
    const report = await reverted(made, sessionID, { to: prompt!.info.id })
    expect([actions(report), report.notes]).toEqual([["delete a.txt"], []])
    expect(problemsOf(made, sessionID)).toEqual([])
  })
})

describe("the diff", () => {
  test("of the session, of a prompt, of a step, and between any two snapshots", async () => {
    const { made, sessionID, prompts } = await worked([
      [write("a.txt", "1\n")],
      [write("a.txt", "1\n2\n"), write("b.txt", "b\n")],
      [
        toolCall("apply_patch", {
          patchText: "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n b\n+c\n*** End Patch",
        }),
      ],
    ])
    await using _ = made
    const diff = async (input?: Parameters<Bench["engine"]["diff"]>[1]) => {
      const found = await made.engine.diff(sessionID, input)
      return found.ok
        ? found.value.map((each) => `${each.status} ${each.file} +${each.additions} -${each.deletions}`)
        : found.error.kind
    }
    expect(await diff()).toEqual(["added a.txt +2 -0", "added c.txt +2 -0"])
    expect(await diff({ messageID: prompts[1]! })).toEqual(["modified a.txt +1 -0", "added b.txt +1 -0"])
    expect(await diff({ messageID: prompts[2]! })).toEqual(["modified c.txt +1 -0"])
    const steps = made.engine
      .messages(sessionID)
      .flatMap(({ parts }) => parts.filter(({ type }) => type === "step-finish"))
    const snapshots = steps.map((part) => (part.type === "step-finish" && part.snapshot) || "")
    const start = made.engine
      .messages(sessionID)
      .flatMap(({ parts }) => parts)
      .find(({ type }) => type === "step-start")
    const first = (start?.type === "step-start" && start.snapshot) || ""
    expect(await diff({ from: first, to: snapshots[0]! })).toEqual(["added a.txt +1 -0"])
    expect(await diff({ from: snapshots[0]!, to: snapshots.at(-1)! })).toEqual([
      "modified a.txt +1 -0",
      "added c.txt +2 -0",
    ])
    expect(await diff({ from: first, to: first })).toEqual([])
    expect(await diff({ from: first, to: "snp_none" })).toBe("session")
    expect(await diff({ messageID: "msg_none" })).toBe("session")
    await reverted(made, sessionID, { to: prompts[1]! })
    expect(await diff()).toEqual(["added a.txt +1 -0"])
    expect(await made.engine.diff("ses_none")).toMatchObject({ ok: false })
  })
})

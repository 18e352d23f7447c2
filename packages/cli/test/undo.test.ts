import { describe, expect, test } from "bun:test"
import type { Scenario } from "@cairn/testkit/scenario"
import { text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { type Finished, cairn } from "./run-cairn.ts"

const write = (filePath: string, content: string) => toolCall("write", { filePath, content })
const ten = Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join("")

const scenario: Scenario = [
  [
    toolCall("read", { filePath: "a.txt" }),
    toolCall("edit", { filePath: "a.txt", oldString: "line 1\n", newString: "ONE\n" }),
  ],
  [text("First done.")],
  [write("b.txt", "b\n")],
  [text("Second done.")],
]

/** Two turns, of which the first edits a.txt and the second makes b.txt. */
async function worked(work: (space: TempWorkspace, run: (...argv: string[]) => Promise<Finished>) => Promise<void>) {
  await using space = await tempWorkspace({ files: { "a.txt": ten } })
  await using server = await startModelServer(scenario)
  for (const argv of [["first"], ["second", "--continue"]])
    expect((await cairn(space, ["run", ...argv], { server })).code).toBe(0)
  await work(space, (...argv) => cairn(space, argv))
}

const exists = (space: TempWorkspace) => space.exists("b.txt")

describe("undo and redo", () => {
  test("take back a turn at a time and bring it back, without a question where nobody can answer", async () => {
    await worked(async (space, run) => {
      const preview = await run("undo", "--dry-run")
      expect(preview).toMatchObject({ code: 0, err: "" })
      expect(preview.out).toBe(
        "delete       b.txt  +0 -1\n3 messages hidden; the next prompt removes them, cairn redo brings back\n",
      )
      expect(await exists(space)).toBe(true)
      expect((await run("undo")).out).toBe(preview.out)
      expect(await exists(space)).toBe(false)
      expect((await run("undo")).out).toStartWith("restore      a.txt  +1 -1\n6 messages hidden")
      expect(await space.read("a.txt")).toBe(ten)
      expect(await run("undo")).toMatchObject({ code: 2, err: expect.stringContaining("nothing is left to undo") })
      expect((await run("redo")).out).toStartWith("restore      a.txt  +1 -1\n3 messages hidden")
      expect(await exists(space)).toBe(false)
      expect((await run("redo")).out).toBe("restore      b.txt  +1 -0\n3 messages back\n")
      expect(await space.read("b.txt")).toBe("b\n")
      expect(await run("redo")).toMatchObject({ code: 2, err: expect.stringContaining("is undone") })
    })
  })

  test("keep what the user changed, and end with 1 when a file is left alone", async () => {
    await worked(async (space, run) => {
      await space.write("b.txt", "b\nmine\n")
      const undone = await run("undo")
      expect(undone.code).toBe(1)
      expect(undone.out).toContain("left alone   b.txt  it was changed since\n")
      expect(await space.read("b.txt")).toBe("b\nmine\n")
      await space.write("a.txt", (await space.read("a.txt")).replace("line 8\n", "mine\n"))
      expect(await run("undo")).toMatchObject({ code: 1, out: expect.stringContaining("merge        a.txt") })
      expect(await space.read("a.txt")).toBe(ten.replace("line 8\n", "mine\n"))
    })
  })

  test("say where they do not apply, and print JSON for programs", async () => {
    await using empty = await tempWorkspace()
    expect(await cairn(empty, ["undo"])).toMatchObject({ code: 2, err: expect.stringContaining("no session in ") })
    expect(await cairn(empty, ["undo", "--session", "ses_unknown"])).toMatchObject({ code: 2 })
    await worked(async (_, run) => {
      const report: unknown = JSON.parse((await run("undo", "--format", "json")).out)
      expect(report).toMatchObject({
        ...{ dryRun: false, messages: 3, notes: [] },
        files: [{ action: "delete", file: "b.txt", additions: 0, deletions: 1, patch: expect.any(String) }],
        session: { revert: { messageID: expect.stringMatching(/^msg_/) } },
      })
    })
  })
})

describe("session revert", () => {
  test("goes back to a message or a part, and keeps to the paths that are named", async () => {
    await worked(async (space, run) => {
      const [session] = JSON.parse((await run("session", "list", "--format", "json")).out) as { id: string }[]
      const id = session!.id
      const shown = JSON.parse((await run("session", "show", id, "--format", "json")).out) as {
        messages: { info: { id: string }; parts: { id: string; type: string; tool?: string }[] }[]
      }
      const first = shown.messages[0]!.info.id
      const edit = shown.messages.flatMap(({ parts }) => parts).find(({ tool }) => tool === "edit")!.id
      const back = (...argv: string[]) => run("session", "revert", id, ...argv)
      expect((await back("--to", first, "--path", "b.txt", "--dry-run")).out).toStartWith(
        "delete       b.txt  +0 -1\n6 ",
      )
      expect((await back("--to", edit)).out).toContain("restore      a.txt  +1 -1\n")
      expect([await space.read("a.txt"), await exists(space)]).toEqual([ten, false])
      expect(await back()).toMatchObject({ code: 2, err: expect.stringContaining("--to") })
      expect(await back("--to", "msg_unknown")).toMatchObject({ code: 2, err: expect.stringContaining("no message") })
      expect(await back("--to", "nonsense")).toMatchObject({ code: 2 })
      expect(await run("session", "revert", "ses_unknown", "--to", first)).toMatchObject({ code: 2 })
    })
  })
})

describe("session diff", () => {
  test("shows the patch of the session or of a message, or counts its lines", async () => {
    await worked(async (_, run) => {
      expect((await run("session", "diff")).out).toBe(
        [
          "--- a.txt\n+++ a.txt\n@@ -1,5 +1,5 @@\n line 0\n-line 1\n+ONE\n line 2\n line 3\n line 4\n",
          "--- /dev/null\n+++ b.txt\n@@ -0,0 +1 @@\n+b\n",
        ].join(""),
      )
      const stat = await run("session", "diff", "--stat")
      expect(stat.out).toBe("modified  a.txt  +1 -1\nadded     b.txt  +1 -0\n2 files, +2 -1\n")
      const [session] = JSON.parse((await run("session", "list", "--format", "json")).out) as { id: string }[]
      const messages = JSON.parse((await run("session", "show", session!.id, "--format", "json")).out).messages as {
        info: { id: string; role: string }
      }[]
      const second = messages.filter(({ info }) => info.role === "user")[1]!.info.id
      const json = await run("session", "diff", session!.id, "--message", second, "--format", "json")
      expect(JSON.parse(json.out)).toEqual([
        {
          file: "b.txt",
          status: "added",
          additions: 1,
          deletions: 0,
          patch: "--- /dev/null\n+++ b.txt\n@@ -0,0 +1 @@\n+b\n",
        },
      ])
      await run("undo")
      expect((await run("session", "diff", "--stat")).out).toBe("modified  a.txt  +1 -1\n1 file, +1 -1\n")
      expect(await run("session", "diff", "--message", "msg_unknown")).toMatchObject({ code: 2 })
    })
  })
})

describe("fork", () => {
  test("run --fork works in a copy; session fork copies up to a message", async () => {
    await using space = await tempWorkspace({ files: { "a.txt": ten } })
    await using server = await startModelServer([[text("One.")], [text("Two.")], [text("Three.")]])
    const run = (...argv: string[]) => cairn(space, argv, { server })
    expect((await run("run", "first")).code).toBe(0)
    expect((await run("run", "second", "--continue", "--fork")).out).toContain("Two.")
    const list = async () =>
      JSON.parse((await run("session", "list", "--format", "json")).out) as { id: string; title: string }[]
    const sessions = await list()
    expect(sessions.map(({ title }) => title).toSorted()).toEqual(["first", "first (fork #1)"])
    const fork = sessions.find(({ title }) => title.includes("fork"))!
    const shown = JSON.parse((await run("session", "show", fork.id, "--format", "json")).out) as {
      messages: { info: { id: string; role: string } }[]
    }
    expect(shown.messages).toHaveLength(4)
    const copied = await run("session", "fork", fork.id, "--at", shown.messages[2]!.info.id)
    expect(copied.out).toMatch(/^ses_\w+ {2}first \(fork #2\)\n$/)
    expect(await list()).toHaveLength(3)
    expect(await run("run", "x", "--fork")).toMatchObject({ code: 2, err: expect.stringContaining("--continue") })
    expect(await run("session", "fork", "ses_unknown")).toMatchObject({ code: 2 })
    expect(await run("session", "fork", fork.id, "--at", "msg_unknown")).toMatchObject({ code: 2 })
  })
})

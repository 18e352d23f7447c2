import { expect, test } from "bun:test"
import { appendFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text, toolCall } from "@cairn/testkit/scenario"
import { type Bench, bench, problemsOf } from "./harness.ts"

const bash = (command: string) => toolCall("bash", { command })
const large = "x".repeat(11_000_000)

/** A workspace with a file that was changed and a large one that git does not know. */
async function dirty(made: Bench): Promise<void> {
  await appendFile(join(made.workspace.dir, "a.txt"), "mine\n")
  await writeFile(join(made.workspace.dir, "data.bin"), large)
}

const line = "git stash drop; git reset --hard; git clean -fdx"

test("the ask says what would be lost, and what is allowed then is brought back whole", async () => {
  await using made = await bench([[bash(line)], [text("Done.")]], {
    files: { "a.txt": "a\n" },
    config: { permission: { bash: "ask" } },
  })
  await dirty(made)
  const reasons: string[] = []
  made.engine.subscribe((event) => {
    if (event.type !== "permission.asked") return
    const parts = event.properties.metadata["parts"] as { text: string; reason: string }[]
    reasons.push(...parts.map((part) => `${part.text}: ${part.reason.split("; ").slice(1).join("; ")}`))
    // What the user makes while the ask is open is kept too.
    void writeFile(join(made.workspace.dir, "late.bin"), large).then(() =>
      made.engine.replyPermission(event.properties.id, { reply: "once" }),
    )
  })
  const { sessionID } = await made.prompt("clean", { asks: "wait" })
  expect(reasons).toEqual([
    "git stash drop: what the stash holds is gone",
    "git reset --hard: changes that are not committed are gone: 1 file: a.txt",
    "git clean -fdx: files that git does not know are gone: 1 file: data.bin",
  ])
  expect(await made.workspace.read("a.txt")).toBe("a\n")
  const [prompt] = made.engine.messages(sessionID)
  const back = await made.engine.revert(sessionID, { to: prompt!.info.id })
  expect(back.ok && back.value.files.map(({ action, file }) => `${action} ${file}`)).toEqual([
    ...["restore a.txt", "restore data.bin", "restore late.bin"],
  ])
  expect(await made.workspace.read("a.txt")).toBe("a\nmine\n")
  for (const name of ["data.bin", "late.bin"]) expect((await made.workspace.read(name)) === large).toBe(true)
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("the same where the rules allow it without an ask; what git forgets is named with the way back", async () => {
  await using made = await bench([[bash(line)], [text("Done.")]], { files: { "a.txt": "a\n" } })
  for (const setting of ["user.name", "user.email"]) await made.workspace.git(["config", setting, "t"])
  await dirty(made)
  await made.workspace.git(["stash"])
  await dirty(made)
  const { sessionID } = await made.prompt("clean", { asks: "deny" })
  const [prompt] = made.engine.messages(sessionID)
  const back = await made.engine.revert(sessionID, { to: prompt!.info.id })
  expect(back.ok && back.value.notes).toEqual([
    expect.stringMatching(
      /^Branches and stashes stay as they are: stash@\{0\} was [0-9a-f]{12} \(git stash apply [0-9a-f]{12}\)\.$/,
    ),
  ])
  expect(await made.workspace.read("a.txt")).toBe("a\nmine\n")
  expect((await made.workspace.read("data.bin")) === large).toBe(true)
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("an ask that is refused leaves nothing behind", async () => {
  await using made = await bench([[bash("git clean -fd")], [text("It was refused.")]], {
    files: {},
    config: { permission: { bash: "ask" } },
  })
  await dirty(made)
  const { sessionID } = await made.prompt("clean", { asks: "deny" })
  expect((await made.workspace.read("data.bin")) === large).toBe(true)
  expect(await made.engine.collect({ dryRun: true })).toMatchObject({ before: { blobs: 0 } })
  expect(problemsOf(made, sessionID)).toEqual([])
})

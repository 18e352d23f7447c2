import { expect, test } from "bun:test"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { userTexts } from "@cairn/testkit/request"
import { type Reply, text, toolCall } from "@cairn/testkit/scenario"
import { type Bench, bench, problemsOf } from "./harness.ts"

const bash = (command: string) => toolCall("bash", { command })
const edit = (filePath: string, oldString: string, newString: string) =>
  toolCall("edit", { filePath, oldString, newString })
const ten = Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join("")

/** What each session does, by its prompt; pipes hold the first one's command open while the second one works. */
const scripts: Record<string, readonly Reply[]> = {
  one: [
    bash("sed -i 's/line 0/one/' early.txt; echo go > started; cat wait > /dev/null; echo one > late.txt"),
    edit("shared.txt", "line 2\n", "one\n"),
    text("Done."),
  ],
  two: [
    bash("echo two > two.txt"),
    edit("shared.txt", "line 7\n", "two\n"),
    toolCall("write", { filePath: "own.txt", content: "two\n" }),
    text("Done."),
  ],
}
const files = { "shared.txt": ten, "early.txt": ten, ".gitignore": "started\nwait\n" }

async function open(): Promise<Bench> {
  const asked: Record<string, number> = {}
  const made = await bench(
    (request) => {
      const name = userTexts(request).join(" ").includes("one") ? "one" : "two"
      const step = (asked[name] = (asked[name] ?? 0) + 1)
      return scripts[name]?.[step - 1] ?? text("Nothing.")
    },
    { files },
  )
  for (const pipe of ["started", "wait"]) Bun.spawnSync(["mkfifo", join(made.workspace.dir, pipe)])
  return made
}

/** Lets the first session begin its command, does the second one's work beside it, and lets the first one end. */
async function bothAtOnce(made: Bench, run: (name: string) => Promise<string>): Promise<string[]> {
  const first = run("one")
  await readFile(join(made.workspace.dir, "started"))
  const second = await run("two")
  await writeFile(join(made.workspace.dir, "wait"), "go")
  return [await first, second]
}

/** Takes one session's work back and looks what is left of the others'; then brings it again. */
async function looked(made: Bench, sessionID: string) {
  const [prompt] = made.engine.messages(sessionID)
  const done = await made.engine.revert(sessionID, { to: prompt!.info.id })
  if (!done.ok) throw new Error(done.error.message)
  const names = ["shared.txt", "early.txt", "late.txt", "two.txt", "own.txt"]
  const left = await Promise.all(names.map((name) => made.workspace.read(name).catch(() => "gone")))
  const back = await made.engine.unrevert(sessionID)
  if (!back.ok) throw new Error(back.error.message)
  return { actions: done.value.files.map(({ action, file }) => `${action} ${file}`), notes: done.value.notes, left }
}

const shared = (more: Record<string, string>) =>
  Object.entries(more).reduce((all, [from, to]) => all.replace(from, to), ten)
const unclear = (...names: string[]) => [
  `Not covered of what commands changed: what changed while a command of another session ran, which may have done it (${names.join(", ")}).`,
]

async function check(made: Bench, one: string, two: string): Promise<void> {
  await writeFile(
    join(made.workspace.dir, "shared.txt"),
    (await made.workspace.read("shared.txt")).replace("line 5", "user"),
  )
  expect(await looked(made, one)).toEqual({
    actions: ["restore early.txt", "merge shared.txt"],
    notes: unclear("late.txt", "two.txt"),
    left: [shared({ "line 7": "two", "line 5": "user" }), ten, "one\n", "two\n", "two\n"],
  })
  expect(await looked(made, two)).toEqual({
    actions: ["delete own.txt", "merge shared.txt"],
    notes: unclear("two.txt"),
    left: [shared({ "line 2": "one", "line 5": "user" }), shared({ "line 0": "one" }), "one\n", "two\n", "gone"],
  })
  for (const sessionID of [one, two]) expect(problemsOf(made, sessionID)).toEqual([])
}

test("two sessions of one process and the user in one tree: each undo takes back its own work alone", async () => {
  await using made = await open()
  const [one = "", two = ""] = await bothAtOnce(made, async (name) => (await made.prompt(name)).sessionID)
  await check(made, one, two)
})

test("two processes and the user in one tree: each undo takes back its own work alone", async () => {
  await using made = await open()
  const [one = "", two = ""] = await bothAtOnce(made, async (name) => {
    const argv = [JSON.stringify(made.options), JSON.stringify({ providerID: "test", modelID: "scripted" }), name]
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "session-driver.ts"), ...argv], { stderr: "pipe" })
    const [out, said] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (child.exitCode !== 0) throw new Error(said)
    return (JSON.parse(out) as { sessionID: string }).sessionID
  })
  await check(made, one, two)
})

import { expect, test } from "bun:test"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text, toolCall } from "@cairn/testkit/scenario"
import { seeded } from "@cairn/testkit/random"
import { createEngine } from "../../src/app.ts"
import { type Bench, bench, problemsOf } from "./harness.ts"

const rounds = process.env["CAIRN_TEST_LONG"] ? 50 : 8
const many = 60

/** Every file of the workspace with its content, as one text; a stray temp file would stand in it. */
async function shown(made: Bench): Promise<string> {
  const names = (await readdir(made.workspace.dir, { recursive: true })).filter((name) => !name.startsWith(".git"))
  const files = names.toSorted((a, b) => (a < b ? -1 : 1)).filter((name) => /\.(?:txt|tmp)$/.test(name))
  return (await Promise.all(files.map(async (name) => `${name}: ${await made.workspace.read(name)}`))).join("")
}

/** A revert, or unrevert, in a process of its own that kills itself at its n-th point. Gives the number of points when it lived. */
async function killedRevert(made: Bench, sessionID: string, to: string, point: number): Promise<number | undefined> {
  const { database, blobs } = made.engine.paths
  const argv = [database, blobs, sessionID, to, String(point)]
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "revert-driver.ts"), ...argv], {
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, said] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.signalCode === "SIGKILL") return undefined
  if (child.exitCode !== 0) throw new Error(said)
  return Number(out)
}

async function reopen(made: Bench): Promise<void> {
  const opened = await createEngine(made.options)
  if (!opened.ok) throw new Error(opened.error.message)
  made.engine = opened.value
}

test("a revert that is killed at any point leaves the old or the new state once Cairn starts again", async () => {
  const random = seeded(20_261_122)
  const names = Array.from({ length: many }, (_, n) => `d${n % 7}/file-${n}.txt`)
  const patch = names.flatMap((name, n) =>
    n % 3 === 0
      ? [`*** Add File: ${name}`, `+added ${n}`]
      : n % 3 === 1
        ? [`*** Update File: ${name}`, `-old ${n}`, `+new ${n}`]
        : [`*** Delete File: ${name}`],
  )
  const patchText = ["*** Begin Patch", ...patch, "*** End Patch"].join("\n")
  const files = Object.fromEntries(names.flatMap((name, n) => (n % 3 === 0 ? [] : [[name, `old ${n}\n`]])))
  await using made = await bench([[toolCall("apply_patch", { patchText })], [text("Done.")]], { files })
  const old = await shown(made)
  const { sessionID } = await made.prompt("change everything")
  const changed = await shown(made)
  expect(changed).not.toBe(old)
  const [prompt] = made.engine.messages(sessionID)
  const to = prompt!.info.id
  await made.engine[Symbol.asyncDispose]()
  const points = await killedRevert(made, sessionID, to, Number.POSITIVE_INFINITY)
  expect(points).toBeGreaterThan(2 * many)
  let halves = 0
  for (let round = 0; round < rounds; round++) {
    await killedRevert(made, sessionID, to, random.below(points!))
    const half = await shown(made)
    if (half !== old && half !== changed) halves++
    await reopen(made)
    const now = await shown(made)
    expect([round, now === old || now === changed]).toEqual([round, true])
    expect(made.engine.session(sessionID)?.revert !== undefined).toBe(now === old)
    if (round === rounds - 1) expect(problemsOf(made, sessionID)).toEqual([])
    await made.engine[Symbol.asyncDispose]()
  }
  expect(halves).toBeGreaterThan(rounds / 2)
  await reopen(made)
}, 240_000)

test("what the user changed between the kill and the next start is left alone", async () => {
  const write = (filePath: string) => toolCall("write", { filePath, content: "agent\n" })
  await using made = await bench([[write("a.txt"), write("b.txt")], [text("Done.")], [text("On.")]])
  const { sessionID } = await made.prompt("write")
  const [prompt] = made.engine.messages(sessionID)
  await made.engine[Symbol.asyncDispose]()
  // Before the first file is touched.
  expect(await killedRevert(made, sessionID, prompt!.info.id, 0)).toBeUndefined()
  await writeFile(join(made.workspace.dir, "a.txt"), "user\n")
  await reopen(made)
  expect(await shown(made)).toBe("a.txt: user\n")
  const back = await made.engine.unrevert(sessionID)
  expect(back.ok && back.value.files.map(({ action, file }) => `${action} ${file}`)).toEqual(["restore b.txt"])
  expect(await shown(made)).toBe("a.txt: user\nb.txt: agent\n")
  expect(problemsOf(made, sessionID)).toEqual([])
})

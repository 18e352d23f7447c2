import { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import type { LogEntry } from "@cairn/schema/event"
import { checkLog } from "@cairn/testkit/log-checker"
import { processesWith } from "@cairn/testkit/process-tree"
import { seeded } from "@cairn/testkit/random"
import { toolResults, userTexts, type CapturedRequest } from "@cairn/testkit/request"
import { reasoning, text, toolCall, type Reply } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { startCairn } from "./run-cairn.ts"

const rounds = process.env["CAIRN_TEST_LONG"] ? 50 : 8

/** Works until each file is written and each command has run, whatever a killed process has left undone. */
function work(request: CapturedRequest): Reply {
  const settled = toolResults(request).length
  const asked = userTexts(request).length
  if (settled >= 6 * asked) return text("Everything is done.", { chunks: 20 })
  if (settled % 3 === 0)
    return [
      reasoning("Let me think about it.", { chunks: 10 }),
      toolCall("bash", { command: `sleep 0.05; echo ${settled}` }),
    ]
  if (settled % 3 === 1)
    return [
      text("I write a file. ".repeat(10), { chunks: 30 }),
      toolCall("write", { filePath: `file-${request.index}.txt`, content: `${settled}\n` }),
    ]
  return [toolCall("bash", { command: `echo a ${settled}` }), toolCall("read", { filePath: "seed.txt" })]
}

function logOf(space: TempWorkspace): LogEntry[] {
  const file = join(space.env["XDG_DATA_HOME"]!, "cairn", "cairn.db")
  if (!existsSync(file)) return []
  using database = new Database(file)
  database.run("PRAGMA busy_timeout = 5000")
  const rows = database
    .query<{ seq: number; id: string; session_id: string; time: number; type: string; properties: string }, []>(
      "SELECT * FROM event ORDER BY seq",
    )
    .all()
  return rows.map((row) => ({
    seq: row.seq,
    id: row.id,
    sessionID: row.session_id,
    time: row.time,
    event: { type: row.type, properties: JSON.parse(row.properties) } as LogEntry["event"],
  }))
}

test(`a run that is killed at ${rounds} random moments loses nothing and goes on`, async () => {
  const random = seeded(19_770_525)
  await using server = await startModelServer(work)
  await using space = await tempWorkspace({ files: { "seed.txt": "seed\n" }, git: true })
  let cut = 0
  for (let round = 0; round < rounds; round++) {
    const lines = random.below(28)
    const pause = random.below(40)
    const run = startCairn(space, ["run", "--format", "json", "Do the work"], { server })
    const seen = run.printed(new RegExp(`(?:[^\\n]*\\n){${lines}}`))
    await seen.catch(() => undefined) // it may have ended before it printed so much
    await Bun.sleep(pause)
    run.child.kill("SIGKILL")
    const { out } = await run.ended
    const session = /"sessionID":"(ses_\w+)"/.exec(out)?.[1]
    const before = logOf(space).filter((entry) => entry.sessionID === session)
    if (before.length > 0 && before.at(-1)?.event.type !== "session.turn.ended") cut++

    const verified = await startCairn(space, ["debug", "verify"], { server }).ended
    expect({ round, ...verified, out: "" }).toMatchObject({ round, code: 0 })
    const on = await startCairn(
      space,
      ["run", "--format", "json", ...(session && before.length > 0 ? ["--session", session] : []), "Go on"],
      { server },
    ).ended
    expect({ round, code: on.code, err: on.err }).toMatchObject({ round, code: 0 })
    expect(on.result()).toMatchObject({ text: "Everything is done." })

    const after = logOf(space).filter((entry) => entry.sessionID === session)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(checkLog(logOf(space))).toEqual([])
  }
  expect(cut).toBeGreaterThan(rounds / 3)
  expect(server.unexpected).toEqual([])
  const left = processesWith(space.dir)
  expect(left).toEqual([])
}, 600_000)

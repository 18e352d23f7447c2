import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { childEnvironment } from "../../src/process/environment.ts"
import { createSandbox } from "../../src/process/sandbox/sandbox.ts"
import { createSupervisor } from "../../src/process/supervisor.ts"
import { bench, type BenchOptions, problemsOf } from "./harness.ts"

const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const state = await createSandbox({ supervisor, worktree: "/nowhere", enabled: true })(new TaskGroup().signal)
await supervisor[Symbol.asyncDispose]()
if (state.kind === "none") process.stderr.write(`skipped: no sandbox on this machine: ${state.reason}\n`)
const here = describe.skipIf(state.kind === "none")

const opaque = 'X="echo ran"; eval "$X > out.txt"; cat out.txt'

/** Has the model run one command in a workspace of its own, and says what it was told. */
async function ran(
  args: Record<string, unknown>,
  options: BenchOptions & { agent?: string; asks?: "deny" | "auto" } = {},
) {
  const { agent, asks, ...more } = options
  await using made = await bench([[toolCall("bash", args)], [text("Done.")]], { files: { "a.txt": "a\n" }, ...more })
  const outcome = await made.prompt("go", { ...(agent !== undefined && { agent }), ...(asks && { asks }) })
  expect(problemsOf(made, outcome.sessionID)).toEqual([])
  const read = (name: string) => made.workspace.read(name).catch(() => undefined)
  return {
    told: toolResults(made.server.requests[1]!)[0]!.output,
    files: { a: await read("a.txt"), out: await read("out.txt"), config: await read("cairn.json") },
    asked: made.log(outcome.sessionID).filter(({ event }) => event.type === "permission.asked").length,
  }
}

here("with a sandbox", () => {
  test("a line that nobody can read follows the rules", async () => {
    expect(await ran({ command: opaque })).toMatchObject({ files: { out: "ran\n" }, asked: 0 })
  })

  test("plan runs what it likes, and the project stays as it is", async () => {
    const command = "node -e 0 || true; sh -c 'rm -f a.txt; echo x > out.txt'; exit 0"
    const { told, files } = await ran(
      { command: `python3 - <<< 'import os; os.remove("a.txt")'; true` },
      { agent: "plan" },
    )
    expect(told).toContain("[exit code")
    expect(files).toEqual({ a: "a\n", out: undefined, config: undefined })
    expect((await ran({ command }, { agent: "plan" })).files.a).toBe("a\n")
  })

  test("--auto neither runs outside nor keeps what is protected", async () => {
    const outside = await ran({ command: "echo x > out.txt", outside: true }, { asks: "auto" })
    expect(outside.told).toContain("without the sandbox")
    expect(outside.files.out).toBeUndefined()
    const planted = await ran({ command: 'N=cairn; eval "echo {} > $N.json"' }, { asks: "auto" })
    expect(planted.told).toContain("cairn.json is protected")
    expect(planted.files.config).toBeUndefined()
  })

  test("keys of providers do not pass unless the config says so, and Cairn's own places are hidden", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-passed" }
    const command = "echo [$ANTHROPIC_API_KEY]; ls $XDG_DATA_HOME/cairn ~/.local/share/cairn 2>&1"
    const without = (await ran({ command }, { env, asks: "auto" })).told
    expect(without).toContain("[]")
    expect(without).not.toContain("cairn.db")
    const config = { sandbox: { env: ["ANTHROPIC_API_KEY"] } }
    expect((await ran({ command }, { env, config, asks: "auto" })).told).toContain("[sk-passed]")
  })

  test("nothing bounds commands when the user says so", async () => {
    const command = "grep -c . /proc/1/cmdline; ls /proc | grep -c '^[0-9]'"
    const inside = Number(
      (await ran({ command: "ls /proc | grep -c '^[0-9]*$'" }, { asks: "auto" })).told.split("\n")[0],
    )
    const off = await ran({ command }, { config: { sandbox: { enabled: false } }, asks: "auto" })
    expect(inside).toBeLessThan(10)
    expect(Number(off.told.split("\n")[1])).toBeGreaterThan(inside)
  })
})

test("without one it is asked for, and plan is kept to commands that look", async () => {
  await using space = await tempWorkspace()
  const bin = join(space.home, "bin")
  mkdirSync(bin)
  for (const name of ["sh", "bash", "cat", "git", "rg", "touch"]) {
    const program = Bun.which(name)
    if (program !== null) symlinkSync(program, join(bin, name))
  }
  const env = { PATH: bin }
  const { told, asked } = await ran({ command: opaque }, { env })
  expect(told).toContain("nobody is here to give it")
  expect(asked).toBe(1)
  expect((await ran({ command: "touch out.txt" }, { env, agent: "plan" })).told).toContain("Not allowed")
})

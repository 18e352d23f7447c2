import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import type { z } from "zod"
import { toolContext } from "../../../test/tool-context.ts"
import { childEnvironment } from "../../process/environment.ts"
import { ripgrepPath } from "../../process/ripgrep.ts"
import { createSupervisor } from "../../process/supervisor.ts"
import { createSearch } from "../../workspace/search.ts"
import { createOutput } from "../output.ts"
import { createGrepTool } from "./grep.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-grep-")))
const root = join(home, "project")
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const search = createSearch({ supervisor, ripgrep: () => ripgrepPath(supervisor.env) })
const make = (limits: { maxBytes?: number }) =>
  createGrepTool({
    search,
    output: createOutput({ directory: join(home, "spill"), clock: systemClock, log: silentLog, limits }),
    readable: () => (path) => !path.endsWith(".env"),
  })
const tool = make({})

let age = 1_700_000_000
function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
  utimesSync(join(home, path), ++age, age)
}
beforeAll(() => {
  put("project/src/a.ts", "const one = 1\nexport const two = 2\n")
  put("project/src/b.js", "const three = 3\n")
  put("project/.env", "const secret = 4\n")
  put("project/odd\nname", "odd const\0\n")
  put("project/many.txt", "hit\n".repeat(150))
  put("project-evil/x", "const evil = 1\n")
  symlinkSync(join(home, "project-evil"), join(root, "link"))
})
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

type Arguments = z.infer<typeof tool.parameters>
async function grep(pattern: string, more: Partial<Arguments> = {}, context = toolContext(root)) {
  const result = await tool.execute({ pattern, ...more }, context)
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`)
  return result.value
}

describe("grep", () => {
  test("each file once, its lines with numbers below it, newest file first", async () => {
    expect(await grep("^(export )?const", { path: "src" })).toEqual({
      title: "^(export )?const",
      output: "src/b.js:\n  1: const three = 3\nsrc/a.ts:\n  1: const one = 1\n  2: export const two = 2",
      metadata: { matches: 3, truncated: false },
    })
    expect((await grep("const", { include: "*.js" })).output).toBe("src/b.js:\n  1: const three = 3")
    expect((await grep("two", { path: "src/a.ts" })).output).toBe("src/a.ts:\n  2: export const two = 2")
  })

  test("no match is said", async () => {
    expect(await grep("nowhere to be found")).toMatchObject({
      output: "No matches.",
      metadata: { matches: 0, truncated: false },
    })
  })

  test("at most 100 lines, and it says so", async () => {
    const result = await grep("hit", { path: "many.txt" })
    expect(result.metadata).toEqual({ matches: 100, truncated: true })
    expect(result.output).toContain("  100: hit\n\n[Only the first 100 lines, newest files first.")
  })

  test("an invalid expression comes back in ripgrep's words", async () => {
    const result = await tool.execute({ pattern: "a(" }, toolContext(root))
    expect(result).toMatchObject({ ok: false, error: { kind: "invalid_arguments" } })
    expect(result.ok ? "" : result.error.message).toContain("unclosed group")
  })

  test("a path that is missing is a failure", async () => {
    expect(await tool.execute({ pattern: "x", path: "absent" }, toolContext(root))).toMatchObject({
      ok: false,
      error: { kind: "missing" },
    })
  })

  test("an include that is no glob is a failure", async () => {
    expect(await tool.execute({ pattern: "x", include: "*.{ts" }, toolContext(root))).toMatchObject({
      ok: false,
      error: { kind: "invalid_arguments", message: expect.stringContaining("not closed") },
    })
  })

  test.skipIf(process.platform === "win32")("a pipe, a device and a socket are refused at once", async () => {
    const pipe = join(root, "src/pipe")
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0)
    const socket = join(home, "socket")
    using _ = Bun.listen({ unix: socket, socket: { data() {} } })
    for (const [path, what] of [
      [pipe, "a named pipe"],
      ["/dev/zero", "a device"],
      [socket, "a socket"],
    ] as const) {
      const message = `${path} is ${what}, not a regular file.`
      expect(await tool.execute({ pattern: "x", path }, toolContext(root))).toEqual({
        ok: false,
        error: { kind: "refused", message },
      })
    }
    expect((await grep("three", { path: "src" })).metadata["matches"]).toBe(1)
    rmSync(pipe)
  })

  test("a result that is too long is kept in a file", async () => {
    const result = await make({ maxBytes: 60 }).execute({ pattern: "hit" }, toolContext(root))
    const output = result.ok ? result.value.output : ""
    const spill = /in (\S+): read it/.exec(output)?.[1]
    expect(result.ok && result.value.metadata["truncated"]).toBe(true)
    expect(readFileSync(spill!, "utf8")).toContain("100: hit")
  })
})

describe("permission", () => {
  test("files that the rules would ask about are left out, and counted", async () => {
    const result = await grep("const")
    expect(result.output).not.toContain("secret")
    const note = "[1 file with matches left out: the rules ask before such are read.]"
    expect(result.output).toEndWith(`\n\n${note}`)
    expect(await grep("secret")).toMatchObject({ output: `No matches.\n${note}`, metadata: { matches: 0 } })
  })

  test("asks grep with the pattern", async () => {
    const context = toolContext(root)
    await grep("one", { include: "*.ts" }, context)
    const metadata = { pattern: "one", path: root, include: "*.ts" }
    expect(context.asks).toEqual([{ permission: "grep", patterns: ["one"], always: ["*"], metadata }])
    const denied = toolContext(root, { deny: ["grep"] })
    expect(await tool.execute({ pattern: "one" }, denied)).toMatchObject({ ok: false, error: { kind: "denied" } })
  })

  test("outside of the worktree asks first, through links and for a single file too", async () => {
    const outside = join(home, "project-evil")
    for (const path of [outside, "link", "../project-evil", "link/x", join(outside, "absent")]) {
      const context = toolContext(root, { deny: ["external_directory"] })
      expect(await tool.execute({ pattern: "x", path }, context)).toMatchObject({
        ok: false,
        error: { kind: "denied" },
      })
      expect(context.asks).toMatchObject([{ permission: "external_directory", patterns: [`${outside}/*`] }])
    }
    expect((await grep("evil", { path: "link" })).output).toBe(`${outside}/x:\n  1: const evil = 1`)
  })

  test("an interruption rejects with the reason", async () => {
    const turn = new TaskGroup()
    const reason = new Error("stop")
    const running = tool.execute({ pattern: "const" }, toolContext(root, { signal: turn.signal }))
    turn.cancel(reason)
    expect(await running.catch((error: unknown) => error)).toBe(reason)
  })
})

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { silentLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { toolContext } from "../../../test/tool-context.ts"
import { childEnvironment } from "../../process/environment.ts"
import { ripgrepPath } from "../../process/ripgrep.ts"
import { createSupervisor } from "../../process/supervisor.ts"
import { createSearch } from "../../workspace/search.ts"
import { createOutput } from "../output.ts"
import { createGlobTool } from "./glob.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-glob-")))
const root = join(home, "project")
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env: childEnvironment(process.env) })
const tool = createGlobTool({
  search: createSearch({ supervisor, ripgrep: () => ripgrepPath(supervisor.env) }),
  output: createOutput({ directory: join(home, "spill"), clock: systemClock, log: silentLog }),
})

let age = 1_700_000_000
function put(path: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), "")
  utimesSync(join(home, path), ++age, age)
}
beforeAll(() => {
  for (const path of [
    "project/a.ts",
    "project/src/b.ts",
    "project/src/deep/c.ts",
    "project/src/d.md",
    "project-evil/e.ts",
  ])
    put(path)
  for (let i = 0; i < 120; i++) put(`project/many/${String(i).padStart(3, "0")}.txt`)
  put("project/odd/new\nline.ts")
  mkdirSync(join(root, ".git/objects"), { recursive: true })
  symlinkSync(join(home, "project-evil"), join(root, "link"))
})
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

async function glob(pattern: string, path?: string, context = toolContext(root)) {
  const result = await tool.execute({ pattern, ...(path === undefined ? {} : { path }) }, context)
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`)
  return result.value
}

describe("glob", () => {
  test("paths relative to the session's directory, newest first", async () => {
    expect(await glob("*.ts")).toEqual({
      title: "*.ts",
      output: '"odd/new\\nline.ts"\nsrc/deep/c.ts\nsrc/b.ts\na.ts',
      metadata: { count: 4, truncated: false },
    })
    expect((await glob("src/*.ts")).output).toBe("src/b.ts")
    expect((await glob("**/*.{md,none}", "src")).output).toBe("src/d.md")
    expect((await glob(join(root, "src/**/*.ts"))).output).toBe("src/deep/c.ts\nsrc/b.ts")
  })

  test("nothing matches: said, not failed", async () => {
    for (const pattern of ["*.none", "no/such/dir/*.ts", "/a.ts"])
      expect(await glob(pattern)).toMatchObject({ output: "No files match.", metadata: { count: 0, truncated: false } })
  })

  test("at most 100, and it says so", async () => {
    const result = await glob("many/*")
    expect(result.metadata).toEqual({ count: 100, truncated: true })
    expect(result.output).toStartWith("many/119.txt\nmany/118.txt\n")
    expect(result.output).toEndWith(
      "many/020.txt\n\n[Only the first 100 (newest) are shown. Narrow the pattern or the path.]",
    )
  })

  test("a path that is missing is a failure", async () => {
    expect(await tool.execute({ pattern: "*", path: "absent" }, toolContext(root))).toMatchObject({
      ok: false,
      error: { kind: "missing" },
    })
    expect(await tool.execute({ pattern: "*", path: "a\0" }, toolContext(root))).toMatchObject({
      ok: false,
      error: { kind: "invalid_arguments" },
    })
  })

  test("a path that is a file is a failure that says so; one that a pattern begins with matches nothing", async () => {
    expect(await tool.execute({ pattern: "*", path: "a.ts" }, toolContext(root))).toEqual({
      ok: false,
      error: { kind: "refused", message: `${join(root, "a.ts")} is not a directory. Give a directory as path.` },
    })
    expect((await glob("a.ts/*")).output).toBe("No files match.")
    expect((await glob("a.ts")).output).toBe("a.ts")
  })

  test.each(["[", "{a", "a.txt{"])("%s is no glob, and that is said before anything is asked", async (pattern) => {
    const context = toolContext(root)
    const result = await tool.execute({ pattern }, context)
    expect(result).toMatchObject({ ok: false, error: { kind: "invalid_arguments" } })
    expect(result.ok ? "" : result.error.message).toContain("not closed")
    expect(context.asks).toEqual([])
  })
})

describe("permission", () => {
  test("asks glob with the pattern", async () => {
    const context = toolContext(root)
    await glob("*.ts", "src", context)
    expect(context.asks).toEqual([
      { permission: "glob", patterns: ["*.ts"], always: ["*"], metadata: { pattern: "*.ts", path: join(root, "src") } },
    ])
  })

  test("what leads outside asks external_directory first: by path, by pattern, by link, to a sibling with a like name", async () => {
    const outside = join(home, "project-evil")
    for (const [pattern, path] of [
      ["*", outside],
      ["*", "../project-evil"],
      ["../project-evil/*", undefined],
      [`${outside}/*`, undefined],
      ["link/*", undefined],
    ] as const) {
      const context = toolContext(root, { deny: ["external_directory"] })
      const result = await tool.execute({ pattern, ...(path === undefined ? {} : { path }) }, context)
      expect(result).toMatchObject({ ok: false, error: { kind: "denied" } })
      expect(context.asks).toMatchObject([{ permission: "external_directory", patterns: [`${outside}/*`] }])
    }
    expect((await glob("../project-evil/*")).output).toBe(join(outside, "e.ts"))
  })

  test("an interruption rejects with the reason", async () => {
    const turn = new TaskGroup()
    const reason = new Error("stop")
    const running = tool.execute({ pattern: "*" }, toolContext(root, { signal: turn.signal }))
    turn.cancel(reason)
    expect(await running.catch((error: unknown) => error)).toBe(reason)
  })
})

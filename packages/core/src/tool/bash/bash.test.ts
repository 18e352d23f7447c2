import { afterAll, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@cairn/kernel/clock"
import { Interrupted } from "@cairn/kernel/interrupted"
import { silentLog } from "@cairn/kernel/log"
import { err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import type { z } from "zod"
import { toolContext } from "../../../test/tool-context.ts"
import { childEnvironment } from "../../process/environment.ts"
import { findShell } from "../../process/shell.ts"
import { createSupervisor } from "../../process/supervisor.ts"
import { createOutput } from "../output.ts"
import { createBashTool } from "./bash.ts"
import { createPreview } from "./preview.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "cairn-bash-")))
const spills = join(home, "data/tool-output")
const env = childEnvironment({ ...process.env, ANTHROPIC_API_KEY: "sk-secret", GH_TOKEN: "gh" }, ["ANTHROPIC_API_KEY"])
const supervisor = createSupervisor({ clock: systemClock, log: silentLog, env, graceMs: 300 })
const planned: { command: string; cwd: string }[] = []
const tool = createBashTool({
  supervisor,
  output: createOutput({ directory: spills, clock: systemClock, log: silentLog }),
  shell: () => findShell(env),
  journal: { begin: async () => ok({ finish: async () => ({ files: 0, uncovered: [] }) }) },
  plan(command, cwd) {
    planned.push({ command, cwd })
    return {
      asks: ["bash", "external_directory"].map((permission) => ({ permission, patterns: [command], always: [] })),
    }
  },
})
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

type Arguments = z.infer<typeof tool.parameters>
async function bash(command: string, more: Partial<Arguments> = {}, context = toolContext(home)) {
  const result = await tool.execute({ command, ...more }, context)
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`)
  return result.value
}

function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}

describe("what the model gets", () => {
  test("output and exit code, whatever the code is", async () => {
    expect(await bash("echo hello")).toEqual({
      title: "echo hello",
      output: "hello\n\n[exit code 0]",
      metadata: { output: "hello\n", exit: 0, truncated: false, journal: { files: 0, uncovered: [] } },
    })
    expect((await bash("echo no >&2; exit 3")).output).toBe("no\n\n[exit code 3]")
    expect((await bash("true")).output).toBe("[exit code 0]")
    expect(await bash("cairn-no-such-command")).toMatchObject({ metadata: { exit: 127 } })
    expect((await bash("cairn-no-such-command")).output).toContain("line 1: cairn-no-such-command: command not found")
  })

  test("a death by signal is told from an exit", async () => {
    const result = await bash("kill -KILL $$")
    expect(result.output).toBe("[killed by SIGKILL]")
    expect(result.metadata["exit"]).toBeNull()
  })

  test("both streams in the order of writing", async () => {
    const result = await bash("for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done")
    expect(result.metadata["output"]).toBe([1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join(""))
  })

  test("a syntax error is output too, with the command's own lines and nothing else", async () => {
    const result = await bash("if then")
    expect(result.output).toMatch(/^\S*bash: -c: line 1: syntax error near unexpected token `then'\n/)
    expect(result.output).toMatch(/-c: line 1: `if then'\n\n\[exit code 2\]$/)
    expect(result.output).not.toContain("exec")
    expect(result.metadata["exit"]).toBe(2)
    expect((await bash("\n\ncairn-no-such-command")).output).toContain("line 3: cairn-no-such-command")
  })

  test("output that is opened by its name", async () => {
    expect((await bash("echo a > /dev/stderr; echo b | tee /dev/stderr; echo c >> /dev/stdout")).output).toBe(
      "a\nb\nb\nc\n\n[exit code 0]",
    )
  })

  test("a command that begins with a dash is a command", async () => {
    expect((await bash("-x foo")).output).toContain("-x: command not found")
  })

  test("many lines, here-documents and a trailing comment are one command", async () => {
    expect((await bash("cat <<X\na\nb\nX\necho c # done")).output).toBe("a\nb\nc\n\n[exit code 0]")
  })

  test("no colours and no NULs", async () => {
    expect((await bash("printf '\\e[31mred\\e[0m a\\0b'")).output).toBe("red a\u2400b\n\n[exit code 0]")
  })

  test("long output: its end, and a file with the whole, readable by the user only", async () => {
    const result = await bash("seq 1 100000", {}, toolContext(home, { callID: "../odd id" }))
    expect(result.output).toMatch(
      /^\[\d+ earlier lines \(\d+ bytes\) left out\. The whole output is in .*99999\n100000\n\n\[exit code 0\]$/s,
    )
    expect(Buffer.byteLength(result.output)).toBeLessThan(52_000)
    const spill = String(result.metadata["spill"])
    expect(result.metadata["truncated"]).toBe(true)
    expect(spill).toStartWith(`${spills}/`)
    expect(readFileSync(spill, "utf8")).toBe(Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(""))
    expect(statSync(spill).mode & 0o777).toBe(0o600)
    expect(String(result.metadata["output"]).length).toBeLessThan(20_000)
  })

  test("50 MB do not fill the memory", async () => {
    const result = await bash("yes | head -c 50000000; echo; echo end")
    expect(result.output).toEndWith("y\n\nend\n\n[exit code 0]")
    expect(statSync(String(result.metadata["spill"])).size).toBe(50_000_005)
  })
})

describe("where and how it runs", () => {
  test("in the session's directory, or in workdir, relative to it", async () => {
    mkdirSync(join(home, "sub dir"), { recursive: true })
    expect((await bash("pwd")).metadata["output"]).toBe(`${home}\n`)
    expect((await bash("pwd", { workdir: "sub dir" })).metadata["output"]).toBe(`${home}/sub dir\n`)
    expect((await bash("pwd", { workdir: "/" })).metadata["output"]).toBe("/\n")
  })

  test("a workdir that is missing, or a file, is a failure, and nothing is asked", async () => {
    writeFileSync(join(home, "file"), "")
    for (const workdir of ["absent", "file"]) {
      const context = toolContext(home)
      expect(await tool.execute({ command: "true", workdir }, context)).toMatchObject({
        ok: false,
        error: { kind: "missing" },
      })
      expect(context.asks).toEqual([])
    }
  })

  test("without model keys, without an input, without what an earlier call exported", async () => {
    await bash("export LEFT=behind; cd /")
    expect((await bash("echo [$ANTHROPIC_API_KEY$LEFT] $GH_TOKEN; cat; pwd")).metadata["output"]).toBe(
      `[] gh\n${home}\n`,
    )
  })

  test("progress shows the output while it runs", async () => {
    const context = toolContext(home)
    await bash("echo one; echo two", {}, context)
    expect(context.shown.at(-1)).toEqual({ title: "echo one; echo two", metadata: { output: "one\ntwo\n" } })
  })

  test("a command that is too long, or holds a NUL, is a failure", async () => {
    expect(await tool.execute({ command: `echo ${"x".repeat(3_000_000)}` }, toolContext(home))).toMatchObject({
      ok: false,
      error: { kind: "io" },
    })
    expect(await tool.execute({ command: "echo \0" }, toolContext(home))).toMatchObject({
      ok: false,
      error: { kind: "io" },
    })
  })
})

describe("permission", () => {
  test("every ask of the plan is asked before anything runs; a refusal is passed on", async () => {
    const marker = join(home, "ran")
    const context = toolContext(home, { deny: ["external_directory"] })
    const result = await tool.execute({ command: `touch ${marker}` }, context)
    expect(result).toEqual({ ok: false, error: { kind: "denied", message: "not allowed" } })
    expect(context.asks.map((ask) => ask.permission)).toEqual(["bash", "external_directory"])
    expect(planned.at(-1)).toEqual({ command: `touch ${marker}`, cwd: home })
    expect(existsSync(marker)).toBe(false)
  })
})

describe("what it changes in files", () => {
  const looks: string[] = []
  const watched = createBashTool({
    supervisor,
    output: createOutput({ directory: spills, clock: systemClock, log: silentLog }),
    shell: () => findShell(env),
    plan: (command) => ({ asks: [{ permission: "bash", patterns: [command], always: [] }], quiet: command === "true" }),
    journal: {
      begin: async ({ callID }) => {
        looks.push(`before ${callID}`)
        if (existsSync(join(home, "full"))) return err({ kind: "io", message: "the disk is full" })
        return ok({
          finish: async () => {
            looks.push(existsSync(join(home, "made")) ? "after, made" : "after")
            return { files: 1, uncovered: [] }
          },
        })
      },
    },
  })
  const run = async (command: string, context = toolContext(home)) => {
    looks.length = 0
    const done = await watched.execute({ command }, context)
    return { looks: [...looks], shown: done.ok ? done.value.metadata : done.error.message }
  }

  test("is looked for before it and after, once the user has allowed it", async () => {
    const ran = await run(`touch ${home}/made`)
    expect(ran.looks).toEqual(["before call_test", "after, made"])
    expect(ran.shown).toMatchObject({ journal: { files: 1 } })
    const denied = toolContext(home, { deny: ["bash"] })
    expect(await run("touch x", denied)).toEqual({ looks: [], shown: "not allowed" })
  })

  test("is not looked for where there can be nothing, and nothing runs when it cannot be kept", async () => {
    expect(await run("true")).toEqual({ looks: [], shown: expect.objectContaining({ quiet: true }) })
    writeFileSync(join(home, "full"), "")
    expect((await run(`touch ${home}/never`)).shown).toBe("the disk is full")
    expect(existsSync(join(home, "never"))).toBe(false)
    rmSync(join(home, "full"))
  })

  test("is looked for after a timeout and an interruption too", async () => {
    const done = await watched.execute({ command: "sleep 1000", timeout: 50 }, toolContext(home))
    expect(done.ok && done.value.metadata["journal"]).toMatchObject({ files: 1 })
    const turn = new TaskGroup()
    const context = toolContext(home, { signal: turn.signal, onProgress: () => turn.cancel(new Interrupted()) })
    looks.length = 0
    expect(await watched.execute({ command: "echo go; sleep 1000" }, context).catch(() => "interrupted")).toBe(
      "interrupted",
    )
    expect(looks).toEqual(["before call_test", "after, made"])
  })
})

describe("the end", () => {
  test("a timeout keeps the output, says so, and ends everything", async () => {
    const result = await bash("echo pid=$$; sleep 1000 & echo pid=$!; wait", { timeout: 150 })
    expect(result.output).toEndWith("[stopped after 150 ms (timeout), with everything it had started]")
    expect(result.metadata["exit"]).toBeNull()
    const pids = [...result.output.matchAll(/pid=(\d+)/g)].map((hit) => Number(hit[1]))
    expect(pids).toHaveLength(2)
    expect(pids.filter(lives)).toEqual([])
  })

  test("an interruption rejects with its reason after all are dead, and leaves no file", async () => {
    const turn = new TaskGroup()
    const reason = new Interrupted("the user stopped it")
    const before = readdirSync(spills).length
    const context = toolContext(home, {
      signal: turn.signal,
      onProgress: () => /ready/.test(String(context.shown.at(-1)?.metadata?.["output"])) && turn.cancel(reason),
    })
    const outcome = await bash(
      "seq 1 5000; sleep 1000 & echo pid=$!; echo pid=$$; echo ready; wait",
      {},
      context,
    ).catch((error: unknown) => error)
    expect(outcome).toBe(reason)
    expect(context.shown.at(-1)?.metadata).toEqual({ journal: { files: 0, uncovered: [] } })
    const seen = String(context.shown.at(-2)?.metadata?.["output"])
    const pids = [...seen.matchAll(/pid=(\d+)/g)].map((hit) => Number(hit[1]))
    expect(pids).toHaveLength(2)
    expect(pids.filter(lives)).toEqual([])
    expect(readdirSync(spills)).toHaveLength(before)
  })

  test("a background process is stopped with the call, and the model is told", async () => {
    const result = await bash("sleep 1000 & echo $!")
    expect(result.output).toEndWith("[exit code 0]\n[what it left running in the background was stopped]")
    expect(lives(Number.parseInt(result.output, 10))).toBe(false)
  })
})

describe("the parameters", () => {
  test("bound the timeout and need a command", () => {
    const ok = (value: unknown) => tool.parameters.safeParse(value).success
    expect(ok({ command: "x", timeout: 600_000 })).toBe(true)
    expect(ok({ command: "x", timeout: 600_001 })).toBe(false)
    expect(ok({ command: "x", timeout: 0 })).toBe(false)
    expect(ok({ command: "" })).toBe(false)
  })
})

describe("the preview", () => {
  test("is the end of the output, from the beginning of a line, and bounded", () => {
    const preview = createPreview()
    for (let i = 0; i < 20_000; i++) preview.push(new TextEncoder().encode(`line ${i}\n`))
    expect(preview.text().length).toBeLessThan(16_400)
    expect(preview.text()).toMatch(/^…\nline \d+\n/)
    expect(preview.text()).toEndWith("line 19999\n")
  })

  test("puts characters together that came in pieces", () => {
    const preview = createPreview()
    for (const byte of new TextEncoder().encode("a€😀")) preview.push(new Uint8Array([byte]))
    expect(preview.text()).toBe("a€😀")
  })
})

import { describe, expect, test } from "bun:test"
import path from "node:path"
import { text } from "../packages/testkit/src/scenario.ts"
import { startModelServer } from "../packages/testkit/src/server.ts"
import { tempWorkspace, type TempWorkspace } from "../packages/testkit/src/workspace.ts"

async function start(space: TempWorkspace, args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "start.ts"), ...args], {
    // As npm does it: in the repository, with the caller's directory in a variable.
    cwd: path.join(import.meta.dir, ".."),
    env: { ...space.env, INIT_CWD: space.dir, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

describe("npm start", () => {
  test("runs the tour on a copy, and shows what came of it", async () => {
    await using space = await tempWorkspace()
    const { out, err, code } = await start(space, [])
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("demo/tour, agent build, ses_") })
    const copy = /The project is a copy: (\S+)/.exec(out)?.[1] ?? ""
    expect(copy).toStartWith(space.env["TMPDIR"] ?? "none")
    expect(out).toContain("What changed")
    expect(out).toMatch(/^\+.*\n/m)
    expect(out).toMatch(/Tokens: \d+ in, \d+ out/)
    expect(out).toContain("ANTHROPIC_API_KEY")
    const show = /^ {2}(.* session show ses_\w+)$/m.exec(out)?.[1] ?? "false"
    const shown = Bun.spawn(["sh", "-c", show], { cwd: space.dir, env: space.env, stdin: "ignore", stdout: "pipe" })
    expect(await shown.stdout.text()).toContain("npm test")
    const tests = Bun.spawn(["npm", "test"], {
      cwd: copy,
      env: space.env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    })
    expect(await tests.exited).toBe(0)
  })

  test("with a prompt and no key says which variables would do", async () => {
    await using space = await tempWorkspace()
    const { out, err, code } = await start(space, ["explain this"])
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain("ANTHROPIC_API_KEY")
  })

  test("with a prompt runs it where it was called, and ends with its exit code", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([[text("Hello.")]])
    const options = { apiKey: "k", baseURL: server.baseURL("chat") }
    const provider = { scripted: { npm: "@ai-sdk/openai-compatible", options, models: { model: {} } } }
    const config = JSON.stringify({ model: "scripted/model", provider })
    const run = await start(space, ["say", "hello"], { CAIRN_CONFIG_CONTENT: config })
    expect([run.code, run.out]).toEqual([0, "Hello.\n"])
    expect(server.requests[0]?.text).toContain(space.dir)
  })
})

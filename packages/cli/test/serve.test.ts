import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { hang, text } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { type TempWorkspace, tempWorkspace } from "@cairn/testkit/workspace"
import { cairn, type SpawnOptions, startCairn } from "./run-cairn.ts"

const stateOf = (space: TempWorkspace) => join(space.env["XDG_STATE_HOME"] ?? join(space.home, ".local/state"), "cairn")

/** A server on a port of its own, once it says where it is. */
async function serving(space: TempWorkspace, argv: readonly string[] = [], options: SpawnOptions = {}) {
  const run = startCairn(space, ["serve", "--port", "0", ...argv], options)
  const early = run.ended.then(({ code, err }) => `it ended with ${code}: ${err}`)
  const first = await Promise.any([run.printed(/^opencode server listening on (\S+)$/m), early])
  if (typeof first === "string") throw new Error(first)
  const url = first[1] ?? ""
  const token = async () => (await readFile(join(stateOf(space), "token"), "utf8")).trim()
  const call = async (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, url), { headers: { authorization: `Bearer ${await token()}` }, ...init })
  return { run, url, token, call }
}

test("serves until it is told to end, and is found meanwhile by a file that only the user can read", async () => {
  await using space = await tempWorkspace()
  const { run, url, token, call } = await serving(space)
  const file = join(stateOf(space), "server.json")
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ url, pid: run.child.pid, secured: true })
  for (const name of [file, join(stateOf(space), "token")]) expect((await stat(name)).mode & 0o777).toBe(0o600)
  expect((await fetch(new URL("/session", url))).status).toBe(401)
  expect(await (await call("/session")).json()).toEqual([])
  const printed = await cairn(space, ["serve", "--print-token"])
  expect([printed.code, printed.out]).toEqual([0, `${await token()}\n`])
  run.child.kill("SIGTERM")
  const { code, out, err } = await run.ended
  expect([code, err]).toEqual([0, ""])
  expect(out).toBe(`cairn server listening on ${url}\nopencode server listening on ${url}\n`)
  expect((await readdir(stateOf(space))).toSorted()).not.toContain("server.json")
})

test("a turn that runs when the server is ended is recorded as interrupted, and its caller is answered", async () => {
  await using space = await tempWorkspace()
  await using server = await startModelServer([[hang()]])
  const { run, call } = await serving(space, [], { server })
  const session = (await (await call("/session", { method: "POST", headers: await bearer(space) })).json()) as {
    id: string
  }
  const answer = call(`/session/${session.id}/message`, {
    method: "POST",
    headers: { ...(await bearer(space)), "content-type": "application/json" },
    body: JSON.stringify({ parts: [{ type: "text", text: "go" }] }),
  })
  await server.received(0)
  run.child.kill("SIGTERM")
  const { info } = (await (await answer).json()) as { info: Record<string, unknown> }
  expect(info).toMatchObject({ role: "assistant", error: { name: "MessageAbortedError" } })
  expect((await run.ended).code).toBe(0)
  const shown = await cairn(space, ["session", "show", session.id, "--format", "json"])
  expect(shown.out).toContain("MessageAbortedError")
})

const bearer = async (space: TempWorkspace) => ({
  authorization: `Bearer ${(await readFile(join(stateOf(space), "token"), "utf8")).trim()}`,
})

test("a password opens it too, by basic authentication with any name", async () => {
  await using space = await tempWorkspace()
  const { run, url } = await serving(space, [], { env: { OPENCODE_SERVER_PASSWORD: "open sesame" } })
  const as = async (pair: string) =>
    (await fetch(new URL("/session", url), { headers: { authorization: `Basic ${btoa(pair)}` } })).status
  expect([await as("opencode:open sesame"), await as("anybody:open sesame"), await as("opencode:no")]).toEqual([
    200, 200, 401,
  ])
  run.child.kill("SIGINT")
  expect((await run.ended).code).toBe(0)
})

test("without a token only where that was asked for, and it says so", async () => {
  await using space = await tempWorkspace()
  const { run, url } = await serving(space, ["--insecure-loopback"])
  expect((await fetch(new URL("/session", url))).status).toBe(200)
  expect((await fetch(new URL("/session", url), { headers: { host: "evil.example" } })).status).toBe(403)
  expect((await fetch(new URL("/session", url), { headers: { origin: "https://evil.example" } })).status).toBe(403)
  run.child.kill("SIGTERM")
  expect((await run.ended).err).toContain("no token is asked for")
})

test.each([
  [["--hostname", "0.0.0.0"], {}],
  [["--hostname", "0.0.0.0", "--insecure-loopback"], { CAIRN_SERVER_PASSWORD: "x" }],
])("%j is refused: others could come in", async (argv, env) => {
  await using space = await tempWorkspace()
  const { code, out, err } = await cairn(space, ["serve", "--port", "0", ...argv], { env })
  expect([code, out]).toEqual([2, ""])
  expect(err).toContain("CAIRN_SERVER_PASSWORD")
})

test("a port that is taken is a mistake when it was named", async () => {
  await using space = await tempWorkspace()
  const { run, url } = await serving(space)
  const { code, err } = await cairn(space, ["serve", "--port", new URL(url).port])
  expect(code).toBe(2)
  expect(err).toContain("cannot listen on 127.0.0.1:")
  run.child.kill("SIGTERM")
  await run.ended
})

test("nothing of the server is loaded for a run", async () => {
  await using space = await tempWorkspace()
  await using server = await startModelServer([[text("hi")]])
  // What is loaded is looked at in the process itself, after the run.
  const probe = join(space.dir, "probe.ts")
  const main = join(import.meta.dir, "../src")
  await space.write(
    "probe.ts",
    `import { runCli } from ${JSON.stringify(`${main}/cli.ts`)}
     import { processIo } from ${JSON.stringify(`${main}/process-io.ts`)}
     const code = await runCli(processIo(), ["run", "say hi"])
     const loaded = Object.keys(require.cache).filter((path) => /packages\\/server|node_modules\\/hono/.test(path))
     process.stdout.write(JSON.stringify({ code, loaded, some: Object.keys(require.cache).length > 20 }))`,
  )
  const child = Bun.spawn([process.execPath, probe], {
    cwd: space.dir,
    env: { ...space.env, CAIRN_CONFIG_CONTENT: JSON.stringify(modelConfig(server.baseURL("chat"))) },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect([out.slice(out.indexOf("{")), err]).toEqual([
    JSON.stringify({ code: 0, loaded: [], some: true }),
    expect.anything(),
  ])
})

const modelConfig = (baseURL: string) => ({
  model: "scripted/model",
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      options: { apiKey: "test-key", baseURL },
      models: { model: { limit: { context: 128_000, output: 8_000 } } },
    },
  },
})

import { expect, test } from "bun:test"
import { existsSync, truncateSync } from "node:fs"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { startCairn } from "./run-cairn.ts"

interface Asked {
  readonly request: string
  readonly answer: Record<string, unknown>
}

const bad = { error: { kind: "bad_request", message: expect.any(String) } }

/** Requests of every kind, good and bad, with what has to come back. */
function asked(n: number): Asked[] {
  const of = (probe: string, request: Record<string, unknown>, answer: Record<string, unknown>): Asked => ({
    request: JSON.stringify({ n, probe, ...request }),
    answer: { n, ...answer },
  })
  const patchText = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"
  return [
    of("edit", { content: `line ${n}\n`, oldString: `${n}`, newString: "x" }, { content: "line x\n" }),
    of("patch", { files: { a: "x\n" }, patchText }, { files: { a: "y\n" } }),
    of(
      "rule",
      { key: "bash", pattern: "git push", permission: { bash: { "*": "ask", "git *": "deny" } } },
      { action: "deny" },
    ),
    of("disabled", { tools: ["bash", "read"], permission: { bash: "deny" } }, { disabled: ["bash"] }),
    of("wildcard", { text: `x${n}`, pattern: "x?*" }, { match: true }),
    of("glob", { pattern: "**/*.ts", path: `src/${n}.ts` }, { match: true }),
    of("ignore", { files: { ".gitignore": "*.log" }, paths: [`${n}.log`, "b"] }, { ignored: [`${n}.log`] }),
    of("error", { providerID: "p", status: 529 }, { class: "retryable" }),
    of("nothing", {}, { error: { kind: "unknown_probe", message: expect.any(String) } }),
    of("glob", { pattern: "*" }, bad),
    { request: `{"n":${n},`, answer: { n: null, ...bad } },
  ]
}

test("hundreds of mixed lines: an answer each, in order, and nothing on disk", async () => {
  await using space = await tempWorkspace()
  const all = Array.from({ length: 40 }, (_, index) => asked(index)).flat()
  const input = `${all.map(({ request }) => request).join("\n")}\n`
  const { out, err, code } = await startCairn(space, ["debug", "probe"], { stdin: new Blob([input]) }).ended
  expect([code, err]).toEqual([0, ""])
  const answers = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers).toEqual(all.map(({ answer }) => answer))
  for (const name of ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    const directory = space.env[name]
    if (directory !== undefined) expect(existsSync(`${directory}/cairn`)).toBe(false)
  }
})

test("answers come as the lines do, also in a directory whose config is broken", async () => {
  await using space = await tempWorkspace({ files: { "cairn.json": "{ broken" } })
  const probe = startCairn(space, ["debug", "probe"], { stdin: "pipe", env: { CAIRN_CONFIG_CONTENT: "{ broken" } })
  const sink = probe.child.stdin
  if (typeof sink !== "object" || !("write" in sink)) throw new Error("stdin is no pipe")
  await sink.write('{"n":1,"probe":"wildcard","text":"a","pattern":"a"}\n')
  await sink.flush()
  await probe.printed(/"n":1,"match":true/)
  await probe.answer('{"n":2,"probe":"wildcard","text":"a","pattern":"b"}')
  expect(await probe.ended).toMatchObject({ code: 0, out: '{"n":1,"match":true}\n{"n":2,"match":false}\n', err: "" })
})

test("a line of 50 MB, one beyond the limit, and bytes that are no text are answered", async () => {
  await using space = await tempWorkspace()
  const content = `${"x".repeat(50 * 1024 * 1024)}needle`
  const edit = JSON.stringify({ n: 1, probe: "edit", content, oldString: "needle", newString: "pin" })
  const beyond = new Uint8Array(130 * 1024 * 1024).fill(97)
  const last = '{"n":2,"probe":"glob","pattern":"*","path":"a"}'
  const stdin = new Blob([edit, "\n", beyond, "\n", new Uint8Array([0xff, 0xfe, 0x0a]), last])
  const { out, code } = await startCairn(space, ["debug", "probe"], { stdin }).ended
  const lines = out.trimEnd().split("\n")
  expect(code).toBe(0)
  expect(lines[0]?.endsWith('xxxpin"}')).toBe(true)
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ n: null, error: { kind: "bad_request" } })
  expect(JSON.parse(lines[2] ?? "")).toMatchObject({ n: null, error: { kind: "bad_request" } })
  expect(lines.slice(3)).toEqual(['{"n":2,"match":true}'])
})

const signals = [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const

test.each(signals)("%s ends it between two lines of a file that is always ready", async (signal, code) => {
  await using space = await tempWorkspace()
  const request = '{"n":1,"probe":"wildcard","text":"a","pattern":"a"}\n'
  await space.write("requests", request.repeat(600_000))
  const probe = startCairn(space, ["debug", "probe"], { stdin: Bun.file(`${space.dir}/requests`) })
  await probe.printed(/match/)
  probe.child.kill(signal)
  const ended = await probe.ended
  expect([ended.code, ended.err]).toEqual([code, ""])
  expect(ended.out).toEndWith('{"n":1,"match":true}\n')
  expect(ended.out.length).toBeLessThan('{"n":1,"match":true}\n'.length * 600_000)
})

test("a line without an end is interrupted too", async () => {
  await using space = await tempWorkspace()
  await space.write("requests", '{"n":1,"probe":"wildcard","text":"a","pattern":"a"}\n')
  // A hole, which takes no room: like /dev/zero, but with something before it that tells when we are in it.
  truncateSync(`${space.dir}/requests`, 2 ** 40)
  const probe = startCairn(space, ["debug", "probe"], { stdin: Bun.file(`${space.dir}/requests`) })
  await probe.printed(/match/)
  probe.child.kill("SIGTERM")
  expect(await probe.ended).toMatchObject({ code: 143, out: '{"n":1,"match":true}\n', err: "" })
})

import { describe, expect, test } from "bun:test"
import { checkBans } from "./bans.ts"

const product = "packages/core/src/session/turn.ts"

function failures(text: string, path = product): string[] {
  return checkBans([{ path, text }]).failures
}

describe("what code must not do", () => {
  const spawns = [
    `Bun.spawn(["git"])`,
    `Bun.spawnSync(["git"])`,
    "await Bun.$`git status`",
    "Bun\n  .spawn(x)",
    `const { spawn } = Bun`,
    `import { spawn } from "bun"`,
    `import { type Server, $ } from "bun"`,
    `import { exec } from "node:child_process"`,
    `import type { ChildProcess } from 'child_process'`,
    `await import("node:child_process")`,
    `const runtime = Bun;`,
  ]
  for (const text of spawns) {
    test(`spawns: ${text}`, () => expect(failures(text).join()).toContain("spawns a process"))
  }

  const requests = [
    `fetch("http://x")`,
    `await fetch (url)`,
    `globalThis.fetch(url)`,
    `send(globalThis.fetch)`,
    `Bun.fetch(url)`,
    `Bun.connect({})`,
    `new WebSocket(url)`,
    `new EventSource(url)`,
    `import http from "node:http"`,
    `import { connect } from "net"`,
    `import { fetch } from "undici"`,
    `const tls = await import("node:tls")`,
  ]
  for (const text of requests) {
    test(`reaches out: ${text}`, () => expect(failures(text).join()).toContain("reaches the network"))
  }

  const aborts = [
    `new AbortController()`,
    `AbortSignal.timeout(5)`,
    `AbortSignal.any([a, b])`,
    `Promise.race([a, b])`,
    `signal.addEventListener("abort", run)`,
    `signal.addEventListener(\n  'abort', run)`,
    `signal.onabort = run`,
  ]
  for (const text of aborts) {
    test(`aborts by hand: ${text}`, () => expect(failures(text).join()).toContain("handles abortion by hand"))
    test(`a test too: ${text}`, () => expect(failures(text, "packages/core/src/a.test.ts")).toHaveLength(1))
  }

  test("draws all the time", () => {
    expect(failures("renderer.requestLive()", "packages/tui/src/view/footer.tsx").join()).toContain(
      "30 frames a second",
    )
    expect(failures("// never requestLive()", "packages/tui/src/view/footer.tsx")).toEqual([])
  })

  test("writes into the frame of the terminal interface", () => {
    const text = "process.stdout.write(text)"
    expect(failures(text, "packages/tui/src/view/footer.tsx").join()).toContain("writes into the frame")
    expect(failures(text, "packages/tui/src/terminal/title.ts")).toEqual([])
    expect(failures(text, "packages/cli/src/process-io.ts")).toEqual([])
  })

  const silences = [`work().catch(() => {})`, `work().catch((error) => {})`, `work()\n  .catch(_ => { })`]
  for (const text of silences) {
    test(`swallows: ${text}`, () => expect(failures(text).join()).toContain("swallows a rejection"))
  }

  for (const word of ["TODO", "FIXME", "XXX"]) {
    test(`leaves ${word}`, () => {
      expect(failures(`// ${word}: later`).join()).toContain("leaves work in a comment")
      expect(failures(`/**\n * ${word}\n */`)).toEqual([
        `${product}:2 \`${word}\` leaves work in a comment: do it, or open an issue`,
      ])
    })
  }

  for (const text of [`test.only("a", run)`, `describe.skip("a", run)`, `it.todo("a")`]) {
    test(`switches tests off: ${text}`, () => expect(failures(text, "packages/core/src/a.test.ts")).toHaveLength(1))
  }
})

describe("what looks like it and is fine", () => {
  const fine = [
    `// Bun.spawn is forbidden here, and so is fetch()`,
    `const text = "Bun.spawn(x) and fetch(y) and new AbortController()"`,
    "const text = `Promise.race`",
    `const text = 'signal.addEventListener("abort", run)'`,
    `const text = "from 'node:http'"`,
    `net.fetch(url)`,
    `options.fetch(url)`,
    `prefetch(url)`,
    `this.#fetch(url)`,
    `Bun.serve({ port: 0, async fetch(request) { return answer(request) } })`,
    `Bun.serve({\n  fetch(request: Request): Response {\n    return answer(request)\n  },\n})`,
    `type Fetch = typeof fetch`,
    `type Fetch = typeof globalThis.fetch`,
    `Promise.all([a, b])`,
    `signal.addEventListener("close", run)`,
    `AbortSignal.abort()`,
    `import type { AbortSignal } from "x"`,
    `work().catch((error) => report(error))`,
    `// a todo list`,
    `const name = "TODO"`,
    `test.skipIf(!found)("a", run)`,
    `const each = found ? test : test.skip`,
    `latest.skip(1)`,
    `import { file } from "bun"`,
    `Bun.spawnBudget`,
  ]
  for (const text of fine) test(text, () => expect(failures(text)).toEqual([]))
})

describe("where it is allowed", () => {
  const places: readonly (readonly [string, string])[] = [
    [`Bun.spawn(x)`, "packages/core/src/process/supervisor.ts"],
    [`Bun.spawn(x)`, "packages/sdk/src/server.ts"],
    [`Bun.spawn(x)`, "packages/tui/src/input/editor.ts"],
    [`Bun.spawn(x)`, "packages/cli/test/run.ts"],
    [`Bun.spawn(x)`, "packages/core/src/store/lease.test.ts"],
    [`Bun.spawn(x)`, "script/check.ts"],
    [`fetch(x)`, "packages/core/src/net/net.ts"],
    [`fetch(x)`, "packages/sdk/src/client.ts"],
    [`fetch(x)`, "packages/testkit/src/server.ts"],
    [`fetch(x)`, "packages/core/test/scenario/loop.test.ts"],
    [`new AbortController()`, "packages/kernel/src/task.ts"],
    [`Promise.race(x)`, "packages/web/src/app.ts"],
  ]
  for (const [text, path] of places) test(`${text} in ${path}`, () => expect(failures(text, path)).toEqual([]))

  const refused: readonly (readonly [string, string])[] = [
    [`Bun.spawn(x)`, "packages/sdk/src/client.ts"],
    [`Bun.spawn(x)`, "packages/core/src/processes/a.ts"],
    [`fetch(x)`, "packages/cli/src/main.ts"],
    [`fetch(x)`, "packages/core/src/network.ts"],
    [`new AbortController()`, "packages/testkit/src/server.ts"],
  ]
  for (const [text, path] of refused) test(`${text} not in ${path}`, () => expect(failures(text, path)).toHaveLength(1))
})

describe("names", () => {
  for (const name of [
    "utils.ts",
    "path-utils.ts",
    "helpers/a.ts",
    "session-manager.ts",
    "v2/a.ts",
    "legacy.md",
    "turn-next.ts",
    "index.ts",
  ]) {
    test(`${name} is refused`, () => expect(failures("", `packages/core/src/${name}`)).toHaveLength(1))
  }
  for (const name of ["next-step.ts", "utility-room.ts", "revert.ts", "version.ts", "web-view.ts"]) {
    test(`${name} is fine`, () => expect(failures("", `packages/core/src/${name}`)).toEqual([]))
  }
})

test("a lockfile must not name hosts", () => {
  const text = `{\n  "a": ["a@1.0.0", "https://registry.example/a.tgz", {}],\n}`
  expect(checkBans([], { path: "bun.lock", text }).failures).toEqual([
    "bun.lock:2 names a host: install without a registry of your own",
  ])
  expect(checkBans([], { path: "bun.lock", text: `{ "a": ["a@1.0.0", "", {}] }` }).failures).toEqual([])
})

test("findings come with path and line, sorted", () => {
  const files = [
    { path: "packages/core/src/b.ts", text: "\n\nfetch(x)" },
    { path: "packages/core/src/a.ts", text: "fetch(x)\nPromise.race(x)" },
  ]
  expect(checkBans(files).failures.map((line) => line.split(" ")[0])).toEqual([
    "packages/core/src/a.ts:1",
    "packages/core/src/a.ts:2",
    "packages/core/src/b.ts:3",
  ])
})

import { mkdir, rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import type { MessageWithParts } from "@cairn/schema/message"
import { systemText, toolResults } from "@cairn/testkit/request"
import { text, toolCall } from "@cairn/testkit/scenario"
import { createEngine } from "../../src/app.ts"
import { type Bench, bench, problemsOf } from "./harness.ts"
import { expectPrefixes } from "./prefix.ts"

const userConfig = ".config/cairn/cairn.json"
/** Where each block of instructions stands, in the order of the prompt. */
const pathsIn = (system: string): string[] =>
  [...system.matchAll(/<(?:project|user)-instructions path="([^"]+)">/g)].map((match) => match[1]!)
const shown = (made: Bench, system: string): string[] =>
  pathsIn(system).map((path) => path.replace(`${made.workspace.dir}/`, "").replace(`${made.workspace.home}/`, "~/"))
const read = (filePath: string, more: Record<string, unknown> = {}) => toolCall("read", { filePath, ...more })
const loadedOf = (messages: readonly MessageWithParts[]): unknown[] =>
  messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state.metadata.loaded] : []))

test("root to directory, the user's own, then what the config names, each file once", async () => {
  await using made = await bench([[text("1")], [text("2")]], {
    files: {
      "AGENTS.md": "root",
      "CLAUDE.md": "not this one",
      "pkg/AGENTS.md": "package",
      "docs/b.md": "b",
      "docs/a.md": "a",
      "docs/node_modules/x/c.md": "not ours",
      "cairn.json": JSON.stringify({ instructions: ["docs/**/*.md", "AGENTS.md"] }),
    },
  })
  await made.workspace.write(join(made.workspace.home, ".claude/CLAUDE.md"), "global")
  await made.workspace.write(join(made.workspace.home, "mine/rules.md"), "rules")
  await made.workspace.write(join(made.workspace.home, userConfig), JSON.stringify({ instructions: ["~/mine/*.md"] }))
  const engine = await createEngine({ ...made.options, directory: join(made.workspace.dir, "pkg") })
  if (!engine.ok) throw new Error(engine.error.message)
  await using below = engine.value
  const session = await below.createSession({})
  const model = { providerID: "test", modelID: "scripted" }
  await below.prompt({ sessionID: session.id, parts: [{ type: "text", text: "hi" }], model, asks: "deny" })
  const order = ["AGENTS.md", "pkg/AGENTS.md", "~/.claude/CLAUDE.md", "~/mine/rules.md", "docs/a.md", "docs/b.md"]
  expect(shown(made, systemText(made.server.requests[0]!))).toEqual(order)
})

test("CLAUDE.md where there is no AGENTS.md", async () => {
  await using made = await bench([[text("1")]], { files: { "CLAUDE.md": "claude's", "CONTEXT.md": "old" } })
  await made.prompt("hi")
  const system = systemText(made.server.requests[0]!)
  expect(shown(made, system)).toEqual(["CLAUDE.md"])
  expect(system).toContain("Notes that come with the project.")
})

test("an untrusted project names nothing outside of itself, not by a link either, and no address", async () => {
  await using made = await bench([[text("1")], [text("2")]], {
    files: {
      "cairn.json": JSON.stringify({ instructions: ["docs/*.md", "../home/secret.md", "https://127.0.0.1:1/x.md"] }),
      "docs/good.md": "good",
    },
  })
  const secret = join(made.workspace.home, "secret.md")
  await made.workspace.write(secret, "SECRET")
  await symlink(secret, join(made.workspace.dir, "docs/link.md"))
  await made.restart()
  await made.prompt("hi")
  const system = systemText(made.server.requests[0]!)
  expect(shown(made, system)).toEqual(["docs/good.md"])
  expect(system).not.toContain("SECRET")
})

test("an address of the user's config is fetched, kept, and offline the copy serves", async () => {
  const asked: string[] = []
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(new URL(request.url).pathname)
      return new Response("Use tabs, says the team.")
    },
  })
  const address = `http://127.0.0.1:${site.port}/team.md`
  const url = `${address}?token=hidden`
  await using made = await bench([[text("1")], [text("2")]], { config: { instructions: [url] } })
  await made.prompt("hi")
  await site.stop(true)
  await made.restart()
  await made.prompt("hi")
  for (const request of made.server.requests) {
    expect(systemText(request)).toContain("Use tabs, says the team.")
    expect(pathsIn(systemText(request))).toEqual([address])
    expect(request.text).not.toContain("hidden")
  }
  expect(made.server.requests).toHaveLength(2)
  expect(asked).toEqual(["/team.md"])
})

test("a trusted project may name files elsewhere, but no address", async () => {
  let asked = 0
  await using site = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(`asked ${++asked}`) })
  await using made = await bench([[text("1")]], {
    files: { "cairn.json": JSON.stringify({ instructions: ["~/shared.md", `http://127.0.0.1:${site.port}/x`] }) },
  })
  await made.workspace.write(join(made.workspace.home, "shared.md"), "shared")
  const engine = await createEngine({ ...made.options, trust: true })
  if (!engine.ok) throw new Error(engine.error.message)
  await using trusting = engine.value
  const session = await trusting.createSession({})
  const model = { providerID: "test", modelID: "scripted" }
  await trusting.prompt({ sessionID: session.id, parts: [{ type: "text", text: "hi" }], model, asks: "deny" })
  expect(shown(made, systemText(made.server.requests[0]!))).toEqual(["~/shared.md"])
  expect(asked).toBe(0)
})

test("a nested file joins the first read below it, once, also when two reads run side by side and after a restart", async () => {
  await using made = await bench(
    [
      [read("pkg/a/one.ts"), read("pkg/a/two.ts")],
      [read("pkg/a/one.ts"), read("other/three.ts")],
      [text("Seen.")],
      [read("pkg/a/two.ts"), read("last/four.ts")],
      [text("Again.")],
    ],
    {
      files: {
        "AGENTS.md": "root",
        "pkg/AGENTS.md": "of the package",
        "pkg/CLAUDE.md": "not this one",
        "pkg/a/CLAUDE.md": "of a",
        "pkg/a/one.ts": "1",
        "pkg/a/two.ts": "2",
        "other/AGENTS.md": "of the other",
        "other/three.ts": "3",
        "last/AGENTS.md": "of the last",
        "last/four.ts": "4",
      },
    },
  )
  const { sessionID } = await made.prompt("read")
  await made.restart()
  await made.prompt("read again", { sessionID })
  expect(problemsOf(made, sessionID)).toEqual([])
  expectPrefixes(made.server.requests.map((request) => request.body))
  const results = toolResults(made.server.requests.at(-1)!).map(({ output }) => output)
  const count = (words: string) => results.filter((output) => output.includes(words)).length
  expect(["of the package", "of a", "of the other", "of the last"].map(count)).toEqual([1, 1, 1, 1])
  expect(count("not this one") + count("root")).toBe(0)
  const first = results.find((output) => output.includes("of a"))!
  expect(first.indexOf("of the package")).toBeLessThan(first.indexOf("of a"))
  const dir = made.workspace.dir
  const loaded = loadedOf(made.engine.messages(sessionID))
  expect(loaded.flat().map(String).toSorted()).toEqual(
    ["last/AGENTS.md", "other/AGENTS.md", "pkg/AGENTS.md", "pkg/a/CLAUDE.md"].map((path) => join(dir, path)),
  )
})

test("changes of the files change nothing of a session that goes on; a new one has them", async () => {
  await using made = await bench([[read("pkg/x.ts")], [text("1")], [read("pkg/x.ts")], [text("2")], [text("3")]], {
    files: { "AGENTS.md": "before", "pkg/AGENTS.md": "nested before", "pkg/x.ts": "1" },
  })
  const { sessionID } = await made.prompt("one")
  await made.workspace.write("AGENTS.md", "after")
  await made.workspace.write("pkg/AGENTS.md", "nested after")
  await made.prompt("two", { sessionID })
  expectPrefixes(made.server.requests.map((request) => request.body))
  expect(made.server.requests[3]!.text).not.toContain("nested after")
  await rm(join(made.workspace.dir, "pkg"), { recursive: true })
  await made.prompt("three")
  expect(systemText(made.server.requests.at(-1)!)).toContain("after")
})

test("a file outside, reached by a link, has no instructions of the project; one inside has those of its real place", async () => {
  await using made = await bench([[read("pkg/out/f.txt"), read("pkg/in/g.txt")], [text("Read.")]], {
    files: { "pkg/AGENTS.md": "of the package", "real/AGENTS.md": "of the real place", "real/g.txt": "g" },
    config: { permission: { external_directory: "allow" } },
  })
  const outside = join(made.workspace.home, "outside")
  await mkdir(outside)
  await made.workspace.write(join(outside, "AGENTS.md"), "of outside")
  await made.workspace.write(join(outside, "f.txt"), "f")
  await symlink(outside, join(made.workspace.dir, "pkg/out"))
  await symlink(join(made.workspace.dir, "real"), join(made.workspace.dir, "pkg/in"))
  await made.prompt("read")
  const [out, inside] = toolResults(made.server.requests[1]!).map(({ output }) => output)
  expect(out).toStartWith("1\tf")
  expect(out).not.toContain("instructions")
  expect(inside).toContain("of the real place")
  expect(inside).not.toContain("of the package")
})

test("instructions that the agent may not read do not join", async () => {
  await using made = await bench([[read("pkg/x.ts")], [text("Read.")]], {
    files: { "pkg/AGENTS.md": "hidden words", "pkg/x.ts": "1" },
    config: { permission: { read: { "*": "allow", "pkg/AGENTS.md": "deny" } } },
  })
  await made.prompt("read")
  expect(made.server.requests[1]!.text).not.toContain("hidden words")
})

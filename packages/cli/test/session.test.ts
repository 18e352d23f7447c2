import { describe, expect, test } from "bun:test"
import { stat } from "node:fs/promises"
import path from "node:path"
import { createEngine } from "@cairn/core/app"
import { Message } from "@cairn/schema/message"
import { Part } from "@cairn/schema/part"
import { Session } from "@cairn/schema/session"
import { gate } from "@cairn/testkit/gate"
import { headers, text, toolCall, waitFor } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace, type TempWorkspace } from "@cairn/testkit/workspace"
import { cairn, startCairn } from "./run-cairn.ts"

const unknown = "ses_000000000000000000000000zz"

/** A workspace with one session that read a file. */
async function spoken(): Promise<AsyncDisposable & { space: TempWorkspace; id: string }> {
  const space = await tempWorkspace({ files: { "notes.txt": "the PRIVATE plan\n" } })
  await using server = await startModelServer([[toolCall("read", { filePath: "notes.txt" })], [text("I read it.")]])
  const run = await cairn(space, ["run", "--format", "json", "--title", "Old title", "read my notes"], { server })
  return { space, id: String(run.result()["sessionID"]), [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() }
}

describe("session export", () => {
  test("is the original's shape, and every value fits the schema", async () => {
    await using made = await spoken()
    const { code, out, err } = await cairn(made.space, ["session", "export", made.id])
    expect([code, err]).toEqual([0, ""])
    const exported: { info: unknown; messages: { info: unknown; parts: unknown[] }[] } = JSON.parse(out)
    expect(Object.keys(exported)).toEqual(["info", "messages"])
    expect(Session.parse(exported.info)).toMatchObject({ id: made.id, title: "Old title" })
    for (const { info, parts } of exported.messages) {
      Message.parse(info)
      for (const part of parts) Part.parse(part)
    }
    expect(exported.messages.length).toBeGreaterThanOrEqual(3)
    expect(out).toContain("the PRIVATE plan")
  })

  test("sanitized has no content of files and no home directory, and still fits the schema", async () => {
    await using made = await spoken()
    for (const format of ["json", "markdown"]) {
      const argv = ["session", "export", "--sanitize", "--format", format, made.id]
      const { code, out } = await cairn(made.space, argv)
      expect(code).toBe(0)
      expect(out).toContain("read my notes")
      expect(out).not.toContain("PRIVATE")
      expect(out).not.toContain(`"${made.space.home}/`)
      if (format !== "json") continue
      const { messages }: { messages: { parts: unknown[] }[] } = JSON.parse(out)
      for (const { parts } of messages) for (const part of parts) Part.parse(part)
    }
  })

  test("as markdown into a new file of the user's own", async () => {
    await using made = await spoken()
    const argv = ["session", "export", made.id, "--format", "markdown", "--output", "out.md"]
    expect(await cairn(made.space, argv)).toMatchObject({ code: 0, out: "", err: "wrote out.md\n" })
    const written = await made.space.read("out.md")
    expect(written).toStartWith("# Old title\n")
    expect(written).toContain("**read notes.txt**")
    expect((await stat(path.join(made.space.dir, "out.md"))).mode & 0o777).toBe(0o600)
    const again = await cairn(made.space, argv)
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining("exists already") })
    expect(await made.space.read("out.md")).toBe(written)
    const nowhere = await cairn(made.space, ["session", "export", made.id, "-o", "none/out.md"])
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining("directory does not exist") })
  })
})

describe("session rename", () => {
  test("changes the title for good", async () => {
    await using made = await spoken()
    const renamed = await cairn(made.space, ["session", "rename", made.id, "A", "new\n title"])
    expect(renamed).toMatchObject({ code: 0, out: `renamed ${made.id}  A new title\n`, err: "" })
    const json = await cairn(made.space, ["session", "rename", made.id, "Last", "--format", "json"])
    expect(Session.parse(JSON.parse(json.out)).title).toBe("Last")
    expect((await cairn(made.space, ["session", "list"])).out).toContain("  Last\n")
    expect((await cairn(made.space, ["debug", "verify"])).code).toBe(0)
  })

  test("refuses an empty title, a very long one, and a missing one", async () => {
    await using space = await tempWorkspace()
    for (const title of [[" "], ["x".repeat(501)], []]) {
      const { code, out, err } = await cairn(space, ["session", "rename", unknown, ...title])
      expect([code, out]).toEqual([2, ""])
      expect(err).toContain("title")
    }
  })
})

describe("session delete", () => {
  test("needs --yes where nobody can be asked", async () => {
    await using made = await spoken()
    const refused = await cairn(made.space, ["session", "delete", made.id])
    expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining("--yes") })
    expect((await cairn(made.space, ["session", "show", made.id])).code).toBe(0)
  })

  test("removes what was said, and says so", async () => {
    await using made = await spoken()
    const deleted = await cairn(made.space, ["session", "delete", "--yes", made.id, made.id])
    expect(deleted).toMatchObject({ code: 0, out: `deleted ${made.id}  Old title\n`, err: "" })
    expect((await cairn(made.space, ["session", "show", made.id])).code).toBe(2)
    expect((await cairn(made.space, ["session", "list", "--format", "json"])).out).toBe("[]\n")
    expect((await cairn(made.space, ["debug", "verify"])).code).toBe(0)
  })

  test("deletes nothing when one id is unknown", async () => {
    await using made = await spoken()
    const refused = await cairn(made.space, ["session", "delete", "--yes", made.id, unknown])
    expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining(unknown) })
    expect((await cairn(made.space, ["session", "show", made.id])).code).toBe(0)
  })

  test("leaves a running session alone and deletes the others", async () => {
    const hold = gate()
    await using made = await spoken()
    await using server = await startModelServer([[headers(), waitFor(hold), text("Done.")]])
    const run = startCairn(made.space, ["run", "--format", "json", "slowly"], { server })
    const running = (await run.printed(/"sessionID":"(ses_\w+)"/))[1] ?? ""
    await server.received(0)
    const argv = ["session", "delete", "--yes", "--format", "json", running, made.id]
    const { code, out, err } = await cairn(made.space, argv)
    expect(code).toBe(2)
    expect(JSON.parse(out)).toEqual({
      deleted: [made.id],
      refused: [{ id: running, message: expect.stringContaining(`pid ${run.child.pid}`) }],
    })
    expect(err).toContain(`pid ${run.child.pid}`)
    hold.open()
    expect(await run.ended).toMatchObject({ code: 0 })
    expect((await cairn(made.space, ["session", "show", running])).code).toBe(0)
  })
})

test.each([["show"], ["export"], ["rename"], ["delete"]])("session %s of an unknown id is exit 2", async (name) => {
  await using space = await tempWorkspace()
  const more = name === "rename" ? ["title"] : name === "delete" ? ["--yes"] : []
  const run = await cairn(space, ["session", name, unknown, ...more])
  expect(run).toMatchObject({ code: 2, out: "", err: expect.stringContaining(`no session ${unknown}`) })
})

describe("session compact", () => {
  test("replaces what was said by a summary, and the next prompt goes on from it", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([
      [text("A long answer. ".repeat(1_000))],
      [text("The summary.")],
      [text("Going on.")],
    ])
    const config = { compaction: { preserve_recent_tokens: 0 } }
    const run = await cairn(space, ["run", "--format", "json", "remember the heliotrope"], { server, config })
    const id = String(run.result()["sessionID"])
    expect(await cairn(space, ["session", "compact", id], { server, config })).toMatchObject({
      code: 0,
      out: `compacted ${id}\n`,
    })
    expect(await cairn(space, ["run", "--session", id, "and now"], { server, config })).toMatchObject({ code: 0 })
    const last = server.requests.at(-1)!.text
    expect(last).toContain("The summary.")
    expect(last).toContain("heliotrope")
    expect(last).not.toContain("A long answer. A long answer.")
    expect(server.unexpected).toEqual([])
  })

  test("of an unknown session is a usage error; of a short one there is nothing to compact, and that is no failure", async () => {
    await using made = await spoken()
    await using server = await startModelServer([])
    expect(await cairn(made.space, ["session", "compact", unknown], { server })).toMatchObject({ code: 2 })
    const nothing = await cairn(made.space, ["session", "compact", made.id], { server })
    expect(nothing).toMatchObject({ code: 0, out: "" })
    expect(nothing.err).toContain("nothing to compact yet")
    const json = await cairn(made.space, ["session", "compact", made.id, "--format", "json"], { server })
    expect(JSON.parse(json.out)).toMatchObject({ exitCode: 0, note: expect.stringContaining("nothing to compact") })
    expect(server.requests).toEqual([])
  })
})

describe("session inbox", () => {
  /** A session with two prompts that were queued when the engine that ran it was closed. */
  async function waiting(): Promise<AsyncDisposable & { space: TempWorkspace; id: string; prompts: string[] }> {
    const space = await tempWorkspace({ files: {} })
    const hold = gate()
    await using server = await startModelServer([[text("One"), waitFor(hold)]])
    const config = {
      provider: {
        test: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: server.baseURL("chat"), apiKey: "k" },
          models: { scripted: {} },
        },
      },
    }
    const env = { ...space.env, CAIRN_CONFIG_CONTENT: JSON.stringify(config) }
    const opened = await createEngine({ directory: space.dir, env, home: space.home, version: "test" })
    if (!opened.ok) throw new Error(opened.error.message)
    const engine = opened.value
    const { id } = await engine.createSession({})
    const say = (words: string) =>
      engine.prompt({
        ...{ sessionID: id, delivery: "queue", asks: "deny", model: { providerID: "test", modelID: "scripted" } },
        parts: [{ type: "text", text: words }],
      })
    const all = ["begin", "first \u001B[31mwaits", "second waits"].map(say)
    const prompts = engine.inbox(id).map((item) => item.id)
    await engine[Symbol.asyncDispose]()
    await Promise.all(all)
    return { space, id, prompts, [Symbol.asyncDispose]: () => space[Symbol.asyncDispose]() }
  }

  test("lists, moves, changes and cancels the prompts that wait", async () => {
    await using made = await waiting()
    const [one = "", two = ""] = made.prompts
    const inbox = (...argv: string[]) => cairn(made.space, ["session", "inbox", made.id, ...argv])
    const listed = await inbox()
    expect(listed).toMatchObject({ code: 0, err: "" })
    expect(listed.out.trimEnd().split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^${one}  queue  .*first.*waits$`)),
      expect.stringMatching(new RegExp(`^${two}  queue  .*second waits$`)),
    ])
    expect(listed.out).not.toContain("\u001B")
    expect((await inbox(two, "--position", "1", "--hold", "--text", "now first")).out).toStartWith(
      `${two}  queue, held`,
    )
    const json = await inbox(one, "--cancel", "--format", "json")
    expect(JSON.parse(json.out)).toMatchObject([{ id: two, hold: true, parts: [{ type: "text", text: "now first" }] }])
    expect(await inbox(one, "--cancel")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("does not wait"),
    })
    expect(await inbox(two, "--cancel")).toMatchObject({ code: 0, out: "", err: "No prompt waits in this session.\n" })
    expect((await cairn(made.space, ["debug", "verify"])).code).toBe(0)
  })

  test("a run answers its own prompt alone, and says what waits on", async () => {
    await using made = await waiting()
    await using server = await startModelServer([[text("Mine.")]])
    const run = await cairn(made.space, ["run", "--session", made.id, "--model", "scripted/model", "next"], { server })
    expect(run).toMatchObject({ code: 0, out: "Mine.\n" })
    expect(run.err).toContain(`2 prompts of this session still waiting: cairn session inbox ${made.id}`)
    expect(server.requests).toHaveLength(1)
    const listed = await cairn(made.space, ["session", "inbox", made.id])
    expect(listed.out.trimEnd().split("\n")).toHaveLength(2)
  })

  test("says what is missing", async () => {
    await using space = await tempWorkspace({ files: {} })
    const inbox = (...argv: string[]) => cairn(space, ["session", "inbox", ...argv])
    expect(await inbox(unknown)).toMatchObject({ code: 2, err: expect.stringContaining(unknown) })
    expect(await inbox(unknown, "--cancel")).toMatchObject({ code: 2, err: expect.stringContaining("name the prompt") })
    expect(await inbox(unknown, "inb_1")).toMatchObject({ code: 2, err: expect.stringContaining("say by a flag") })
  })
})

import { describe, expect, test } from "bun:test"
import { delay, reasoning, text, toolCall, type Scenario } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn, reached, shape, startCairn } from "./run-cairn.ts"

const files = { "src/add.ts": "export const add = (a: number, b: number) => a - b\n", "README.md": "# Adder\n" }

/** Reads, edits, runs a command, answers. */
const fixIt: Scenario = [
  [reasoning("I should look first."), text("Let me look."), toolCall("read", { filePath: "src/add.ts" })],
  [toolCall("edit", { filePath: "src/add.ts", oldString: "a - b", newString: "a + b" })],
  [toolCall("bash", { command: "cat src/add.ts; exit 3" })],
  [text("Fixed: it adds now.", { chunks: 5 })],
]

describe("a run with tools", () => {
  test("in a pipe: the answer on stdout, what happened on stderr, the work done", async () => {
    await using space = await tempWorkspace({ files, git: true })
    await using server = await startModelServer(fixIt)
    const run = await cairn(space, ["run", "fix", "add"], { server })
    expect(run).toMatchObject({ code: 0, out: "Fixed: it adds now.\n" })
    expect(run.err).toContain("Let me look.\n")
    expect(run.err).toContain("read src/add.ts\n")
    expect(run.err).toContain("edit src/add.ts (+1 -1)\n")
    expect(run.err).toContain("$ cat src/add.ts; exit 3\n")
    expect(run.err).toContain("  exit 3\n")
    expect(run.err).toMatch(/^done, 4 steps, .* in.*, .* out/m)
    expect(run.err).not.toMatch(/[\r\u001b]/)
    expect(await space.read("src/add.ts")).toContain("a + b")
    expect(server.unexpected).toEqual([])
  })

  test("as JSON: every line of the schema, texts whole", async () => {
    await using space = await tempWorkspace({ files })
    await using server = await startModelServer(fixIt)
    const run = await cairn(space, ["run", "--format", "json", "--title", "Adder", "fix add"], { server })
    const lines = run.lines()
    expect([run.code, run.err]).toEqual([0, ""])
    expect(lines[0]).toMatchObject({ type: "start", schema: 1 })
    expect(run.result()).toMatchObject({ exitCode: 0, reason: "done", text: "Fixed: it adds now." })
    expect(run.result()["tokens"]).toMatchObject({ input: 400, output: 80 })
    expect(lines.filter((line) => line.type === "start" || line.type === "result")).toHaveLength(2)
    expect(shape(lines)).not.toContain("message.part.delta")
    const texts = lines.flatMap((line) =>
      line.type === "message.part.updated" && line.properties.part.type === "text" ? [line.properties.part.text] : [],
    )
    expect(texts.filter((each) => each.startsWith("Fixed"))).toEqual(["Fixed: it adds now."])
    const types = new Set(lines.map((line) => line.type))
    for (const type of ["session.created", "message.updated", "session.turn.ended"] as const)
      expect(types).toContain(type)
  })

  test("with deltas the text comes in pieces too, and then whole", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([[text("one two "), delay(100), text("three four")]])
    const run = await cairn(space, ["run", "--format", "json", "--deltas", "count"], { server })
    const pieces = run.lines().flatMap((line) => (line.type === "message.part.delta" ? [line.properties.delta] : []))
    expect(pieces.length).toBeGreaterThan(0)
    expect("one two three four").toStartWith(pieces.join(""))
    expect(run.out.match(/"text":"one two three four"/g)).toHaveLength(2)
  })
})

describe("a session", () => {
  test("is continued, listed, shown, and equal to its log", async () => {
    await using space = await tempWorkspace({ files })
    await using server = await startModelServer([[text("First.")], [text("Second.")], [text("Third.")]])
    const first = await cairn(space, ["run", "--format", "json", "--title", "Talk", "one"], { server })
    const id = String(first.result()["sessionID"])
    expect(await cairn(space, ["run", "--continue", "two"], { server })).toMatchObject({ code: 0, out: "Second.\n" })
    const elsewhere = await cairn(space, ["run", "--session", id, "three"], { server, cwd: space.home })
    expect(elsewhere).toMatchObject({ code: 0, out: "Third.\n" })
    const sent = JSON.stringify(server.requests[2]?.body)
    for (const said of ["one", "First.", "two", "Second.", "three"]) expect(sent).toContain(said)

    const listed = await cairn(space, ["session", "list"])
    expect(listed.out).toMatch(new RegExp(`^${id}  just now  Talk\n$`))
    const shown = await cairn(space, ["session", "show", id])
    expect(shown.out).toMatch(/You\none\n\n.*\nFirst\.\n\nYou\ntwo\n\n.*\nSecond\.\n\nYou\nthree\n\n.*\nThird\.\n$/)
    const json: { messages: unknown[] } = JSON.parse(
      (await cairn(space, ["session", "show", id, "--format", "json"])).out,
    )
    expect(json.messages).toHaveLength(6)
    expect(await cairn(space, ["debug", "verify"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("no difference"),
    })
  })

  test("that another process runs is refused, names the owner, and gets nothing", async () => {
    await using space = await tempWorkspace()
    const release = Promise.withResolvers<void>()
    await using server = await startModelServer([
      [text("One.")],
      [{ type: "wait", until: release.promise }, text("Two.")],
    ])
    const id = String((await cairn(space, ["run", "--format", "json", "one"], { server })).result()["sessionID"])
    const busy = startCairn(space, ["run", "--session", id, "two"], { server })
    await reached(server, 1, busy)
    const refused = await cairn(space, ["run", "--session", id, "--format", "json", "three"], { server })
    expect(refused.result()).toMatchObject({ exitCode: 2, reason: "busy", sessionID: id })
    expect(refused.err).toContain(String(busy.child.pid))
    release.resolve()
    expect(await busy.ended).toMatchObject({ code: 0, out: "Two.\n" })
    const shown = await cairn(space, ["session", "show", id])
    expect(shown.out).not.toContain("three")
  })
})

describe("the prompt reaches the model", () => {
  test("from stdin, from files, pictures as bytes", async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])
    await using space = await tempWorkspace({ files: { ...files, "p.png": png } })
    await using server = await startModelServer([[text("Seen.")]])
    const config = {
      provider: { scripted: { models: { model: { attachment: true, modalities: { input: ["text", "image"] } } } } },
    }
    await space.write("cairn.json", JSON.stringify(config))
    const argv = ["run", "--trust", "--file", "README.md", "--file", "p.png", "--file", "src", "look at these"]
    expect(await cairn(space, argv, { server, stdin: new Blob(["from a pipe\n"]) })).toMatchObject({ code: 0 })
    const sent = JSON.stringify(server.requests[0]?.body)
    for (const piece of ["look at these\\n\\nfrom a pipe", "# Adder", "add.ts"]) expect(sent).toContain(piece)
    expect(sent).toContain(Buffer.from(png).toString("base64"))
  })

  test("without a pipe that stays silent", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([[text("Hello.")]])
    const run = startCairn(space, ["run", "hi"], { server, stdin: "pipe" })
    const { code, out, err } = await run.ended
    expect({ code, out }).toEqual({ code: 0, out: "Hello.\n" })
    expect(err).toContain("sent nothing for 3 s")
  })

  test("also when it is 10 MB and the model takes as much; else it is said before anything is sent", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer([[text("Long.")]])
    const stdin = new Blob(["x".repeat(10 * 1024 * 1024)])
    const refused = await cairn(space, ["run"], { server, stdin })
    expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining("takes 128k at most") })
    expect(server.requests).toEqual([])
    const limit = { limit: { context: 4_000_000, output: 8_000 } }
    const options = { apiKey: "test-key", baseURL: server.baseURL("chat") }
    const provider = { scripted: { npm: "@ai-sdk/openai-compatible", options, models: { model: limit } } }
    const run = await cairn(space, ["run"], { server, stdin, config: { provider } })
    expect(run).toMatchObject({ code: 0, out: "Long.\n" })
    expect(server.requests[0]?.text.length).toBeGreaterThan(10 * 1024 * 1024)
  })
})

describe("asks", () => {
  const permission = { bash: "ask" }
  const touch: Scenario = (request) =>
    request.text.includes('"role":"tool"') ? [text("As you say.")] : [toolCall("bash", { command: "touch made" })]

  test("that nobody can answer are denied, and the exit code says so", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer(touch)
    const run = await cairn(space, ["run", "go"], { server, config: { permission } })
    expect(run).toMatchObject({ code: 4, out: "As you say.\n" })
    expect(run.err).toContain("1 call needed an approval that nobody could give")
    expect(await space.exists("made")).toBe(false)
  })

  test("are answered by --auto", async () => {
    await using space = await tempWorkspace()
    await using server = await startModelServer(touch)
    expect(await cairn(space, ["run", "--auto", "go"], { server, config: { permission } })).toMatchObject({ code: 0 })
    expect(await space.exists("made")).toBe(true)
  })

  /** Runs with answers by hand: `reply` gets the id of the first ask and gives what is written before stdin ends. */
  async function interactive(reply: (id: string) => string) {
    await using space = await tempWorkspace()
    await using server = await startModelServer(touch)
    const argv = ["run", "--format", "json", "--interactive-permissions", "go"]
    const run = startCairn(space, argv, { server, config: { permission }, stdin: "pipe" })
    const [, id = ""] = await run.printed(/"permission.asked","properties":\{"id":"(per_\w+)"/)
    await run.answer(reply(id))
    return { ...(await run.ended), made: await space.exists("made") }
  }

  test("are answered on stdin", async () => {
    const run = await interactive((id) => `not json\n{"id":"${id}","reply":"once"}\n`)
    expect(run).toMatchObject({ code: 0, made: true })
    expect(run.err).toContain("ignored a line on stdin: not JSON")
    expect(run.lines().map((line) => line.type)).toContain("permission.asked")
  })

  test("may be rejected, with words for the model or without", async () => {
    const silent = await interactive((id) => `{"id":"${id}","reply":"reject"}\n`)
    expect(silent).toMatchObject({ code: 4, made: false })
    expect(silent.result()).toMatchObject({ reason: "rejected" })
    const told = await interactive((id) => `{"id":"${id}","reply":"reject","message":"not now"}\n`)
    expect(told).toMatchObject({ made: false })
    expect(told.result()).toMatchObject({ reason: "done", text: "As you say." })
  })

  test("are rejected when stdin ends", async () => {
    const run = await interactive(() => "")
    expect(run).toMatchObject({ code: 4, made: false })
    expect(run.result()).toMatchObject({ reason: "done", denied: 1 })
  })
})

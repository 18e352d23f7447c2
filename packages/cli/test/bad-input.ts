import { expect, test } from "bun:test"
import { emptyBody, finish, html, raw, type Reply, status, streamError, text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { configure, runProgram } from "./hostile-project.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const error = '{"error":{"message":"The model is on holiday","type":"invalid_request_error"}}'

/** What a provider may send, what the user has to read of it on stderr, and the exit code. */
const answers: readonly (readonly [string, Reply, number, RegExp])[] = [
  ["a web page", html(), 3, /answered with a web page.*baseURL/],
  [
    "plain text",
    status(200, { headers: { "content-type": "text/plain" }, body: "hello" }),
    3,
    /no stream of events.*"hello"/,
  ],
  ["an error with status 200", status(200, { body: error }), 3, /The model is on holiday/],
  [
    "an error among the events",
    [text("half"), streamError("The model is on holiday", "holiday")],
    3,
    /The model is on holiday/,
  ],
  ["nothing", emptyBody(), 0, /sent an empty answer.*attempt 1 failed, next try in/],
  [
    "events that break off",
    [text("half"), raw("data: {broken\n\n"), finish("stop")],
    0,
    /cut or malformed.*attempt 1 failed/,
  ],
  ["events of unknown kinds", [text("Fine."), raw('data: {"object":"hologram"}\n\n')], 0, /done, 1 step/],
  [
    "events after the end",
    [text("Fine."), finish("stop"), raw('data: {"id":"x","choices":[]}\n\n')],
    0,
    /done, 1 step/,
  ],
  [
    "a call without arguments",
    toolCall("glob", ""),
    0,
    /glob[^]*failed: The glob tool was called with invalid arguments/,
  ],
  ["a call of no tool", toolCall("frobnicate", {}), 0, /frobnicate[^]*failed: There is no tool named "frobnicate"/],
  [
    "two calls of one id",
    [toolCall("glob", { pattern: "*" }, { id: "x" }), toolCall("glob", { pattern: "a*" }, { id: "x" })],
    0,
    /^(?=[^]*glob "\*")(?=[^]*glob "a\*")/,
  ],
]

/** Every case of a program: it ends by itself with its code, says why, and the session goes on with the next prompt. */
export function badInput(program: () => string): void {
  async function setup(scenario: Parameters<typeof startModelServer>[0], files: Record<string, string> = {}) {
    const space = await tempWorkspace({ files })
    const server = await startModelServer(scenario)
    await configure(space, server)
    return {
      space,
      server,
      run: (...words: string[]) => runProgram([program(), ...words], { cwd: space.dir, env: space.env }),
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]()
        await space[Symbol.asyncDispose]()
      },
    }
  }

  test.each(answers)(
    "a provider that answers with %s",
    async (_, reply, code, message) => {
      let given = 0
      await using made = await setup((request) => {
        if (request.text.includes("Go on")) return text("Going on.")
        return given++ === 0 ? reply : text("Recovered.")
      })
      const run = await made.run("run", "hi")
      expect(run.code).toBe(code)
      expect(run.err.replaceAll("\n", " ").replaceAll("  ", " ")).toMatch(message)
      expect(run.err).not.toMatch(/internal error|^\s+at /m)
      const next = await made.run("run", "--continue", "Go on")
      expect(next).toMatchObject({ code: 0, out: "Going on.\n" })
      expect(await made.run("debug", "verify")).toMatchObject({ code: 0 })
      expect(made.server.unexpected).toEqual([])
    },
    60_000,
  )

  test.each<[string, string[], RegExp]>([
    ["says nothing", ["run", "  "], /no message: give it as words/],
    ["brings an empty picture", ["run", "--file", "empty.png", "look"], /cannot attach "empty\.png": it is empty/],
    [
      "brings a picture of 40 MB",
      ["run", "--file", "large.png", "look"],
      /cannot attach "large\.png": it is larger than 20 MB/,
    ],
    ["brings a picture of another kind", ["run", "--file", "x.bmp", "look"], /a picture that models take \(PNG/],
  ])(
    "a prompt that %s is refused before anything is sent",
    async (_, words, message) => {
      await using made = await setup([])
      await made.space.write("empty.png", "")
      await Bun.write(`${made.space.dir}/large.png`, Buffer.concat([png, Buffer.alloc(40 * 1024 * 1024)]))
      await Bun.write(`${made.space.dir}/x.bmp`, Buffer.from([0x42, 0x4d, 0, 0, 0, 0, 0, 0]))
      const run = await made.run(...words)
      expect(run).toMatchObject({ code: 2, out: "" })
      expect(run.err).toMatch(message)
      expect(made.server.requests).toEqual([])
      expect((await made.run("session", "list", "--format", "json")).out.trim()).toBe("[]")
    },
    60_000,
  )

  test("a prompt of 10 MB is refused with what to do instead", async () => {
    await using made = await setup([])
    await made.space.write("long.txt", "x".repeat(10_000_000))
    const run = await runProgram(["sh", "-c", `"${program()}" run < long.txt`], {
      cwd: made.space.dir,
      env: made.space.env,
    })
    expect(run).toMatchObject({ code: 2, out: "" })
    expect(run.err).toMatch(/prompt is too long: about 2\.5M tokens.*Put the text into a file and name it/)
    expect(made.server.requests).toEqual([])
  }, 60_000)

  test("a picture for a model that takes none is said, to the user and to the model", async () => {
    await using made = await setup([[text("I cannot see it.")]])
    await Bun.write(`${made.space.dir}/dot.png`, png)
    const run = await made.run("run", "--file", "dot.png", "What is it?")
    expect(run).toMatchObject({ code: 0, out: "I cannot see it.\n" })
    expect(run.err).toContain("cairn: The file dot.png (image/png) was left out: this model does not take such files")
    expect(made.server.requests[0]!.text).toContain("was left out: this model does not take such files")
    expect(made.server.requests[0]!.text).not.toContain(png.toString("base64"))
  }, 60_000)
}

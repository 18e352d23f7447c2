import { describe, expect, test } from "bun:test"
import type { CapturedRequest } from "@cairn/testkit/request"
import { type Reply, status, text, toolCall } from "@cairn/testkit/scenario"
import { type ModelServer, startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"

const limited = status(429, { headers: { "retry-after": "3600" } })

/** Two providers on one server, told apart by their protocol, and what takes over. */
function configOf(server: ModelServer, fallback: readonly string[]): Record<string, unknown> {
  const limit = { context: 128_000, output: 8_000 }
  const provider = (npm: string, protocol: "chat" | "anthropic") => ({
    npm: `@ai-sdk/${npm}`,
    options: { apiKey: "test-key", baseURL: server.baseURL(protocol) },
    models: { model: { limit } },
  })
  return {
    model: "first/model",
    model_fallback: fallback,
    provider: { first: provider("openai-compatible", "chat"), second: provider("anthropic", "anthropic") },
  }
}

const served = (second: Reply | ((request: CapturedRequest) => Reply)) =>
  startModelServer((request) => {
    if (request.protocol === "chat") return limited
    return typeof second === "function" ? second(request) : second
  })

describe("when the first model is limited for long", () => {
  test("another one does the work, and a person sees who, and why", async () => {
    await using space = await tempWorkspace()
    let calls = 0
    await using server = await served(() => (++calls === 1 ? toolCall("bash", { command: "echo hi" }) : text("Done.")))
    const run = await cairn(space, ["run", "go"], { config: configOf(server, ["second/model"]) })
    expect(run).toMatchObject({ code: 0, out: "Done.\n" })
    expect(run.err.match(/takes over/g)).toHaveLength(1)
    expect(run.err).toMatch(/first\/model does not answer \(first \(HTTP 429\).*\); second\/model takes over/)
    expect(server.requests.map(({ protocol }) => protocol)).toEqual(["chat", "anthropic", "anthropic"])
    const [id] = /ses_\w+/.exec(run.err)!
    const shown = await cairn(space, ["session", "show", id!], { config: configOf(server, []) })
    expect(shown.out).toMatch(/build \(second\/model\)\nfirst\/model does not answer \(.*429.*\)\n/)
    expect((await cairn(space, ["debug", "verify"], { config: configOf(server, []) })).code).toBe(0)
  }, 30_000)

  test("a program reads it from the events, which keep the published schema", async () => {
    await using space = await tempWorkspace()
    await using server = await served(text("Done."))
    const run = await cairn(space, ["run", "--format", "json", "go"], { config: configOf(server, ["second/model"]) })
    expect(run.result()).toMatchObject({ exitCode: 0, text: "Done." })
    const infos = run.lines().flatMap((line) => {
      if (line.type !== "message.updated" || line.properties.info.role !== "assistant") return []
      const { providerID, modelID, fallback, time } = line.properties.info
      return time.completed === undefined ? [] : [{ name: `${providerID}/${modelID}`, fallback }]
    })
    expect(infos).toEqual([
      { name: "first/model", fallback: undefined },
      {
        name: "second/model",
        fallback: {
          providerID: "first",
          modelID: "model",
          message: expect.stringContaining("HTTP 429"),
          until: expect.any(Number),
        },
      },
    ])
  })

  test("exit 3 names all when all fail", async () => {
    await using space = await tempWorkspace()
    await using server = await served(status(401))
    const run = await cairn(space, ["run", "go"], { config: configOf(server, ["second/model"]) })
    expect(run).toMatchObject({ code: 3, out: "" })
    expect(run.err).toMatch(/- first\/model: .*HTTP 429/)
    expect(run.err).toMatch(/- second\/model: .*HTTP 401.*Check the key/)
  })
})

describe("model_fallback", () => {
  test("with an unknown name is exit 2, before a model is called, with the nearest", async () => {
    await using space = await tempWorkspace()
    await using server = await served(text("never"))
    const config = configOf(server, ["anthropic/claude-sonet-4-5"])
    const run = await cairn(space, ["run", "--format", "json", "go"], { config })
    expect(run.code).toBe(2)
    expect(run.result()).toMatchObject({ reason: "model", sessionID: null })
    expect(run.err).toStartWith(`cairn: model_fallback: There is no model "anthropic/claude-sonet-4-5".`)
    expect(run.err).toContain("claude-sonnet-4-5")
    expect(server.requests).toEqual([])
  })

  test("with a model whose key is missing is a note that names the variable, and the run goes on", async () => {
    await using space = await tempWorkspace()
    await using server = await served(text("Done."))
    const config = configOf(server, ["anthropic/claude-sonnet-4-5", "second/model"])
    const run = await cairn(space, ["run", "go"], { config })
    expect(run).toMatchObject({ code: 0, out: "Done.\n" })
    expect(run.err).toMatch(
      /cairn: model_fallback: anthropic\/claude-sonnet-4-5 will not take over\. .*ANTHROPIC_API_KEY/,
    )
  })
})

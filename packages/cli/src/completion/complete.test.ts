import { describe, expect, test } from "bun:test"
import { fakeEngine } from "../../test/fake-engine.ts"
import { fakeIo, type FakeIoOptions } from "../../test/fake-io.ts"
import { session, sessionID } from "../../test/values.ts"
import { runCli } from "../cli.ts"

async function completed(argv: string[], engine: FakeIoOptions["engine"]) {
  const io = fakeIo(engine ? { engine } : {})
  const code = await runCli(io, ["__complete", ...argv])
  return { code, out: io.stdout.text, err: io.stderr.text }
}
const model = (ref: string, name = ref) => ({ ref, name, tools: true, source: "config", key: "not needed" }) as const

describe("values for a shell", () => {
  test("are one a line, with what they are", async () => {
    const engine = fakeEngine(undefined, { sessions: async () => [session({ title: "Fix\tthe\u001b[2J parser" })] })
    expect(await completed(["session", ""], engine)).toEqual({
      code: 0,
      out: `${sessionID}\tFix the␛[2J parser (just now)\n`,
      err: "",
    })
    expect(engine.disposed).toBe(true)
  })

  test("begin with what is typed", async () => {
    const engine = fakeEngine(undefined, { models: () => [model("a/bc"), model("x/a/bc")] })
    expect((await completed(["model", "a/b"], engine)).out).toBe("a/bc\ta/bc\n")
  })

  test("are models that can be used, else those that are known", async () => {
    const scopes: string[] = []
    const models = (_: string, scope: "ready" | "all") => {
      scopes.push(scope)
      return scope === "all" ? [model("far/one")] : [model("near/one")]
    }
    const engine = fakeEngine(undefined, { models })
    expect((await completed(["model", "ne"], engine)).out).toBe("near/one\tnear/one\n")
    expect(scopes).toEqual(["ready"])
    expect((await completed(["model", "fa"], engine)).out).toBe("far/one\tfar/one\n")
  })

  test("are agents that can lead", async () => {
    const engine = fakeEngine(undefined, {
      agents: () => [
        { name: "build", mode: "primary", description: "Does it", permission: [], options: {} },
        { name: "explore", mode: "subagent", permission: [], options: {} },
        { name: "title", mode: "primary", hidden: true, permission: [], options: {} },
      ],
    })
    expect((await completed(["agent"], engine)).out).toBe("build\tDoes it\n")
  })

  test("never hold what a shell would read as more than one word", async () => {
    const engine = fakeEngine(undefined, { models: () => [model("a/b c"), model("a/b\nc"), model("a/ok")] })
    expect((await completed(["model", "a/"], engine)).out).toBe("a/ok\ta/ok\n")
  })

  test("are at most some hundred", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => model(`a/${index}`))
    const { out } = await completed(["model", "a/"], fakeEngine(undefined, { models: () => many }))
    expect(out.split("\n")).toHaveLength(301)
  })
})

describe("nothing, and no noise", () => {
  const broken = fakeEngine(undefined, {
    agents: () => {
      throw new Error("disk on fire")
    },
  })
  test.each([
    ["an unknown kind", ["colour", ""], fakeEngine()],
    ["no kind at all", [], fakeEngine()],
    ["what looks like a flag", ["--help"], fakeEngine()],
    ["a defect", ["agent", ""], broken],
    ["an engine that cannot be opened", ["agent", ""], { kind: "config", message: "cairn.json:1: no" } as const],
    ["an engine that breaks while it opens", ["agent", ""], undefined],
  ])("for %s", async (_, argv, engine) => {
    expect(await completed(argv, engine)).toEqual({ code: 0, out: "", err: "" })
  })

  test("warnings are kept to ourselves", async () => {
    const engine = fakeEngine(undefined, { warnings: ["odd key"], agents: () => [] })
    expect(await completed(["agent", ""], engine)).toEqual({ code: 0, out: "", err: "" })
  })
})

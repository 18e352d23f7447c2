import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { createToolBench, runTool } from "../../test/support/tool-context.ts"
import { createEditTool } from "../tool/edit/edit.ts"
import { answerLine, overlongAnswer } from "./probe.ts"

const bytes = (line: string) => new TextEncoder().encode(line)
const raw = async (line: string): Promise<unknown> => JSON.parse(await answerLine(bytes(line)))
const ask = (probe: string, request: Record<string, unknown>) => raw(JSON.stringify({ n: 7, probe, ...request }))

describe("edit", () => {
  test.each([
    ["exactly", { content: "a\nb\n", oldString: "b", newString: "c" }, "a\nc\n"],
    ["every place", { content: "a a a", oldString: "a", newString: "b", replaceAll: true }, "b b b"],
    ["with the file's line ends", { content: "a\r\nb\r\n", oldString: "a\nb", newString: "x\ny" }, "x\r\ny\r\n"],
    ["moved", { content: "  if (x)\n    y()\n", oldString: "if (x)\n  y()", newString: "z()" }, "  z()\n"],
  ])("applies %s", async (_, request, content) => {
    expect(await ask("edit", request)).toEqual({ n: 7, content })
  })

  test.each([
    ["not_found", { content: "a\n", oldString: "zzz", newString: "b" }],
    ["ambiguous", { content: "a\na\n", oldString: "a", newString: "b" }],
    ["identical", { content: "a\n", oldString: "a", newString: "a" }],
    ["refused", { content: "a\n", oldString: "", newString: "b" }],
    ["binary", { content: "a\0\n", oldString: "a", newString: "b" }],
  ])("fails as %s with nothing but kind and message", async (kind, request) => {
    expect(await ask("edit", request)).toEqual({ n: 7, error: { kind, message: expect.stringMatching(/\w{3}/) } })
  })

  // Small alphabets, so that finding, ambiguity and failure all happen.
  const text = fc.array(fc.constantFrom("a", "b", " ", "\t", "\n", "\r\n", '"', "\\n", "é"), { maxLength: 14 })
  const joined = text.map((pieces) => pieces.join(""))

  test("gives what the edit tool makes of a real file", async () => {
    await using bench = await createToolBench()
    const tool = createEditTool(bench.deps)
    const kinds = new Set<string>()
    let index = 0
    await fc.assert(
      fc.asyncProperty(joined, joined, joined, fc.boolean(), async (content, oldString, newString, replaceAll) => {
        const name = `file-${index++}.txt`
        const path = `${bench.worktree}/${name}`
        await Bun.write(path, content)
        const done = await runTool(tool, bench, { filePath: name, oldString, newString, replaceAll })
        const after = await Bun.file(path).text()
        const answer = await ask("edit", { content, oldString, newString, replaceAll })
        if (done.ok) expect(answer).toEqual({ n: 7, content: after })
        else {
          expect(after).toBe(content)
          expect(answer).toMatchObject({ n: 7, error: { kind: done.error.kind } })
        }
        kinds.add(done.ok ? "ok" : done.error.kind)
      }),
      { numRuns: 400, seed: 3 },
    )
    expect([...kinds]).toEqual(expect.arrayContaining(["ok", "not_found", "ambiguous", "identical"]))
  })
})

describe("patch", () => {
  const patch = (body: string) => `*** Begin Patch\n${body}\n*** End Patch`
  const files = { "a.txt": "one\ntwo\n", "b.txt": "b\n" }

  test("gives every file as it is afterwards", async () => {
    const patchText = patch(
      "*** Update File: a.txt\n*** Move to: c.txt\n@@\n one\n-two\n+three\n*** Delete File: b.txt\n*** Add File: d.txt\n+new",
    )
    expect(await ask("patch", { files, patchText })).toEqual({
      n: 7,
      files: { "c.txt": "one\nthree\n", "d.txt": "new\n" },
    })
  })

  test.each([
    ["parse", "no patch at all"],
    ["context", patch("*** Update File: a.txt\n@@\n-nine\n+ten")],
    ["exists", patch("*** Add File: a.txt\n+x")],
    ["missing", patch("*** Delete File: zzz.txt")],
    ["outside", patch("*** Delete File: ../a.txt")],
    ["conflict", patch("*** Delete File: a.txt\n*** Update File: a.txt\n@@\n-one\n+two")],
  ])("fails as %s and gives the files as they were", async (kind, patchText) => {
    expect(await ask("patch", { files, patchText })).toEqual({
      n: 7,
      error: { kind, message: expect.stringMatching(/\w{3}/) },
      files,
    })
  })

  test("files with the names of properties are files", async () => {
    const line = `{"n":1,"probe":"patch","files":{"__proto__":"x\\n","constructor":"y\\n"},"patchText":${JSON.stringify(
      patch("*** Update File: constructor\n@@\n-y\n+z"),
    )}}`
    expect(await answerLine(bytes(line))).toBe(`{"n":1,"files":{"__proto__":"x\\n","constructor":"z\\n"}}`)
  })
})

describe("rule", () => {
  test.each([
    ["allow", "bash", "ls", '"allow"'],
    ["ask", "doom_loop", "bash", '"allow"'],
    ["ask", "external_directory", "/tmp/*", '{"*":"deny"}'],
    ["deny", "external_directory", "/tmp/x", '{"external_directory":"deny"}'],
    ["ask", "bash", "ls", '{"edit":"allow"}'],
    ["allow", "bash", "git", '{"bash":{"*":"ask","git *":"allow"}}'],
    ["ask", "bash", "git", '{"bash":{"git *":"allow","*":"ask"}}'],
    ["deny", "mcp_x", "y", '{"mcp_*":"deny"}'],
    // An object would move keys that look like numbers to the front.
    ["allow", "bash", "7", '{"bash":{"*":"deny","7":"allow"}}'],
    ["deny", "bash", "7", '{"bash":{"7":"allow","*":"deny"}}'],
    ["deny", "3", "x", '{"3":"allow","*":"deny"}'],
  ])("%s for %s %s by %s", async (action, key, pattern, permission) => {
    const asked = `"key":${JSON.stringify(key)},"pattern":${JSON.stringify(pattern)}`
    expect(await raw(`{"n":1,"probe":"rule",${asked},"permission":${permission}}`)).toEqual({ n: 1, action })
  })

  const rulesets = [
    [
      { permission: "*", pattern: "*", action: "deny" },
      { permission: "edit", pattern: "src/*", action: "allow" },
    ],
    [{ permission: "edit", pattern: "src/secret*", action: "ask" }],
  ]
  test.each([
    ["edit", "src/a.ts", "allow"],
    ["edit", "src/secret.ts", "ask"],
    ["edit", "lib/a.ts", "deny"],
    ["doom_loop", "x", "ask"],
  ])("lists are merged in order: %s %s is %s", async (key, pattern, action) => {
    expect(await ask("rule", { key, pattern, rulesets })).toEqual({ n: 7, action })
    expect(await ask("rule", { key, pattern, rulesets: [rulesets.flat()] })).toEqual({ n: 7, action })
  })

  const homely = [
    { permission: "read", pattern: "~/secret/*", action: "deny" },
    { permission: "read", pattern: "$HOME", action: "allow" },
  ]
  test.each([
    ["/home/me/secret/a", "deny"],
    ["/home/me", "allow"],
    ["~/secret/a", "ask"],
    ["/home/me/other", "ask"],
  ])("~ and $HOME of a rule are the home directory: %s is %s", async (pattern, action) => {
    const permission = { read: { "~/secret/*": "deny", $HOME: "allow" } }
    for (const rules of [{ permission }, { rulesets: [homely] }]) {
      const line = bytes(JSON.stringify({ n: 7, probe: "rule", key: "read", pattern, ...rules }))
      expect(JSON.parse(await answerLine(line, "/home/me"))).toEqual({ n: 7, action })
    }
    expect(await ask("rule", { key: "read", pattern: "~/secret/a", permission })).toEqual({ n: 7, action: "deny" })
  })

  test.each(["doom_loop", "webfetch", "question", "websearch", "todowrite", "lsp", "skill"])(
    "%s takes an action, or one for each pattern",
    async (key) => {
      const patterns = { [key]: { "*": "deny", "https://example.org/*": "allow" } }
      const of = (pattern: string, permission: object) => ask("rule", { key, pattern, permission })
      expect(await of("https://example.org/a", patterns)).toEqual({ n: 7, action: "allow" })
      expect(await of("https://example.com/a", patterns)).toEqual({ n: 7, action: "deny" })
      expect(await of("anything", { [key]: "allow" })).toEqual({ n: 7, action: "allow" })
    },
  )

  test.each([
    [{ bash: "perhaps" }, /^permission\.bash: .*"allow".*"deny"/],
    [{ bash: { "git *": "yes" } }, /^permission\.bash\.git \*: .*"ask"/],
    [{ doom_loop: { x: 3 } }, /^permission\.doom_loop\.x: .*"allow"/],
    [{ mine: 3 }, /^permission\.mine: .*"allow".*, or: .*record/],
    [3, /^permission: .*"allow".*, or: .*object/],
  ])("%j: what is wrong is said with its place", async (permission, message) => {
    expect(await ask("rule", { key: "bash", pattern: "x", permission })).toEqual({
      n: 7,
      error: { kind: "bad_request", message: expect.stringMatching(message) },
    })
  })

  test("without any rule it asks", async () => {
    expect(await ask("rule", { key: "bash", pattern: "ls", rulesets: [] })).toEqual({ n: 7, action: "ask" })
    expect(await ask("rule", { key: "bash", pattern: "ls", permission: {} })).toEqual({ n: 7, action: "ask" })
  })

  test.each([
    [{ key: "bash", pattern: "ls" }],
    [{ key: "bash", pattern: "ls", permission: "allow", rulesets: [] }],
    [{ key: "bash", pattern: "ls", permission: { bash: "perhaps" } }],
    [{ key: "bash", pattern: "ls", rulesets: [[{ permission: "bash", action: "allow" }]] }],
    [{ key: "bash", pattern: "a".repeat(100_000), permission: { bash: { [`*${"a".repeat(50_000)}b`]: "allow" } } }],
  ])("%#: what cannot be decided is a bad request", async (request) => {
    expect(await ask("rule", request)).toMatchObject({ n: 7, error: { kind: "bad_request" } })
  })
})

describe("shell", () => {
  const shell = async (command: string, permission: unknown, more: Record<string, unknown> = {}) => {
    const request = { n: 7, probe: "shell", command, cwd: "/nowhere/w", home: "/nowhere/h", permission, ...more }
    return (await raw(JSON.stringify(request))) as Record<string, unknown>
  }

  test("what a line starts, reads and writes, and the verdict on it", async () => {
    expect(
      await shell("FOO=1 timeout 5 npm test 2>&1 | tee out/log < ../in", { bash: { "*": "ask", "npm *": "allow" } }),
    ).toEqual({
      n: 7,
      verdict: "ask",
      invocations: [
        { text: "timeout 5 npm test", argv: ["npm", "test"], executable: "npm", dynamic: false },
        { text: "tee out/log", argv: ["tee", "out/log"], executable: "tee", dynamic: false },
      ],
      reads: ["/nowhere/in"],
      writes: ["/nowhere/w/out/log"],
      outside: ["/nowhere/in"],
    })
  })

  test.each([
    ["deny", "ls && env rm x", { bash: { "rm *": "deny" } }],
    ["allow", "cd src && make", { bash: { "*": "ask", "make *": "allow" } }],
    ["ask", "cd .. && make", { bash: { "*": "ask", "make *": "allow" } }],
    ["ask", "make && ls", { bash: { "*": "ask", "make *": "allow" } }],
    ["ask", "cat .env", { bash: "allow" }],
    ["deny", "cat .env", { read: { "*.env": "deny" } }],
    ["deny", "echo x > .env", { edit: { "*.env": "deny" } }],
    ["deny", "cat ~/x", { external_directory: "deny" }],
    ["ask", "eval ls", { bash: "allow" }],
    ["deny", "$X", { bash: "deny" }],
    ["allow", "make", undefined],
  ])("%s for %j", async (verdict, command, permission) => {
    expect(await shell(command, permission)).toMatchObject({ n: 7, verdict })
  })

  test("rules keep their order", async () => {
    const line = (rules: string) =>
      `{"n":7,"probe":"shell","command":"7","cwd":"/nowhere","home":"/h","permission":{"bash":${rules}}}`
    // An object would move keys that look like numbers to the front.
    expect(await raw(line('{"*":"deny","7":"allow"}'))).toMatchObject({ verdict: "allow" })
    expect(await raw(line('{"7":"allow","*":"deny"}'))).toMatchObject({ verdict: "deny" })
  })

  test("an agent's own rules stand below, and what it may not do it may not", async () => {
    expect(await shell("rm x", { bash: "allow" }, { agent: "plan" })).toMatchObject({ verdict: "deny" })
    expect(await shell("git status", { bash: "allow" }, { agent: "plan" })).toMatchObject({ verdict: "allow" })
    expect(await shell("ls", {}, { agent: "nobody" })).toMatchObject({ error: { kind: "bad_request" } })
  })

  test("a line is read as the shell would that is named", async () => {
    const permission = { bash: { "*": "allow", "rm *": "deny" } }
    const both = (command: string) =>
      Promise.all(
        ["bash", "powershell", "cmd"].map(
          async (name) => (await shell(command, permission, { shell: name }))["verdict"],
        ),
      )
    expect(await both("Remove-Item x")).toEqual(["allow", "deny", "allow"])
    expect(await both("del x")).toEqual(["allow", "deny", "deny"])
    expect(await both("cat $x%x%")).toEqual(["ask", "ask", "ask"])
    expect(await shell("ls", {}, { shell: "csh" })).toMatchObject({ error: { kind: "bad_request" } })
  })

  test("a line that is not understood says why", async () => {
    const asked = { verdict: "ask", opaque: expect.stringMatching(/\w/) }
    for (const line of ["ls 'open", "(".repeat(10_000), "x".repeat(70_000), "ls\0", "ls\rrm", "$CMD", "ls \u202e x"])
      expect(await shell(line, { bash: "allow" })).toMatchObject(asked)
  })
})

test("disabled: tools whose last rule denies everything; the writers share a key", async () => {
  const tools = ["bash", "edit", "write", "apply_patch", "read", "mcp_x"]
  const disabled = (rules: Record<string, unknown>) => ask("disabled", { tools, ...rules })
  expect(
    await disabled({ permission: { edit: "deny", bash: { "*": "deny", "ls *": "allow" }, "mcp_*": "deny" } }),
  ).toEqual({
    n: 7,
    disabled: ["edit", "write", "apply_patch", "mcp_x"],
  })
  expect(await disabled({ permission: "deny" })).toEqual({ n: 7, disabled: tools })
  const denied = { permission: "bash", pattern: "*", action: "deny" }
  expect(await disabled({ rulesets: [[denied]] })).toEqual({ n: 7, disabled: ["bash"] })
  expect(await disabled({ rulesets: [[denied], [{ ...denied, action: "allow" }]] })).toEqual({ n: 7, disabled: [] })
  expect(await disabled({})).toMatchObject({ error: { kind: "bad_request" } })
})

test.each([
  ["wildcard", { text: "git", pattern: "git *" }, { match: true }],
  ["wildcard", { text: "a/b\nc", pattern: "a*c" }, { match: true }],
  ["wildcard", { text: "a/b", pattern: "a?b" }, { match: true }],
  ["wildcard", { text: "gitx", pattern: "git *" }, { match: false }],
  ["edit", { content: "\ufeffx  = 1\n", oldString: "x = 1", newString: "a\nb" }, { content: "\ufeffa\nb\n" }],
  [
    "patch",
    { files: { f: "\ufeffx\n" }, patchText: "*** Begin Patch\n*** Update File: f\n-x\n+y\n*** End Patch" },
    { files: { f: "\ufeffy\n" } },
  ],
  ["glob", { pattern: "src/**/*.{ts,tsx}", path: "src/a/b.tsx" }, { match: true }],
  ["glob", { pattern: "*.ts", path: "src/b.ts" }, { match: true }],
  ["glob", { pattern: "./*.ts", path: "src/b.ts" }, { match: false }],
  ["glob", { pattern: "/a.ts", path: "a.ts" }, { match: false }],
  ["glob", { pattern: "/src/*.ts", path: "./src/a.ts" }, { match: false }],
  ["glob", { pattern: "/src/*.ts", path: "/src/a.ts" }, { match: true }],
  ["glob", { pattern: "{a,b}".repeat(10_000), path: "b" }, { match: false }],
  [
    "ignore",
    {
      files: { ".gitignore": "*.log\n!keep.log\n", "lib/.gitignore": "/out\n" },
      paths: ["a.log", "keep.log", "lib/out/x", "out"],
    },
    { ignored: ["a.log", "lib/out/x"] },
  ],
  ["ignore", { files: {}, paths: ["a", "", "../x", "/abs"] }, { ignored: [] }],
  [
    "error",
    { providerID: "p", status: 429, headers: { "Retry-After": "3" } },
    { class: "rate_limit", retryAfterMs: 3000 },
  ],
  ["error", { providerID: "p", status: 401, message: "invalid key" }, { class: "auth" }],
  ["error", { providerID: "p", code: "ECONNRESET" }, { class: "retryable" }],
])("%s %j", async (probe, request, answer) => {
  expect(await ask(probe, request)).toEqual({ n: 7, ...answer })
})

describe("what is no request", () => {
  test.each([
    "",
    "not json",
    "{",
    "[]",
    "null",
    "42",
    `{"probe":"glob","pattern":"*","path":"a"}`,
    `{"n":{},"probe":"glob"}`,
  ])("%j is a bad request without a number", async (line) => {
    expect(await raw(line)).toEqual({ n: null, error: { kind: "bad_request", message: expect.any(String) } })
  })

  test.each([
    ["no probe", { n: 7 }],
    ["a probe that is no text", { n: 7, probe: 3 }],
    ["a missing field", { n: 7, probe: "glob", pattern: "*" }],
    ["a wrong type", { n: 7, probe: "edit", content: "a", oldString: 1, newString: "b" }],
    ["files that are no texts", { n: 7, probe: "patch", files: { a: 1 }, patchText: "" }],
    ["files that are a list", { n: 7, probe: "ignore", files: ["a"], paths: [] }],
    ["a glob that is not closed", { n: 7, probe: "glob", pattern: "{".repeat(10_000), path: "b" }],
    ["a class that is not closed", { n: 7, probe: "glob", pattern: "[a", path: "a" }],
    ["a glob beyond the limit", { n: 7, probe: "glob", pattern: "a".repeat(70_000), path: "a" }],
  ])("%s is a bad request with its number", async (_, request) => {
    const answer = await raw(JSON.stringify(request))
    expect(answer).toEqual({ n: 7, error: { kind: "bad_request", message: expect.stringMatching(/^\w+: /) } })
  })

  test.each(["nope", "toString", "__proto__", ""])("the probe %j is unknown", async (probe) => {
    const answer = await ask(probe, {})
    expect(answer).toEqual({ n: 7, error: { kind: "unknown_probe", message: expect.stringContaining("edit, patch") } })
  })

  test("bytes that are no text, nesting without an end, a line that was not kept", async () => {
    const invalid = Buffer.concat([
      bytes(`{"n":1,"probe":"glob","pattern":"`),
      Buffer.from([0xff]),
      bytes(`","path":"a"}`),
    ])
    expect(JSON.parse(await answerLine(invalid))).toMatchObject({ n: null, error: { kind: "bad_request" } })
    expect(await raw("[".repeat(200_000))).toMatchObject({ n: null, error: { kind: "bad_request" } })
    const nested = `{"n":1,"probe":"rule","key":"a","pattern":"b","permission":${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}}`
    expect(await raw(nested)).toMatchObject({ n: 1, error: { kind: "bad_request" } })
    expect(JSON.parse(overlongAnswer(10))).toMatchObject({ n: null, error: { kind: "bad_request" } })
  })

  test("whatever comes, the answer is one line of JSON with a number and an answer or an error", async () => {
    const line = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map(bytes),
      fc
        .record({
          n: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
          probe: fc.constantFrom("edit", "patch", "rule", "disabled", "wildcard", "glob", "ignore", "error", "x"),
          ...Object.fromEntries(
            "content oldString newString files patchText key pattern permission rulesets tools text path paths"
              .split(" ")
              .map((name) => [
                name,
                fc.oneof({ weight: 4, arbitrary: fc.string() }, { weight: 1, arbitrary: fc.jsonValue() }),
              ]),
          ),
        })
        .map((request) => bytes(JSON.stringify(request))),
    )
    await fc.assert(
      fc.asyncProperty(line, async (given) => {
        const text = await answerLine(given)
        expect(text).not.toContain("\n")
        const answer: Record<string, unknown> = JSON.parse(text)
        expect(Object.keys(answer).length).toBeGreaterThanOrEqual(2)
        expect(Object.keys(answer)[0]).toBe("n")
      }),
      { numRuns: 500, seed: 5 },
    )
  })
})

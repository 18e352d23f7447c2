import type { AskMode, PermissionReply, PermissionRequest } from "@cairn/schema/permission"
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Ids } from "@cairn/kernel/id"
import { Interrupted } from "@cairn/kernel/interrupted"
import { err, ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import { DurableEvent } from "@cairn/schema/event"
import { foldApprovals } from "./approvals.ts"
import type { Ask } from "./ask.ts"
import { type Asks, type AskScope, createAsks } from "./asks.ts"
import { planCommand } from "./command.ts"
import { layerStack } from "./layers.ts"
import { fromConfig } from "./rule.ts"
import { loadBashParser } from "./shell/parser.ts"

const parse = await loadBashParser()
const sessionID = "ses_one"
let log: DurableEvent[]
let asks: Asks
let group: TaskGroup
let unanswered: PermissionRequest[]

const start = () =>
  createAsks({
    append: (_, events) => void log.push(...events),
    ids: new Ids({ now: () => 1 }),
    approvals: (id) => ({ session: foldApprovals(of(id)).session, project: foldApprovals(log).project }),
  })
const of = (id: string) => log.filter((event) => "sessionID" in event.properties && event.properties.sessionID === id)

beforeEach(() => {
  log = []
  unanswered = []
  asks = start()
  group = new TaskGroup()
})
afterEach(() => {
  // Whatever happened: every event is valid, every ask has one answer at most.
  for (const event of log) DurableEvent.parse(event)
  const answered = log.flatMap((event) => (event.type === "permission.replied" ? [event.properties.requestID] : []))
  expect(new Set(answered).size).toBe(answered.length)
})

const rules = layerStack({
  trusted: false,
  home: "/h",
  user: fromConfig({ bash: { "*": "ask", "ls *": "allow", "rm *": "deny" }, edit: "ask" }),
})
const scope = (mode: AskMode = "wait", more: Partial<AskScope> = {}): AskScope => ({
  sessionID,
  agent: "build",
  rules,
  mode,
  worktree: "/w",
  signal: group.signal,
  onUnanswered: (request) => unanswered.push(request),
  ...more,
})
const command = (text: string, always: string[] = []): Ask => ({ permission: "bash", patterns: [text], always })
const types = () => log.map((event) => event.type)
const replies = () => log.flatMap((event) => (event.type === "permission.replied" ? [event.properties] : []))
const answer = (reply: PermissionReply, index = 0) => asks.reply(asks.pending()[index]!.id, reply)

describe("without asking", () => {
  test("allowed by a rule", async () => {
    expect(await asks.ask(command("ls -la"), scope())).toEqual({ ok: true, value: {} })
    expect(log).toEqual([])
  })

  test("denied by a rule, which the message names; every pattern counts", async () => {
    const result = await asks.ask({ permission: "bash", patterns: ["ls", "rm x"], always: [] }, scope("auto"))
    expect(result.ok ? undefined : result.error.kind).toBe("denied")
    expect(result.ok ? "" : result.error.message).toContain('bash rm x is denied by the rule bash "rm *": deny')
    expect(log).toEqual([])
    expect(unanswered).toEqual([])
  })

  test("nothing to match asks", async () => {
    await asks.ask({ permission: "bash", patterns: [], always: [] }, scope("deny"))
    expect(types()).toEqual(["permission.asked", "permission.replied"])
  })
})

describe("waiting", () => {
  test("the request is durable and says why, once goes on", async () => {
    const asked = asks.ask(
      {
        ...command("git push", ["git push *"]),
        metadata: { command: "git push" },
        commands: [{ text: "git push", named: ["git push"], also: [], free: false, destructive: "it is gone" }],
      },
      scope("wait", { tool: { messageID: "msg_1", callID: "c1" } }),
    )
    expect(log).toEqual([
      {
        type: "permission.asked",
        properties: {
          id: expect.stringMatching(/^per_/) as string,
          sessionID,
          permission: "bash",
          patterns: ["git push"],
          metadata: {
            command: "git push",
            agent: "build",
            parts: [
              {
                text: "git push",
                verdict: "ask",
                rule: { permission: "bash", pattern: "*", action: "ask" },
                reason: 'the rule bash "*": ask; it is gone',
                destructive: true,
              },
            ],
          },
          always: ["git push *"],
          tool: { messageID: "msg_1", callID: "c1" },
        },
      },
    ])
    expect(asks.pending(sessionID)).toHaveLength(1)
    expect(asks.pending("ses_other")).toEqual([])
    expect(answer({ reply: "once" })).toEqual(ok(undefined))
    expect(await asked).toEqual(ok({}))
    expect(replies()).toMatchObject([{ sessionID, reply: "once" }])
    expect(asks.pending()).toEqual([])
    // It was for once.
    const again = asks.ask(command("git push", ["git push *"]), scope())
    expect(asks.pending()).toHaveLength(1)
    answer({ reply: "once" })
    await again
  })

  test("an ask of a subagent says whose it is: its agent, and the sessions above it", async () => {
    const asked = asks.ask(command("make"), scope("wait", { agent: "explore", parents: ["ses_mid", "ses_top"] }))
    expect(asks.pending()[0]).toMatchObject({
      sessionID,
      metadata: { agent: "explore", parents: ["ses_mid", "ses_top"] },
    })
    answer({ reply: "once" })
    await asked
  })

  test("an unknown or answered request is not answered again", async () => {
    const asked = asks.ask(command("make"), scope())
    const { id } = asks.pending()[0]!
    const none = err({ kind: "unknown", message: "no ask per_nobody waits" })
    expect(asks.reply("per_nobody", { reply: "once" })).toEqual(none as never)
    expect(asks.reply(id, { reply: "once" }).ok).toBe(true)
    expect(asks.reply(id, { reply: "reject" }).ok).toBe(false)
    expect((await asked).ok).toBe(true)
  })

  test("a listener may answer while the ask is being appended", async () => {
    asks = createAsks({
      ids: new Ids({ now: () => 1 }),
      approvals: () => ({ session: [], project: [] }),
      append: (_, events) => {
        log.push(...events)
        for (const event of events)
          if (event.type === "permission.asked") asks.reply(event.properties.id, { reply: "once" })
      },
    })
    expect((await asks.ask(command("make"), scope())).ok).toBe(true)
    expect(types()).toEqual(["permission.asked", "permission.replied"])
  })

  test("a log that cannot be written is a defect and leaves nothing pending", async () => {
    asks = createAsks({
      ids: new Ids({ now: () => 1 }),
      approvals: () => ({ session: [], project: [] }),
      append: () => {
        throw new Error("disk full")
      },
    })
    await expect(asks.ask(command("make"), scope())).rejects.toThrow("disk full")
    expect(asks.pending()).toEqual([])
  })
})

describe("by hunk", () => {
  const hunks = ["@@ -1,3 +1,4 @@", "@@ -20 +21,2 @@", "@@ -40 +42 @@"].map((header, number) => ({
    number,
    file: "a",
    header,
  }))
  const edit: Ask = { permission: "edit", patterns: ["/w/a"], always: ["/w/a"], metadata: { diff: "…" }, hunks }

  test("the request numbers them, the answer says which: in order, each once", async () => {
    const asked = asks.ask(edit, scope())
    expect(asks.pending()[0]!.metadata).toMatchObject({ diff: "…", hunks })
    expect(answer({ reply: "once", hunks: [2, 0, 2] }).ok).toBe(true)
    expect(await asked).toEqual(ok({ hunks: [0, 2] }))
    expect(replies()).toMatchObject([{ reply: "once", hunks: [0, 2] }])
  })

  test.each([[[3]], [[0, 17]], [[-1]], [[0.5]], [[Number.NaN]]])(
    "%j is refused, and the ask waits on",
    async (wrong) => {
      const asked = asks.ask(edit, scope())
      const refused = answer({ reply: "once", hunks: wrong })
      expect(refused.ok ? "" : `${refused.error.kind}: ${refused.error.message}`).toMatch(/^hunks: .*they are 0 to 2/)
      expect([asks.pending().length, replies()]).toEqual([1, []])
      expect(answer({ reply: "once" }).ok).toBe(true)
      expect(await asked).toEqual(ok({}))
    },
  )

  test("none of them is a reject, of what else waits as well; with a word the model reads it", async () => {
    const first = asks.ask(edit, scope())
    const other = asks.ask(command("make"), scope())
    expect(answer({ reply: "always", scope: "project", hunks: [] }).ok).toBe(true)
    for (const result of [await first, await other]) expect(result.ok ? "" : result.error.kind).toBe("rejected")
    expect(replies().map(({ reply }) => reply)).toEqual(["reject", "reject"])
    const second = asks.ask(edit, scope())
    answer({ reply: "once", hunks: [], message: "not now" })
    expect(await second).toEqual(err({ kind: "denied", message: "The user refused: not now" }) as never)
  })

  test("what has none takes none, and a reject does not look at them", async () => {
    const first = asks.ask(command("make"), scope())
    for (const chosen of [[0], []])
      expect(answer({ reply: "once", hunks: chosen })).toMatchObject({ ok: false, error: { kind: "hunks" } })
    answer({ reply: "once" })
    expect((await first).ok).toBe(true)
    const second = asks.ask(edit, scope())
    answer({ reply: "reject", hunks: [99] })
    expect((await second).ok).toBe(false)
    expect(replies().at(-1)).not.toHaveProperty("hunks")
  })
})

describe("always", () => {
  test("holds for the session, for what the pattern covers, and also for what waits", async () => {
    const first = asks.ask(command("git push a", ["git push *"]), scope())
    const second = asks.ask(command("git push b", ["git push *"]), scope())
    const third = asks.ask(command("make", ["make *"]), scope())
    const other = asks.ask(command("git push c", ["git push *"]), scope("wait", { sessionID: "ses_two" }))
    answer({ reply: "always" })
    expect((await first).ok && (await second).ok).toBe(true)
    expect(asks.pending().map((request) => request.patterns[0])).toEqual(["make", "git push c"])
    expect(await asks.ask(command("git push d"), scope())).toEqual({ ok: true, value: {} })
    expect(replies().map((reply) => reply.reply)).toEqual(["always", "once"])
    answer({ reply: "once" })
    answer({ reply: "once" })
    await Promise.all([third, other])
  })

  test("together with rules: what is approved and what is allowed make one allowed line", async () => {
    const first = asks.ask(command("git push a", ["git push *"]), scope())
    answer({ reply: "always" })
    await first
    const both: Ask = { permission: "bash", patterns: ["ls -la", "git push b"], always: [] }
    expect((await asks.ask(both, scope("deny"))).ok).toBe(true)
    expect((await asks.ask({ ...both, patterns: ["make", "git push b"] }, scope("deny"))).ok).toBe(false)
  })

  test("for the project: other sessions too, and what waits there", async () => {
    const first = asks.ask(command("make", ["make *"]), scope())
    const other = asks.ask(command("make x", ["make *"]), scope("wait", { sessionID: "ses_two" }))
    answer({ reply: "always", scope: "project" })
    expect((await first).ok && (await other).ok).toBe(true)
    expect(await asks.ask(command("make y"), scope("deny", { sessionID: "ses_three" }))).toEqual({
      ok: true,
      value: {},
    })
  })

  test("is rebuilt from the log after a restart", async () => {
    const asked = asks.ask(command("git push a", ["git push *"]), scope())
    answer({ reply: "always" })
    await asked
    asks = start()
    expect(await asks.ask(command("git push b"), scope("deny"))).toEqual({ ok: true, value: {} })
    expect((await asks.ask(command("make"), scope("deny"))).ok).toBe(false)
    expect((await asks.ask(command("git push b"), scope("deny", { sessionID: "ses_two" }))).ok).toBe(false)
  })

  test("holds until it is removed, also where it was removed behind the back of this process", async () => {
    for (const scopeOf of ["session", "project"] as const) {
      const asked = asks.ask(command("git push a", ["git push *"]), scope())
      const requestID = asks.pending()[0]!.id
      answer({ reply: "always", scope: scopeOf })
      await asked
      expect((await asks.ask(command("git push b"), scope("deny"))).ok).toBe(true)
      log.push({ type: "permission.removed", properties: { sessionID, requestID } })
      expect((await asks.ask(command("git push b"), scope("deny"))).ok).toBe(false)
    }
  })

  test("never lifts a deny, and covers its own key only", async () => {
    const asked = asks.ask(command("make", ["*"]), scope())
    answer({ reply: "always" })
    await asked
    expect((await asks.ask(command("rm x"), scope())).ok).toBe(false)
    expect((await asks.ask({ permission: "edit", patterns: ["/w/a"], always: [] }, scope("deny"))).ok).toBe(false)
  })

  test("is once when nothing was offered for it", async () => {
    const asked = asks.ask(command("make", []), scope())
    answer({ reply: "always" })
    await asked
    expect(replies()[0]!.reply).toBe("once")
    expect((await asks.ask(command("make"), scope("deny"))).ok).toBe(false)
  })

  test("a path is approved under both its names", async () => {
    const asked = asks.ask({ permission: "edit", patterns: ["/w/src/a.ts"], always: ["src/*"] }, scope())
    answer({ reply: "always" })
    await asked
    expect((await asks.ask({ permission: "edit", patterns: ["/w/src/b.ts"], always: [] }, scope("deny"))).ok).toBe(true)
    expect((await asks.ask({ permission: "edit", patterns: ["/x/src/b.ts"], always: [] }, scope("deny"))).ok).toBe(
      false,
    )
  })
})

describe("reject", () => {
  test("without a word: rejected, and with it what else the session waits for", async () => {
    const first = asks.ask(command("make"), scope())
    const second = asks.ask(command("cc"), scope())
    const other = asks.ask(command("make"), scope("wait", { sessionID: "ses_two" }))
    answer({ reply: "reject" })
    for (const result of [await first, await second]) expect(result.ok ? undefined : result.error.kind).toBe("rejected")
    expect(asks.pending().map((request) => request.sessionID)).toEqual(["ses_two"])
    expect(replies()).toHaveLength(2)
    answer({ reply: "once" })
    await other
  })

  test("with a word: denied, the word reaches the model, the others are denied as well", async () => {
    const first = asks.ask(command("make"), scope())
    const second = asks.ask(command("cc"), scope())
    answer({ reply: "reject", message: "use ninja" })
    const [one, two] = [await first, await second]
    expect(one).toEqual({ ok: false, error: { kind: "denied", message: "The user refused: use ninja" } })
    expect(two.ok ? undefined : two.error.kind).toBe("denied")
  })

  test("blank words are no words", async () => {
    const asked = asks.ask(command("make"), scope())
    answer({ reply: "reject", message: "  " })
    const result = await asked
    expect(result.ok ? undefined : result.error.kind).toBe("rejected")
  })
})

describe("interruption", () => {
  test("while waiting: the answer is durable, the call rejects with the reason", async () => {
    const asked = asks.ask(command("make"), scope())
    const reason = new Interrupted("stop")
    group.cancel(reason)
    await expect(asked).rejects.toBe(reason)
    expect(types()).toEqual(["permission.asked", "permission.replied"])
    expect(replies()[0]).toMatchObject({ reply: "reject", message: "interrupted" })
    expect(asks.pending()).toEqual([])
  })

  test("before asking: nothing is written", async () => {
    group.cancel()
    await expect(asks.ask(command("make"), scope())).rejects.toBeInstanceOf(Interrupted)
    expect(log).toEqual([])
  })

  test("an answer that came first stands alone in the log", async () => {
    const asked = asks.ask(command("make"), scope())
    answer({ reply: "once" })
    group.cancel()
    await asked.catch(() => undefined)
    expect(replies().map((reply) => reply.reply)).toEqual(["once"])
  })
})

describe("modes", () => {
  test("deny: asked and refused are both durable, and it is told", async () => {
    const result = await asks.ask(command("make"), scope("deny"))
    expect(result.ok ? undefined : result.error.kind).toBe("denied")
    expect(result.ok ? "" : result.error.message).toContain("nobody is here")
    expect(types()).toEqual(["permission.asked", "permission.replied"])
    expect(unanswered.map((request) => request.patterns)).toEqual([["make"]])
  })

  test("auto: yes, but not to a loop or a protected path, and never to a deny", async () => {
    expect((await asks.ask(command("make"), scope("auto"))).ok).toBe(true)
    expect(replies()[0]!.reply).toBe("once")
    const loop = await asks.ask({ permission: "doom_loop", patterns: ["bash"], always: ["bash"] }, scope("auto"))
    const guarded = await asks.ask(
      { ...command("ls"), mustAsk: { reason: "protected", protected: true } },
      scope("auto"),
    )
    expect([loop.ok, guarded.ok]).toEqual([false, false])
    expect(unanswered).toHaveLength(2)
    expect((await asks.ask(command("rm x"), scope("auto"))).ok).toBe(false)
    expect(unanswered).toHaveLength(2)
  })
})

describe("must ask", () => {
  const protectedAsk: Ask = {
    permission: "bash",
    patterns: ["ls"],
    always: ["ls *"],
    mustAsk: { reason: "it is protected", protected: true },
  }

  test("asks though it is allowed, says why, and each approval is for once", async () => {
    const first = asks.ask(protectedAsk, scope())
    expect(asks.pending()[0]).toMatchObject({ always: [], metadata: { reason: "it is protected" } })
    answer({ reply: "always" })
    expect((await first).ok).toBe(true)
    const second = asks.ask(protectedAsk, scope())
    expect(asks.pending()).toHaveLength(1)
    answer({ reply: "once" })
    await second
  })

  test("an approval for what is not protected covers it; a deny stays a deny", async () => {
    const ask: Ask = { permission: "bash", patterns: ["ls x"], always: ["ls *"], mustAsk: { reason: "look twice" } }
    const first = asks.ask(ask, scope())
    answer({ reply: "always" })
    await first
    expect((await asks.ask(ask, scope("deny"))).ok).toBe(true)
    expect((await asks.ask({ ...ask, patterns: ["rm x"] }, scope())).ok).toBe(false)
    expect(asks.pending()).toEqual([])
  })
})

describe("command lines", () => {
  const line = (text: string) => planCommand(parse, text, { cwd: "/w", worktree: "/w", home: "/h" }).asks[0]!

  test("an opaque line is shown whole, is for once, and no approval covers it", async () => {
    const approval = asks.ask(command("x", ["*"]), scope())
    answer({ reply: "always" })
    await approval
    const asked = asks.ask(line("ls && eval $USER"), scope())
    const [request] = asks.pending()
    expect(request).toMatchObject({ patterns: ["ls", "eval $USER", "ls && eval $USER"], always: [] })
    expect(String(request!.metadata.reason)).toContain("runs a text")
    answer({ reply: "once" })
    expect((await asked).ok).toBe(true)
  })

  test("an opaque line asks though everything is allowed, and goes on by itself where the user said so", async () => {
    const free = layerStack({ trusted: false, home: "/h", user: fromConfig({ bash: "allow" }) })
    const text = "eval $USER"
    expect((await asks.ask(line(text), scope("deny", { rules: free }))).ok).toBe(false)
    expect(unanswered[0]!.metadata.parts).toContainEqual(expect.objectContaining({ text, verdict: "ask" }))
    expect((await asks.ask(line(text), scope("auto", { rules: free }))).ok).toBe(true)
    const before = log.length
    const context = { cwd: "/w", worktree: "/w", home: "/h", unbounded: true }
    expect((await asks.ask(planCommand(parse, text, context).asks[0]!, scope("deny", { rules: free }))).ok).toBe(true)
    expect(log).toHaveLength(before)
  })

  test("one that hides what is denied is denied, with no ask", async () => {
    for (const text of ["env rm x", "ls && $(rm x)", "ls; /bin/rm x"])
      expect((await asks.ask(line(text), scope("auto"))).ok).toBe(false)
    expect(log).toEqual([])
  })
})

test("the log of asks and answers gives the approvals and what is still open", () => {
  const request = (id: string): PermissionRequest => ({
    id,
    sessionID,
    permission: "bash",
    patterns: ["x"],
    metadata: {},
    always: [`${id} *`],
  })
  const events: DurableEvent[] = [
    ...["per_1", "per_2", "per_3", "per_4"].map((id): DurableEvent => ({
      type: "permission.asked",
      properties: request(id),
    })),
    { type: "permission.replied", properties: { sessionID, requestID: "per_1", reply: "always" } },
    { type: "permission.replied", properties: { sessionID, requestID: "per_2", reply: "always", scope: "project" } },
    { type: "permission.replied", properties: { sessionID, requestID: "per_3", reply: "once" } },
    { type: "permission.replied", properties: { sessionID, requestID: "per_9", reply: "always" } },
  ]
  expect(foldApprovals(events)).toEqual({
    session: [{ permission: "bash", pattern: "per_1 *", action: "allow" }],
    project: [{ permission: "bash", pattern: "per_2 *", action: "allow" }],
    pending: [request("per_4")],
  })
})

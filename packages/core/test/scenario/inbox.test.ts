import { describe, expect, test } from "bun:test"
import type { InboxItem } from "@cairn/schema/prompt"
import { type Gate, gate } from "@cairn/testkit/gate"
import { userTexts } from "@cairn/testkit/request"
import { text, toolCall, waitFor } from "@cairn/testkit/scenario"
import fc from "fast-check"
import { createEngine } from "../../src/app.ts"
import { type Bench, bench, problemsOf } from "./harness.ts"

const model = { providerID: "test", modelID: "scripted" }
const say = (made: Bench, sessionID: string, words: string, delivery: "steer" | "queue" = "queue") =>
  made.engine.prompt({ sessionID, parts: [{ type: "text", text: words }], model, asks: "deny", delivery })

const wordsOf = (items: readonly InboxItem[]) =>
  items.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" "))

interface Busy extends AsyncDisposable {
  readonly made: Bench
  readonly sessionID: string
  /** Lets the first answer go on. */
  readonly hold: Gate
  readonly first: ReturnType<typeof say>
  waiting(): InboxItem[]
  item(n: number): InboxItem
}

/** A session whose first answer streams until it is let go. */
async function busy(answers: number): Promise<Busy> {
  const hold = gate()
  const rest = Array.from({ length: answers }, (_, n) => [text(`answer ${n + 2}`)])
  const made = await bench([[text("answer 1"), waitFor(hold)], ...rest])
  const { id: sessionID } = await made.engine.createSession({})
  const streaming = gate()
  const stop = made.engine.subscribe((event) => {
    if (event.type === "message.part.delta") streaming.open()
  })
  const first = say(made, sessionID, "begin")
  await streaming.opened
  stop()
  const waiting = () => made.engine.inbox(sessionID)
  return {
    ...{ made, sessionID, hold, first, waiting },
    item: (n) => waiting()[n]!,
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  }
}

/** Resolves when nothing runs in the session any more. */
async function idle({ engine }: Bench, sessionID: string): Promise<void> {
  const over = gate()
  const stop = engine.subscribe((event) => {
    if (event.type === "session.idle") over.open()
  })
  if (engine.status(sessionID).type !== "idle") await over.opened
  stop()
}

const asked = (made: Bench): string[] => made.server.requests.map((request) => userTexts(request).at(-1) ?? "")

describe("a prompt that waits", () => {
  test("says what it was changed to, and keeps its files", async () => {
    await using b = await busy(1)
    const { engine } = b.made
    const file = { type: "file", mime: "text/plain", filename: "a.txt", url: "data:text/plain,first" } as const
    const parts = [{ type: "text" as const, text: "old words" }, file]
    const added = gate()
    engine.subscribe((event) => {
      if (event.type === "session.inbox.added") added.open()
    })
    const queued = engine.prompt({ sessionID: b.sessionID, parts, model, asks: "deny", delivery: "queue" })
    await added.opened
    const changed = engine.changeInbox(b.sessionID, b.item(0).id, { text: "new words" })
    expect(changed).toMatchObject({ ok: true, value: { parts: [{ text: "new words" }, { type: "file" }] } })
    b.hold.open()
    expect(await queued).toMatchObject({ ok: true, value: { text: "answer 2" } })
    const sent = JSON.stringify(b.made.server.requests[1]!.body)
    expect(sent).toContain("new words")
    expect(sent).toContain("a.txt")
    expect(sent).not.toContain("old words")
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("is never answered once it was cancelled, and whoever sent it is told", async () => {
    await using b = await busy(1)
    const [one, two] = [say(b.made, b.sessionID, "one"), say(b.made, b.sessionID, "two")]
    const { id } = b.item(0)
    expect(b.made.engine.cancelInbox(b.sessionID, id)).toEqual({ ok: true, value: undefined })
    expect(await one).toMatchObject({ ok: false, error: { kind: "inbox" } })
    expect(b.made.engine.cancelInbox(b.sessionID, id)).toMatchObject({ ok: false, error: { kind: "inbox" } })
    b.hold.open()
    expect(await two).toMatchObject({ ok: true, value: { text: "answer 2" } })
    expect(asked(b.made).join("\n")).not.toContain("one")
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("that steers can be cancelled too: the turn ends without it", async () => {
    await using b = await busy(0)
    const steered = say(b.made, b.sessionID, "no, wait", "steer")
    expect(b.made.engine.cancelInbox(b.sessionID, b.item(0).id).ok).toBe(true)
    b.hold.open()
    expect(await steered).toMatchObject({ ok: true, value: { text: "answer 1" } })
    expect(b.made.server.requests).toHaveLength(1)
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("moves to another place, and later ones come after it", async () => {
    await using b = await busy(4)
    const all = ["one", "two", "three"].map((words) => say(b.made, b.sessionID, words))
    b.made.engine.changeInbox(b.sessionID, b.item(2).id, { position: 0 })
    all.push(say(b.made, b.sessionID, "four"))
    expect(wordsOf(b.waiting())).toEqual(["three", "one", "two", "four"])
    b.hold.open()
    await Promise.all(all)
    expect(asked(b.made)).toEqual([expect.stringContaining("begin"), "three", "one", "two", "four"])
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("that is held back is passed over, also by a restart, until it is let go", async () => {
    await using b = await busy(3)
    const [held, other] = [say(b.made, b.sessionID, "held"), say(b.made, b.sessionID, "other")]
    expect(b.made.engine.changeInbox(b.sessionID, b.item(0).id, { hold: true }).ok).toBe(true)
    b.hold.open()
    expect(await other).toMatchObject({ ok: true, value: { text: "answer 2" } })
    const engine = await b.made.restart()
    // Whoever sent it hears that it waits on.
    expect(await held).toMatchObject({ ok: false, error: { kind: "inbox" } })
    expect(wordsOf(engine.inbox(b.sessionID))).toEqual(["held"])
    await say(b.made, b.sessionID, "go on")
    const released = engine.changeInbox(b.sessionID, engine.inbox(b.sessionID)[0]!.id, { hold: false })
    expect(released.ok && "hold" in released.value).toBe(false)
    await idle(b.made, b.sessionID)
    expect(asked(b.made).slice(-2)).toEqual(["go on", "held"])
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("that is held is answered once it is let go, in an idle session too, and its sender hears that", async () => {
    await using b = await busy(1)
    const held = say(b.made, b.sessionID, "held")
    b.made.engine.changeInbox(b.sessionID, b.item(0).id, { hold: true })
    b.hold.open()
    expect(await b.first).toMatchObject({ ok: true, value: { text: "answer 1" } })
    await idle(b.made, b.sessionID)
    expect(wordsOf(b.waiting())).toEqual(["held"])
    b.made.engine.changeInbox(b.sessionID, b.item(0).id, { hold: false })
    expect(await held).toMatchObject({ ok: true, value: { text: "answer 2" } })
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("is answered by the running turn once it steers, and by its own once it queues", async () => {
    await using b = await busy(2)
    const [steered, queued] = [say(b.made, b.sessionID, "now"), say(b.made, b.sessionID, "later", "steer")]
    b.made.engine.changeInbox(b.sessionID, b.item(0).id, { delivery: "steer" })
    b.made.engine.changeInbox(b.sessionID, b.item(1).id, { delivery: "queue" })
    b.hold.open()
    expect(await steered).toMatchObject({ ok: true, value: { text: "answer 2" } })
    expect(await queued).toMatchObject({ ok: true, value: { text: "answer 2" } })
    await b.first
    await b.made.engine.abort(b.sessionID)
    expect(asked(b.made)[1]).toContain("now")
    expect(problemsOf(b.made, b.sessionID)).toEqual([])
  })

  test("cannot be emptied", async () => {
    await using b = await busy(1)
    const queued = say(b.made, b.sessionID, "words")
    const refused = b.made.engine.changeInbox(b.sessionID, b.item(0).id, { text: "  \n" })
    expect(refused).toMatchObject({ ok: false, error: { kind: "usage", message: expect.stringContaining("Cancel") } })
    expect(wordsOf(b.waiting())).toEqual(["words"])
    b.hold.open()
    await queued
  })
})

test("another process changes and cancels what waits here", async () => {
  await using b = await busy(1)
  const [gone, kept] = [say(b.made, b.sessionID, "gone"), say(b.made, b.sessionID, "kept")]
  const opened = await createEngine(b.made.options)
  if (!opened.ok) throw new Error(opened.error.message)
  {
    await using other = opened.value
    expect(other.cancelInbox(b.sessionID, b.item(0).id).ok).toBe(true)
    expect(other.changeInbox(b.sessionID, b.item(0).id, { text: "kept, but different" }).ok).toBe(true)
  }
  b.hold.open()
  expect(await kept).toMatchObject({ ok: true, value: { text: "answer 2" } })
  expect(await gone).toMatchObject({ ok: false, error: { kind: "inbox" } })
  expect(asked(b.made)[1]).toBe("kept, but different")
  expect(problemsOf(b.made, b.sessionID)).toEqual([])
})

test("what waits is taken in its order or cancelled, whatever is done to it: nothing twice, nothing lost", async () => {
  const act = fc.record({ n: fc.nat(3), what: fc.constantFrom("up", "down", "cancel", "steer", "queue", "text") })
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 8 }), async (acts) => {
      let tools = 0
      await using made = await bench(() =>
        ++tools === 1 ? toolCall("bash", { command: "while [ ! -e go ]; do sleep 0.02; done" }) : text("Fine."),
      )
      const { id: sessionID } = await made.engine.createSession({})
      const first = say(made, sessionID, "begin")
      const others = ["w0", "w1", "w2"].map((words, n) => say(made, sessionID, words, n === 0 ? "steer" : "queue"))
      const cancelled = new Set<string>()
      for (const { n, what } of acts) {
        const item = made.engine.inbox(sessionID)[n]
        if (!item) continue
        if (what === "cancel") {
          cancelled.add(wordsOf([item])[0]!.slice(0, 2))
          made.engine.cancelInbox(sessionID, item.id)
        } else if (what === "text")
          made.engine.changeInbox(sessionID, item.id, { text: `${wordsOf([item])[0]!.slice(0, 2)} changed` })
        else if (what === "steer" || what === "queue") made.engine.changeInbox(sessionID, item.id, { delivery: what })
        else made.engine.changeInbox(sessionID, item.id, { position: what === "up" ? 0 : 3 })
      }
      await made.workspace.write("go", "")
      await Promise.all([first, ...others])
      await idle(made, sessionID)
      expect(made.engine.inbox(sessionID)).toEqual([])
      const last = userTexts(made.server.requests.at(-1)!).join("\n")
      for (const words of ["w0", "w1", "w2"]) expect(last.split(words)).toHaveLength(cancelled.has(words) ? 1 : 2)
      expect(problemsOf(made, sessionID)).toEqual([])
    }),
    { numRuns: 12, seed: 20261122 },
  )
})

test("a process for one prompt leaves what others queued, and it is answered by one that stays", async () => {
  await using b = await busy(3)
  const queued = say(b.made, b.sessionID, "queued")
  await b.made.engine[Symbol.asyncDispose]()
  await queued
  const opened = await createEngine({ ...b.made.options, leavesQueued: true })
  if (!opened.ok) throw new Error(opened.error.message)
  {
    await using once = opened.value
    const sent = {
      sessionID: b.sessionID,
      parts: [{ type: "text" as const, text: "one" }],
      model,
      asks: "deny" as const,
    }
    expect(await once.prompt(sent)).toMatchObject({ ok: true, value: { text: "answer 2" } })
    expect(wordsOf(once.inbox(b.sessionID))).toEqual(["queued"])
  }
  await b.made.restart()
  await say(b.made, b.sessionID, "two")
  await idle(b.made, b.sessionID)
  expect(asked(b.made).slice(1)).toEqual([expect.stringMatching(/\none$/), "two", "queued"])
  expect(problemsOf(b.made, b.sessionID)).toEqual([])
})

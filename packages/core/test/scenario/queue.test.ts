import { describe, expect, test } from "bun:test"
import { gate } from "@cairn/testkit/gate"
import { text, toolCall, waitFor } from "@cairn/testkit/scenario"
import type { Engine } from "@cairn/schema/engine"
import { bench, problemsOf } from "./harness.ts"

const model = { providerID: "test", modelID: "scripted" }

/** Resolves when text of an answer arrives. */
function answering(engine: Engine): Promise<void> {
  const seen = gate()
  const stop = engine.subscribe((event) => {
    if (event.type === "message.part.delta") seen.open()
  })
  return seen.opened.then(stop)
}

describe("a queued prompt is asked in its own way", () => {
  const asking = { config: { permission: { bash: "ask" } } }
  const call = (n: number) => toolCall("bash", { command: `echo ${n} >> ran.txt` })

  test("whatever the way of the run that it follows", async () => {
    const hold = gate()
    await using made = await bench([[text("One"), waitFor(hold)], call(2), text("Two"), call(3), text("Three")], asking)
    const session = await made.engine.createSession({})
    const streaming = answering(made.engine)
    const prompt = (words: string, asks: "wait" | "deny" | "auto") =>
      made.engine.prompt({
        sessionID: session.id,
        parts: [{ type: "text", text: words }],
        model,
        asks,
        delivery: "queue",
      })
    const answered: string[] = []
    made.engine.subscribe((event) => {
      if (event.type !== "permission.asked") return
      const { id, patterns } = event.properties
      queueMicrotask(() => made.engine.replyPermission(id, { reply: "once" }).ok && answered.push(patterns.join()))
    })
    const first = prompt("1", "deny")
    await streaming
    const others = [prompt("2", "auto"), prompt("3", "wait")]
    hold.open()
    expect(await first).toMatchObject({ value: { text: "One", denied: 0 } })
    for (const [index, words] of ["Two", "Three"].entries())
      expect(await others[index]).toMatchObject({ value: { reason: "done", text: words, denied: 0 } })
    expect(await made.workspace.read("ran.txt")).toBe("2\n3\n")
    expect(answered).toEqual(["echo 3"])
    expect(problemsOf(made, session.id)).toEqual([])
  })

  test.each([
    ["wait", "deny", { denied: 1, ran: undefined }],
    ["wait", "auto", { denied: 1, ran: undefined }],
    ["auto", "deny", { denied: 0, ran: "2\n" }],
    ["deny", "auto", { denied: 1, ran: undefined }],
  ] as const)("queued as %s by somebody who has gone, it follows a run of %s", async (own, following, expected) => {
    const hold = gate()
    const never = gate()
    await using made = await bench(
      [[text("One"), waitFor(never)], [text("Again"), waitFor(hold)], call(2), text("Two")],
      asking,
    )
    const session = await made.engine.createSession({})
    const prompt = (words: string, asks: "wait" | "deny" | "auto") =>
      made.engine.prompt({
        sessionID: session.id,
        parts: [{ type: "text", text: words }],
        model,
        asks,
        delivery: "queue",
      })
    const streaming = answering(made.engine)
    const first = prompt("1", "wait")
    await streaming
    const queued = prompt("2", own)
    await made.restart()
    expect(await first).toMatchObject({ value: { reason: "aborted" } })
    expect(await queued).toMatchObject({ value: { reason: "aborted" } })
    const ended = gate()
    let ends = 0
    made.engine.subscribe((event) => {
      if (event.type === "session.idle" && ++ends === 1) ended.open()
    })
    hold.open()
    expect(await prompt("again", following)).toMatchObject({ value: { text: "Again" } })
    await ended.opened
    const parts = made.engine.messages(session.id).flatMap(({ parts: each }) => each)
    const refused = parts.filter((part) => part.type === "tool" && part.state.status === "error")
    expect(refused).toHaveLength(expected.denied)
    expect(await made.workspace.read("ran.txt").catch(() => undefined)).toBe(expected.ran)
    expect(made.engine.pendingAsks(session.id)).toEqual([])
    expect(problemsOf(made, session.id)).toEqual([])
  })
})

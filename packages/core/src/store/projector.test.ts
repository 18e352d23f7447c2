import { expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import type { ToolPart } from "@cairn/schema/part"
import fc from "fast-check"
import * as make from "../../test/store/events.ts"
import { tempStore } from "../../test/store/temp-store.ts"
import { verify } from "./verify.ts"

/** Few ids, so that events meet each other's rows; mostly those that belong together, so that most events are valid. */
const ids = ["1", "2", "3"] as const
const one = fc.constantFrom(...ids)
const session = one.map((n) => `ses_${n}`)
const place = fc.oneof(
  { weight: 9, arbitrary: one.map((n) => ({ session: `ses_${n}`, messageID: `msg_${n}` })) },
  fc.record({ session, messageID: one.map((n) => `msg_${n}`) }),
)
const partPlace = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(one, one)
      .map(([n, k]) => ({ session: `ses_${n}`, messageID: `msg_${n}`, partID: `prt_${n}${k}` })),
  },
  fc.record({ session, messageID: one.map((n) => `msg_${n}`), partID: one.map((n) => `prt_1${n}`) }),
)
const text = fc.string({ unit: "binary", maxLength: 12 })

const textPart = fc
  .tuple(partPlace, text)
  .map(([of, value]) => make.textPart(of.session, of.messageID, of.partID, value))
const toolPart = fc.tuple(partPlace, fc.dictionary(text, fc.jsonValue())).map(([of, input]): ToolPart => ({
  id: of.partID,
  sessionID: of.session,
  messageID: of.messageID,
  type: "tool",
  callID: "call_1",
  tool: "read",
  state: { status: "pending", input, raw: "" },
}))
const settledPart = fc
  .tuple(partPlace, text, fc.boolean())
  .map(([of, value, failed]) =>
    make.toolPart(
      of.session,
      of.messageID,
      of.partID,
      failed ? { status: "error", input: {}, error: value, time: { start: 1, end: 2 } } : make.completed(value),
    ),
  )
const spending = fc
  .record({ time: fc.nat(), cost: fc.double({ min: 0, max: 100, noNaN: true }), calls: fc.integer({ min: 2, max: 9 }) })
  .map(make.spent)
const info = fc.record({
  title: text,
  projectID: fc.constantFrom("root", "path"),
  metadata: fc.option(fc.dictionary(text, fc.jsonValue()), { nil: undefined }),
})

const is = (value: DurableEvent): DurableEvent => value
const often = (weight: number, arbitrary: fc.Arbitrary<DurableEvent>) => ({ weight, arbitrary })
const event: fc.Arbitrary<DurableEvent> = fc.oneof(
  often(
    1,
    fc.tuple(session, info).map(([id, more]) => make.created(id, more)),
  ),
  often(
    2,
    fc.tuple(session, info).map(([id, more]) => make.updated(id, more)),
  ),
  often(
    1,
    fc.tuple(session, fc.array(spending, { maxLength: 3 })).map(([id, list]) => make.deleted(id, list)),
  ),
  often(
    1,
    fc
      .tuple(session, spending)
      .map(([sessionID, spent]) => is({ type: "session.spent", properties: { sessionID, spent } })),
  ),
  often(
    2,
    fc
      .tuple(place, fc.double({ min: 0, max: 100, noNaN: true }))
      .map(([of, cost]) => make.message(make.answered(of.session, of.messageID, { cost }))),
  ),
  often(
    4,
    place.map((of) => make.message(make.userMessage(of.session, of.messageID))),
  ),
  often(
    2,
    place.map((of) => make.message(make.assistantMessage(of.session, of.messageID))),
  ),
  often(
    1,
    place.map((of) => is({ type: "message.removed", properties: { sessionID: of.session, messageID: of.messageID } })),
  ),
  often(8, fc.oneof(textPart, toolPart, settledPart).map(make.part)),
  often(
    6,
    fc
      .tuple(textPart, text, fc.constantFrom("text", "metadata"))
      .map(([of, more, field]) => make.delta(of, more, 0, field)),
  ),
  often(
    1,
    textPart.map(({ sessionID, messageID, id: partID }) =>
      is({ type: "message.part.removed", properties: { sessionID, messageID, partID } }),
    ),
  ),
  often(
    1,
    fc.tuple(session, one).map(([of, n]) => make.turnStarted(of, `run_${n}`)),
  ),
  often(
    1,
    fc.tuple(session, one).map(([of, n]) => make.turnEnded(of, `run_${n}`)),
  ),
  often(
    1,
    fc.tuple(session, one).map(([of, n]) => make.inboxAdded(of, make.inboxItem(`inb_${n}`))),
  ),
  often(
    1,
    fc
      .tuple(session, one)
      .map(([sessionID, n]) =>
        is({ type: "session.inbox.updated", properties: { sessionID, item: make.inboxItem(`inb_${n}`, "steer") } }),
      ),
  ),
  often(
    1,
    fc
      .tuple(session, one)
      .map(([sessionID, n]) =>
        is({ type: "session.inbox.removed", properties: { sessionID, inboxID: `inb_${n}`, reason: "delivered" } }),
      ),
  ),
  often(
    1,
    fc.tuple(session, one).map(([of, n]) => make.asked(of, `per_${n}`)),
  ),
  often(
    1,
    fc
      .tuple(session, one, text)
      .map(([of, n, more]) => make.replied(of, `per_${n}`, { reply: "always", message: more })),
  ),
  often(
    1,
    fc
      .tuple(session, one)
      .map(([sessionID, n]) => is({ type: "permission.removed", properties: { sessionID, requestID: `per_${n}` } })),
  ),
  often(
    1,
    fc.tuple(session, one).map(([of, n]) => make.questioned(of, `que_${n}`)),
  ),
  often(
    1,
    fc
      .tuple(session, one, text)
      .map(([sessionID, n, answer]) =>
        is({ type: "question.replied", properties: { sessionID, requestID: `que_${n}`, answers: [[answer]] } }),
      ),
  ),
  often(
    1,
    fc
      .tuple(session, one)
      .map(([sessionID, n]) => is({ type: "question.rejected", properties: { sessionID, requestID: `que_${n}` } })),
  ),
  often(
    1,
    fc.tuple(session, text).map(([sessionID, content]) =>
      is({
        type: "todo.updated",
        properties: { sessionID, todos: [{ content, status: "pending", priority: "low" }] },
      }),
    ),
  ),
  often(
    3,
    fc
      .tuple(place, one, text, fc.constantFrom("", "a", "b"), fc.constantFrom("", "a", "b"))
      .map(([of, n, path, before, after]) =>
        make.filesChanged(of.session, of.messageID, make.fileChange(`chg_${of.session}${n}`, path, before, after)),
      ),
  ),
  often(
    1,
    fc
      .tuple(session, one, fc.constantFrom("revert" as const, "unrevert" as const))
      .map(([of, n, kind]) => make.revertBegun(of, `rev_${of}${n}`, { kind })),
  ),
  often(
    1,
    fc
      .tuple(session, one, fc.constantFrom("done" as const, "rolled_back" as const), fc.constantFrom("/a", "/b"))
      .map(([of, n, outcome, path]) => make.revertEnded(of, `rev_${of}${n}`, outcome, [path])),
  ),
  often(
    1,
    session.map((sessionID) => is({ type: "session.revert.cleared", properties: { sessionID } })),
  ),
  often(
    2,
    fc
      .tuple(place, one, text, fc.constantFrom("added", "deleted", "modified"))
      .map(([of, n, file, status]) =>
        make.stepChanged(of.session, of.messageID, `msg_${n}`, make.changedFile(file, status, 2, 1)),
      ),
  ),
  often(
    1,
    fc.tuple(one, fc.option(text, { nil: undefined })).map(([id, commonDir]) =>
      is({
        type: "project.updated",
        properties: { id, worktree: "/repo", commonDir, time: { created: 1, updated: 1 } },
      }),
    ),
  ),
)

const ownerOf = ({ type, properties }: DurableEvent) =>
  type === "project.updated" ? properties.id : properties.sessionID

/** What the text parts of one message must be, written down without SQL. */
type Texts = Map<string, { messageID: string; sessionID: string; text: string | undefined }>

function follow(texts: Texts, { type, properties }: DurableEvent): void {
  if (type === "message.part.updated") {
    const { id, messageID: of, sessionID } = properties.part
    texts.set(id, {
      messageID: of,
      sessionID,
      text: properties.part.type === "text" ? properties.part.text : undefined,
    })
  }
  if (type === "message.part.delta" && properties.field === "text") {
    const open = texts.get(properties.partID)
    if (open?.sessionID === properties.sessionID && open.text !== undefined) open.text += properties.delta
  }
  const gone = (id: string, one: { messageID: string; sessionID: string }) =>
    (type === "session.deleted" && one.sessionID === properties.sessionID) ||
    (type === "message.removed" && one.messageID === properties.messageID && one.sessionID === properties.sessionID) ||
    (type === "message.part.removed" && id === properties.partID && one.sessionID === properties.sessionID)
  for (const [id, one] of texts) if (gone(id, one)) texts.delete(id)
}

test("whatever is appended, a replay gives every column of every row; what is refused leaves no trace", () => {
  let accepted = 0
  fc.assert(
    fc.property(
      fc.array(fc.array(event, { minLength: 1, maxLength: 3 }), { minLength: 20, maxLength: 60 }),
      (batches) => {
        using temp = tempStore()
        for (const n of ids)
          temp.store.append(`ses_${n}`, [
            make.created(`ses_${n}`),
            make.message(make.userMessage(`ses_${n}`, `msg_${n}`)),
          ])
        const texts: Texts = new Map()
        for (const batch of batches) {
          const owner = batch[0] ? ownerOf(batch[0]) : ""
          const own = batch.filter((one) => ownerOf(one) === owner)
          const before = [temp.store.read.lastSeq(), temp.published.length]
          try {
            temp.store.append(owner, own)
          } catch {
            expect([temp.store.read.lastSeq(), temp.published.length]).toEqual(before)
            continue
          }
          accepted++
          for (const one of own) follow(texts, one)
        }
        const stored = ["ses_1", "ses_2", "ses_3"]
          .flatMap((id) => temp.store.read.messages(id))
          .flatMap(({ parts }) => parts)
          .map((one) => [one.id, one.type === "text" ? one.text : undefined])
        expect(new Map(stored as [string, string | undefined][])).toEqual(
          new Map([...texts].map(([id, part]) => [id, part.text?.toWellFormed()])),
        )
        expect(verify(temp.database).problems).toEqual([])
      },
    ),
    { seed: 2_026, numRuns: process.env["CAIRN_TEST_LONG"] ? 1_000 : 60 },
  )
  expect(accepted).toBeGreaterThan(500)
}, 60_000)

import { expect, test } from "bun:test"
import fc from "fast-check"
import { RandomViews, type Step, limits } from "./random-views.ts"

const steps = fc.array(fc.tuple(fc.nat(1_000), fc.nat(10_000)), { minLength: 50, maxLength: 300 })

async function play(history: readonly Step[]): Promise<RandomViews> {
  const views = new RandomViews()
  for (const step of history) await views.step(step)
  await views.rest()
  return views
}

/** What the server would give now to whoever asks for the first time. */
function expectFresh(views: RandomViews): void {
  const { server, store } = views
  const listed = store.sessions()
  const all = [...server.sessions.values()].map(({ info }) => info)
  const inOrder = all.toSorted((a, b) => b.time.updated - a.time.updated).map(({ id }) => id)
  expect(inOrder.slice(0, listed.ids.length)).toEqual([...listed.ids])
  if (!listed.more) expect(listed.ids).toHaveLength(inOrder.length)
  for (const id of listed.ids) expect(store.session(id)).toEqual(server.sessions.get(id)?.info)
  expect(store.asks().map(({ request }) => request)).toEqual(
    [...server.permissions, ...server.questions].toSorted((a, b) => (a.id.slice(4) < b.id.slice(4) ? -1 : 1)),
  )
  for (const name of views.opened()) {
    const state = server.sessions.get(name)
    const { ids, more, state: known } = store.transcript(name)
    expect(known).toBe(state ? "ready" : "missing")
    expect(store.session(name)).toEqual(state?.info)
    expect(store.status(name)).toEqual(state?.status ?? { type: "idle" })
    expect(store.todos(name)).toEqual(state?.todos ?? [])
    expect(store.inbox(name)).toEqual(state?.inbox ?? [])
    const messages = state?.messages ?? []
    const from = messages.length - ids.length
    expect(messages.slice(from).map(({ info }) => info.id)).toEqual([...ids])
    if (!more) expect(from).toBe(0)
    for (const { info, parts } of messages.slice(from)) {
      const view = store.message(name, info.id)
      if (!view) continue
      const held = view.parts.map((partID) => store.part(name, info.id, partID))
      expect({ info: view.info, parts: held }).toEqual({ info, parts })
    }
  }
}

test("property: after any history the views hold what the server would give afresh", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const views = await play(history)
      expectFresh(views)
      await views.store[Symbol.asyncDispose]()
    }),
    { numRuns: 200 },
  )
}, 120_000)

test("property: whoever reads again only what it was told of sees all of it", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const views = await play(history)
      const { shown, there } = views.mirror.compare()
      expect(shown).toEqual(there)
      await views.store[Symbol.asyncDispose]()
    }),
    { numRuns: 200 },
  )
}, 120_000)

test("property: no more messages are held than the pages that are allowed", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const views = await play(history)
      expect(views.mostHeld).toBeLessThanOrEqual(limits.page * limits.pages)
      const { transcripts, sessions, loads } = views.store.counts()
      expect(transcripts).toBeLessThanOrEqual(views.opened().length + limits.closed)
      expect(sessions).toBeLessThanOrEqual(views.store.sessions().ids.length + transcripts)
      expect(loads).toBe(0)
      await views.store[Symbol.asyncDispose]()
      expect(views.clock.pending).toBe(0)
    }),
    { numRuns: 100 },
  )
}, 120_000)

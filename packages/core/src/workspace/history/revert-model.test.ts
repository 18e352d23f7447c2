import { expect, test } from "bun:test"
import fc from "fast-check"
import { LineModel, type View } from "../../../test/history/line-model.ts"
import { MemoryWorld, textFile } from "../../../test/history/memory-world.ts"
import { planRevert } from "./plan-revert.ts"
import { isSame } from "./states.ts"

const runs = { seed: 20_261_122, numRuns: process.env["CAIRN_TEST_LONG"] ? 20_000 : 500 }
const paths = ["a", "b", "c"] as const
const path = fc.constantFrom(...paths)
const edit = fc.record({
  at: fc.integer({ min: 0, max: 999 }).map((part) => part / 1_000),
  remove: fc.nat(2),
  insert: fc.nat(2),
})
const by = fc.constantFrom("agent" as const, "user" as const)

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never
type Step =
  | {
      readonly kind: "edit"
      readonly by: "agent" | "user"
      readonly path: string
      readonly edit: Edit
    }
  | { readonly kind: "mode"; readonly by: "agent" | "user"; readonly path: string }
  | { readonly kind: "by hand"; readonly path: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("edit" as const), by, path, edit }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mode" as const), by, path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("by hand" as const), path }) },
)

/** Files of which every line is followed, beside the world in which the agent and the user change them. */
class Model {
  readonly world = new MemoryWorld()
  readonly lines = new Map(paths.map((each) => [each as string, new LineModel(each, 40)]))
  /** What the file had when the agent came, or what the user gave it since. */
  readonly modes = new Map<string, number>(paths.map((each) => [each, 0o600]))
  #mode = 0o601

  constructor() {
    for (const [each, lines] of this.lines) this.world.put(each, textFile(lines.text("with agent"), 0o600))
  }

  run(each: Step, view: View): void {
    const lines = this.lines.get(each.path)!
    if (each.kind === "edit") lines.edit(each.by, view, each.edit)
    if (each.kind === "by hand") lines.undoByHand()
    const who = each.kind === "by hand" ? "user" : each.by
    const mode = each.kind === "mode" ? this.#mode++ : this.world.files.get(each.path)!.mode
    if (each.kind === "mode" && who === "user") this.modes.set(each.path, mode)
    const file = textFile(lines.text(view), mode)
    if (who === "agent") this.world.agent(each.path, file)
    else this.world.put(each.path, file)
  }
}

const outcomes = new Map<string, number>()
const counted = (name: string) => outcomes.set(name, (outcomes.get(name) ?? 0) + 1)

test("agent edits are taken back exactly, user edits are never lost, and an unrevert brings all back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 14 }),
      fc.array(fc.record({ path, edit }), { maxLength: 3 }),
      async (steps, later) => {
        const model = new Model()
        const { world, lines } = model
        for (const each of steps) model.run(each, "with agent")
        const before = new Map(world.files)
        const plans = await planRevert(world.journal, world)
        const changes = world.apply(plans)
        for (const { path: of, action } of plans) {
          counted(`revert: ${action}`)
          if (action === "conflict") {
            expect(world.files.get(of)).toEqual(before.get(of)!)
            continue
          }
          expect(world.text(of)).toBe(lines.get(of)!.text("without agent"))
          expect(world.files.get(of)!.mode).toBe(model.modes.get(of)!)
        }
        for (const each of paths) expect(linesLost(world, each, before.get(each)!)).toEqual([])

        const same = await planRevert(changes, world)
        expect(same.map(({ action }) => action)).toEqual(changes.map(() => "restore"))

        for (const { path: of, edit: change } of later) {
          if (!changes.some((each) => each.path === of)) continue
          lines.get(of)!.edit("user", "without agent", change)
          world.put(of, textFile(lines.get(of)!.text("without agent"), world.files.get(of)!.mode))
        }
        const between = new Map(world.files)
        const back = await planRevert(changes, world)
        world.apply(back)
        for (const { path: of, action } of back) {
          counted(`unrevert: ${action}`)
          if (action === "conflict") expect(world.files.get(of)).toEqual(between.get(of)!)
          else expect(world.text(of)).toBe(lines.get(of)!.text("with agent"))
        }
      },
    ),
    runs,
  )
  // The runs were about something: every outcome came up often.
  for (const name of ["revert: restore", "revert: merge", "revert: conflict", "revert: unchanged"])
    expect([name, (outcomes.get(name) ?? 0) > runs.numRuns / 50]).toEqual([name, true])
  for (const name of ["unrevert: restore", "unrevert: merge", "unrevert: conflict"])
    expect([name, (outcomes.get(name) ?? 0) > runs.numRuns / 50]).toEqual([name, true])
}, 120_000)

/** Lines of the user that stood in the file and do not any more. */
function linesLost(world: MemoryWorld, of: string, before: { readonly bytes: Uint8Array }): string[] {
  const now = new Set(world.text(of)?.split("\n"))
  const stood = new TextDecoder().decode(before.bytes).split("\n")
  return stood.filter((line) => line.includes(" user ") && !now.has(line))
}

type FileStep = { readonly by: "agent" | "user"; readonly path: string; readonly text: string | undefined }
const text = fc.array(fc.constantFrom("1\n", "2\n", "3\n"), { maxLength: 5 }).map((lines) => lines.join(""))
const fileStep: fc.Arbitrary<FileStep> = fc.record({ by, path, text: fc.option(text, { nil: undefined }) })

test("files that come and go: without the user all is as it was, and nothing of theirs is replaced", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fileStep, { maxLength: 8 }), fc.boolean(), async (steps, alone) => {
      const world = new MemoryWorld()
      for (const each of paths.slice(1)) world.put(each, textFile("start\n"))
      const start = new Map(world.files)
      for (const each of steps) {
        const file = each.text === undefined ? undefined : textFile(each.text)
        if (each.by === "agent" || alone) world.agent(each.path, file)
        else world.put(each.path, file)
      }
      const before = new Map(world.files)
      const plans = await planRevert(world.journal, world)
      const changes = world.apply(plans)
      if (alone) expect(new Map(world.files)).toEqual(start)
      for (const { path: of, action, now } of plans) {
        if (action === "conflict") expect(world.files.get(of)).toEqual(before.get(of)!)
        const recorded = world.journal.some((change) => change.path === of && isSame(change.after, now.state))
        // What the agent never left there is somebody's own: it is merged or left alone.
        if (!recorded) expect(["merge", "conflict", "unchanged"]).toContain(action)
      }
      world.apply(await planRevert(changes, world))
      expect(new Map(world.files)).toEqual(before)
    }),
    runs,
  )
}, 120_000)

import { expect, test } from "bun:test"
import type { RevertReport } from "@cairn/schema/revert"
import { err, ok } from "@cairn/kernel/result"
import { fakeIo, stdinOf } from "../../test/fake-io.ts"
import { session } from "../../test/values.ts"
import { carryOut } from "./carry-out.ts"

const file = (name: string, action: RevertReport["files"][number]["action"], reason?: string) => ({
  ...{ file: name, path: `/repo/${name}`, action, additions: 1, deletions: 2, patch: "" },
  ...(reason !== undefined && { reason }),
})
const reportOf = (dryRun: boolean, ...files: RevertReport["files"]): RevertReport => ({
  ...{ dryRun, session: session(), files, messages: 2, notes: [] },
})

/** Carries a revert out with this input; gives the exit code, what was done, and both streams. */
async function carried(stdin: ReturnType<typeof stdinOf>, ask: string | undefined, ...files: RevertReport["files"]) {
  const io = fakeIo({ stdin })
  const runs: boolean[] = []
  const work = async (dryRun: boolean) => {
    runs.push(dryRun)
    return ok(reportOf(dryRun, ...files))
  }
  const code = await carryOut(io, { work, direction: "back", dryRun: false, ask, json: false })
  return { code, runs, out: io.stdout.text, err: io.stderr.text }
}

test("on a terminal the preview comes first, and only a yes does it", async () => {
  const yes = await carried(stdinOf("terminal", ["y\n"]), "Really?", file("a", "restore"))
  expect(yes.runs).toEqual([true, false])
  expect(yes.err).toContain("restore      a  +1 -2\n")
  expect(yes.err).toContain("Really? [y/N] ")
  expect(yes).toMatchObject({ code: 0, out: expect.stringContaining("restore      a") })
  const no = await carried(stdinOf("terminal", ["n\n"]), "Really?", file("a", "restore"))
  expect(no).toMatchObject({ code: 0, runs: [true], out: "", err: expect.stringContaining("Nothing was changed.\n") })
})

test("without a question, or where nobody answers, it is done at once", async () => {
  expect((await carried(stdinOf("terminal", []), undefined, file("a", "delete"))).runs).toEqual([false])
  expect((await carried(stdinOf("none"), "Really?", file("a", "delete"))).runs).toEqual([false])
})

test("what was left alone is named and ends with 1; a name cannot harm the terminal", async () => {
  const { code, out } = await carried(
    ...([stdinOf("none"), undefined] as const),
    file("a\u001b[31m\nb", "conflict", "the same lines were changed since"),
    file("c", "not_covered", "evicted"),
  )
  expect(code).toBe(1)
  expect(out).not.toContain("\u001b")
  expect(out.split("\n")).toHaveLength(4)
  expect(out).toContain("the same lines were changed since\n")
  expect(out).toContain("not covered  c  evicted\n")
})

test("a refusal is said, and nothing is asked", async () => {
  const io = fakeIo({ stdin: stdinOf("terminal", ["y\n"]) })
  const work = async () => err({ kind: "busy" as const, message: "it is running" })
  expect(await carryOut(io, { work, direction: "back", dryRun: false, ask: "Really?", json: false })).toBe(2)
  expect(io.stderr.text).toContain("it is running")
  expect(io.stderr.text).not.toContain("Really?")
})

test("nothing but the conversation may be taken back", async () => {
  const { code, out } = await carried(stdinOf("none"), undefined)
  expect(code).toBe(0)
  expect(out).toStartWith("no file changes\n2 messages hidden")
})

import { expect, test } from "bun:test"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { cairn } from "./run-cairn.ts"

test("exits 0 when nothing is broken, 1 when something is; json holds the same", async () => {
  await using space = await tempWorkspace()
  const well = await cairn(space, ["doctor"])
  expect(well).toMatchObject({ code: 0, err: "" })
  expect(well.out).toContain("\n  ok      git: git version")
  const broken = await cairn(space, ["doctor"], { config: { model: "no/such" } })
  expect(broken.code).toBe(1)
  expect(broken.out).toMatch(/broken {2}default: no\/such\n/)
  const json = await cairn(space, ["doctor", "--format", "json"], { config: { model: "no/such" } })
  const report: { ok: boolean; checks: { name: string; state: string }[] } = JSON.parse(json.out)
  expect([json.code, report.ok]).toEqual([1, false])
  expect(report.checks.filter(({ state }) => state === "broken").map(({ name }) => name)).toEqual(["default"])
})

test("works where a run cannot start, and never shows a key", async () => {
  await using space = await tempWorkspace({ files: { "cairn.json": "{" } })
  const run = await cairn(space, ["doctor"], { env: { OPENAI_API_KEY: "very-secret" } })
  expect(run.code).toBe(1)
  expect(run.out).toContain("cairn.json:1")
  expect(run.out + run.err).not.toContain("very-secret")
})

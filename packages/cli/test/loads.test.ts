import { expect, test } from "bun:test"
import { text, toolCall } from "@cairn/testkit/scenario"
import { startModelServer } from "@cairn/testkit/server"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { watchingLoads } from "./loads.ts"
import { cairn } from "./run-cairn.ts"

/** Much code, each for something that an answer in words does not need. */
const heavy =
  /core\/src\/(permission\/shell\/|permission\/command\.ts|store\/(verify|search)\.ts|session\/(reverts|fork|input-schema)\.ts|workspace\/history\/command-journal|trace\/exporter|stats\/|doctor\/|probe\/)|schema\/src\/(event|message|part|session)\.ts|cli\/src\/completion\//

test("a run loads what it uses: what reads command lines comes with the first of them", async () => {
  await using space = await tempWorkspace()
  await using server = await startModelServer([
    text("Hi there."),
    toolCall("bash", { command: "echo hi" }),
    text("Said."),
  ])
  const watch = await watchingLoads(space)
  expect(await cairn(space, ["run", "--auto", "say hi"], { server, env: watch.env })).toMatchObject({ code: 0 })
  const first = await watch.loaded()
  expect(first).toContain("core/src/app.ts")
  expect(first.filter((file) => heavy.test(file))).toEqual([])
  await cairn(space, ["run", "--auto", "echo hi"], { server, env: watch.env })
  expect(await watch.loaded()).toContain("core/src/permission/shell/walker.ts")
}, 30_000)

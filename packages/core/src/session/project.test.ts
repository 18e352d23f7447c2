import { expect, test } from "bun:test"
import { ok } from "@cairn/kernel/result"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import type { Git } from "../process/git.ts"
import type { Store } from "../store/store.ts"
import { createCurrentProject } from "./project.ts"

const root = "a".repeat(40)

test("a project that could not be recorded is asked for again", async () => {
  let asked = 0
  let full = true
  const git = { run: () => Promise.resolve((asked++, ok(`${root}\n`))) } as unknown as Git
  const store = {
    read: { projectByCommonDir: () => undefined, project: () => undefined },
    append() {
      if (full) throw new Error("the disk is full")
      return []
    },
  } as unknown as Store
  const location = { directory: "/nowhere", worktree: "/nowhere", commonDir: "/nowhere/.git" }
  const project = createCurrentProject({ store, clock: new TestClock(), git, location })
  const { signal } = new TaskGroup()
  const provisional = project.id()
  const [first, second] = [project.identify(signal), project.identify(signal)]
  await expect(first).rejects.toThrow("full")
  await expect(second).rejects.toThrow("full")
  expect(asked).toBe(1)
  full = false
  await project.identify(signal)
  await project.identify(signal)
  expect(asked).toBe(2)
  expect(project.ids()).toEqual([root, provisional])
})

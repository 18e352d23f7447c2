import { expect, test } from "bun:test"
import { silentLog } from "@cairn/kernel/log"
import type { DurableEvent } from "@cairn/schema/event"
import * as make from "../../test/store/events.ts"
import { type TempStore, tempStore } from "../../test/store/temp-store.ts"
import { self } from "../store/lease.ts"
import { verify } from "../store/verify.ts"
import { recoverAll } from "./recovery.ts"
import { currentSnapshot, snapshotAfter, stepFiles } from "./step-files.ts"

const { fileChange, filesChanged } = make
const step = make.assistantMessage("ses_1", "msg_2", "msg_1")

function append(temp: TempStore, ...events: DurableEvent[]): void {
  temp.store.append("ses_1", events)
}

/** A session whose only step is open. */
function begun(temp: TempStore): void {
  append(temp, make.created("ses_1"), make.message(make.userMessage("ses_1", "msg_1")), make.message(step))
}

test("a step that changed nothing says nothing", () => {
  using temp = tempStore()
  begun(temp)
  expect(stepFiles(temp.store, step, () => "prt_1")).toEqual([])
  expect(currentSnapshot(temp.store, "ses_1")).toBe("snp_1")
})

test("each file has one line, inside of the worktree by its path there", () => {
  using temp = tempStore()
  begun(temp)
  append(
    temp,
    filesChanged(
      "ses_1",
      "msg_2",
      fileChange("chg_1", "/repo/src/a", "a", "b"),
      fileChange("chg_2", "/else/b", "", "b"),
    ),
  )
  append(temp, filesChanged("ses_1", "msg_2", fileChange("chg_3", "/repo/src/a", "b", "c")))
  append(temp, filesChanged("ses_1", "msg_2", fileChange("chg_4", "/repo/gone", "a", "")))
  const [patch, changed, ...rest] = stepFiles(temp.store, step, () => "prt_1")
  expect(patch?.properties).toMatchObject({
    part: { id: "prt_1", type: "patch", hash: "snp_2", files: ["/repo/src/a", "/else/b", "/repo/gone"] },
  })
  expect(changed).toEqual(
    make.stepChanged(
      ...(["ses_1", "msg_2", "msg_1"] as const),
      make.changedFile("src/a", "modified", 2, 2),
      make.changedFile("/else/b", "added", 1, 1),
      make.changedFile("gone", "deleted", 1, 1),
    ),
  )
  expect(rest).toEqual([])
  expect(currentSnapshot(temp.store, "ses_1")).toBe(snapshotAfter("msg_2"))
})

test("a file that is again what it was before the step is left out", () => {
  using temp = tempStore()
  begun(temp)
  append(temp, filesChanged("ses_1", "msg_2", fileChange("chg_1", "/repo/a", "a", "b")))
  append(temp, filesChanged("ses_1", "msg_2", fileChange("chg_2", "/repo/a", "b", "a")))
  expect(stepFiles(temp.store, step)).toEqual([make.stepChanged("ses_1", "msg_2", "msg_1")])
})

test("a step that a dead process left open is summed up when it is closed, once", () => {
  const owner = { ...self(), pid: 4_194_305, started: "1" }
  using temp = tempStore({ owner })
  begun(temp)
  temp.store.begin("ses_1", "run_1", [make.turnStarted("ses_1", "run_1")])
  append(temp, filesChanged("ses_1", "msg_2", fileChange("chg_1", "/repo/a", "", "b")))
  expect(temp.store.read.session("ses_1")?.summary).toBeUndefined()
  expect(recoverAll(temp.store, temp.clock, silentLog)).toEqual(["ses_1"])
  const summary = { additions: 1, deletions: 1, files: 1 }
  expect(temp.store.read.session("ses_1")?.summary).toEqual(summary)
  temp.store.begin("ses_1", "run_2", [make.turnStarted("ses_1", "run_2")])
  expect(recoverAll(temp.store, temp.clock, silentLog)).toEqual(["ses_1"])
  expect(temp.store.read.session("ses_1")?.summary).toEqual(summary)
  expect(verify(temp.database).problems).toEqual([])
})

import { expect, test } from "bun:test"
import type { DurableEvent } from "@cairn/schema/event"
import type { ChangedFile } from "@cairn/schema/session"
import * as make from "../../test/store/events.ts"
import { type TempStore, tempStore } from "../../test/store/temp-store.ts"
import { verify } from "./verify.ts"

const { changedFile, fileChange, filesChanged, stepChanged } = make

/** A session with a prompt and two steps that answer it. */
function started(id = "ses_1", updated = 1): TempStore {
  const temp = tempStore()
  begin(temp, id, updated)
  return temp
}

function begin({ store }: TempStore, id: string, updated: number): void {
  const [user, first, second] = ["1", "2", "3"].map((n) => `msg_${id.slice(4)}${n}`) as [string, string, string]
  store.append(id, [
    make.created(id, { time: { created: 1, updated } }),
    make.message(make.userMessage(id, user)),
    make.message(make.assistantMessage(id, first, user)),
    make.message(make.assistantMessage(id, second, user)),
  ])
}

const shapes = (temp: TempStore, of: Parameters<TempStore["store"]["read"]["changes"]>[0]) =>
  temp.store.read.changes(of).map(({ id, path, messageID, callID }) => [id, path, messageID, callID])

/** The user message's summary after these steps, as `status file +additions -deletions`. */
function summed(...steps: readonly ChangedFile[][]): string[] {
  using temp = started()
  for (const files of steps) temp.store.append("ses_1", [stepChanged("ses_1", "msg_12", "msg_11", ...files)])
  const user = temp.store.read.message("msg_11")
  const diffs = (user?.role === "user" && user.summary?.diffs) || []
  expect(verify(temp.database).problems).toEqual([])
  return diffs.map((diff) => `${diff.status} ${diff.file} +${diff.additions} -${diff.deletions}`)
}

test("changes come in the order of the writes, of a step or of the whole session", () => {
  using temp = started()
  temp.store.append("ses_1", [filesChanged("ses_1", "msg_13", fileChange("chg_9", "/b", "", "a"))])
  temp.store.append("ses_1", [
    filesChanged("ses_1", "msg_12", fileChange("chg_1", "/a", "a", "b"), fileChange("chg_2", "/b", "a", "")),
  ])
  expect(shapes(temp, { messageID: "msg_12" })).toEqual([
    ["chg_1", "/a", "msg_12", "call_1"],
    ["chg_2", "/b", "msg_12", "call_1"],
  ])
  expect(shapes(temp, { sessionID: "ses_1" }).map(([id]) => id)).toEqual(["chg_9", "chg_1", "chg_2"])
  expect(shapes(temp, { sessionID: "ses_2" })).toEqual([])
  expect(temp.store.read.lastChanged("ses_1")).toBe("msg_12")
  expect(temp.store.read.lastChanged("ses_2")).toBeUndefined()
})

test("a change that is stored again is replaced, and one that did not happen is gone", () => {
  using temp = started()
  const append = (before: string, after: string) =>
    temp.store.append("ses_1", [filesChanged("ses_1", "msg_12", fileChange("chg_1", "/a", before, after))])
  append("a", "b")
  append("a", "c")
  expect(temp.store.read.changes({ sessionID: "ses_1" })).toMatchObject([{ after: { hash: "c".repeat(64) } }])
  append("a", "a")
  expect(temp.store.read.changes({ sessionID: "ses_1" })).toEqual([])
  expect(temp.store.read.lastChanged("ses_1")).toBeUndefined()
  expect(verify(temp.database).problems).toEqual([])
})

test("a change of a message that is not there, or of another session, is refused whole", () => {
  using temp = started()
  begin(temp, "ses_2", 1)
  const append = (sessionID: string, messageID: string) => () =>
    temp.store.append(sessionID, [filesChanged(sessionID, messageID, fileChange("chg_1", "/a", "a", "b"))])
  expect(append("ses_1", "msg_x")).toThrow("does not exist")
  expect(append("ses_1", "msg_21")).toThrow("does not exist")
  append("ses_1", "msg_12")()
  expect(append("ses_2", "msg_21")).toThrow("does not exist")
  expect(shapes(temp, { sessionID: "ses_2" })).toEqual([])
})

test("with its message or its session the journal goes", () => {
  using temp = started()
  const changes = [fileChange("chg_1", "/a", "a", "b"), fileChange("chg_2", "/b", "", "b")]
  temp.store.append("ses_1", [filesChanged("ses_1", "msg_12", ...changes)])
  temp.store.append("ses_1", [filesChanged("ses_1", "msg_13", fileChange("chg_3", "/c", "", "c"))])
  temp.store.append("ses_1", [{ type: "message.removed", properties: { sessionID: "ses_1", messageID: "msg_12" } }])
  expect(shapes(temp, { sessionID: "ses_1" }).map(([id]) => id)).toEqual(["chg_3"])
  temp.store.append("ses_1", [make.deleted("ses_1")])
  expect(shapes(temp, { sessionID: "ses_1" })).toEqual([])
  expect([...temp.store.read.contents()]).toEqual([])
  expect(verify(temp.database).problems).toEqual([])
})

test("contents are named by the last use of their session, then in the order of the writes", () => {
  using temp = started("ses_1", 20)
  begin(temp, "ses_2", 10)
  temp.store.append("ses_1", [filesChanged("ses_1", "msg_12", fileChange("chg_1", "/a", "a", "b"))])
  temp.store.append("ses_1", [filesChanged("ses_1", "msg_12", fileChange("chg_2", "/a", "b", ""))])
  temp.store.append("ses_2", [filesChanged("ses_2", "msg_22", fileChange("chg_3", "/a", "", "a"))])
  const named = [...temp.store.read.contents()].map(({ hash, sessionID }) => `${sessionID} ${hash[0]}`)
  expect(named).toEqual(["ses_2 a", "ses_1 a", "ses_1 b", "ses_1 b"])
})

test("what steps changed sums up in the session: lines by steps, files by paths", () => {
  using temp = started()
  temp.store.append("ses_1", [
    filesChanged("ses_1", "msg_12", fileChange("chg_1", "/a", "a", "b"), fileChange("chg_2", "/b", "", "b")),
    stepChanged("ses_1", "msg_12", "msg_11", changedFile("a", "modified", 3, 2), changedFile("b", "added", 5, 0)),
  ])
  temp.store.append("ses_1", [
    filesChanged("ses_1", "msg_13", fileChange("chg_3", "/a", "b", "c")),
    stepChanged("ses_1", "msg_13", "msg_11", changedFile("a", "modified", 1, 1)),
  ])
  expect(temp.store.read.session("ses_1")?.summary).toEqual({ additions: 9, deletions: 3, files: 2 })
  expect(verify(temp.database).problems).toEqual([])
})

test("in the user message each file has one entry, with what its changes make together", () => {
  expect(summed([changedFile("a", "added", 3)], [changedFile("a", "modified", 1, 2)])).toEqual(["added a +4 -2"])
  expect(summed([changedFile("a", "added")], [changedFile("a", "deleted", 0, 1)])).toEqual([])
  expect(summed([changedFile("a", "deleted", 0, 4)], [changedFile("a", "added", 2)])).toEqual(["modified a +2 -4"])
  expect(summed([changedFile("a", "modified")], [changedFile("a", "deleted", 0, 7)])).toEqual(["deleted a +1 -7"])
  expect(summed([changedFile("b", "added"), changedFile("a", "added")], [changedFile("c", "added")])).toEqual([
    "added b +1 -0",
    "added a +1 -0",
    "added c +1 -0",
  ])
})

test("a step without a user message above it sums up in the session alone", () => {
  using temp = started()
  temp.store.append("ses_1", [stepChanged("ses_1", "msg_12", "msg_none", changedFile("a", "added", 2))])
  expect(temp.store.read.session("ses_1")?.summary).toEqual({ additions: 2, deletions: 0, files: 0 })
  temp.store.append("ses_1", [stepChanged("ses_1", "msg_12", "msg_13", changedFile("a", "added", 2))])
  expect(temp.store.read.message("msg_13")).toEqual(make.assistantMessage("ses_1", "msg_13", "msg_11"))
  expect(verify(temp.database).problems).toEqual([])
})

test("a revert stands until it is brought back or made final, and what was left alone is not in it", () => {
  using temp = started()
  const reverts = () => temp.store.read.reverts("ses_1").map(({ id, ended, files }) => [id, ended, files.length])
  const append = (...events: DurableEvent[]) => temp.store.append("ses_1", events)
  append(make.revertBegun("ses_1", "rev_1"))
  expect(reverts()).toEqual([["rev_1", undefined, 1]])
  expect(temp.store.read.unfinishedReverts()).toEqual(["ses_1"])
  append(make.revertEnded("ses_1", "rev_1"))
  append(make.revertBegun("ses_1", "rev_2"), make.revertEnded("ses_1", "rev_2", "done", ["/a"]))
  append(make.revertBegun("ses_1", "rev_3"), make.revertEnded("ses_1", "rev_3", "rolled_back"))
  expect(reverts()).toEqual([
    ["rev_1", 2, 1],
    ["rev_2", 2, 0],
  ])
  expect(temp.store.read.unfinishedReverts()).toEqual([])
  append(make.revertBegun("ses_1", "rev_4", { kind: "unrevert" }))
  append(make.revertEnded("ses_1", "rev_4", "rolled_back"))
  expect(reverts()).toHaveLength(2)
  append(make.revertBegun("ses_1", "rev_5", { kind: "unrevert" }), make.revertEnded("ses_1", "rev_5"))
  expect(reverts()).toEqual([])
  append(make.revertBegun("ses_1", "rev_6"), make.revertEnded("ses_1", "rev_6"))
  append({ type: "session.revert.cleared", properties: { sessionID: "ses_1" } })
  expect(reverts()).toEqual([])
  expect(() => append(make.revertEnded("ses_1", "rev_7"))).toThrow("does not exist")
  expect(verify(temp.database).problems).toEqual([])
})

test("contents that a revert names are named too", () => {
  using temp = started()
  temp.store.append("ses_1", [make.revertBegun("ses_1", "rev_1")])
  expect([...temp.store.read.contents()].map(({ hash }) => hash[0])).toEqual(["b", "a"])
})

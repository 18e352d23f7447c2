import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { PermissionHunk, type PermissionReply, type PermissionRequest } from "@cairn/schema/permission"
import { text, toolCall } from "@cairn/testkit/scenario"
import { contentHash } from "../../src/workspace/files.ts"
import { z } from "zod"
import { type Bench, bench, problemsOf } from "./harness.ts"

const config = { permission: { edit: "ask" } }
const before = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("")
const bytes = (words: string) => new TextEncoder().encode(words)

/** Answers every ask of the bench by `reply`, and keeps what was asked. */
function answering(made: Bench, reply: (request: PermissionRequest) => PermissionReply): PermissionRequest[] {
  const asked: PermissionRequest[] = []
  made.engine.subscribe((event) => {
    if (event.type !== "permission.asked") return
    asked.push(event.properties)
    const answer = reply(event.properties)
    queueMicrotask(() => made.engine.replyPermission(event.properties.id, answer))
  })
  return asked
}

function finished(made: Bench, sessionID: string) {
  return made.engine
    .messages(sessionID)
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === "tool" && part.state.status === "completed" ? [part.state] : []))
}

const hunksOf = ({ metadata }: PermissionRequest) =>
  z
    .array(PermissionHunk)
    .parse(metadata["hunks"])
    .map(({ number, file, header }) => [number, file, header])

const patchOf = (sections: string[]) => ["*** Begin Patch", ...sections, "*** End Patch"].join("\n")

const wanted = before.replace("line 3\n", "three\n").replace("line 20\n", "").replace("line 36\n", "36\nmore\n")
const onlyFirstAndLast = before.replace("line 3\n", "three\n").replace("line 36\n", "36\nmore\n")

test("write: only the chosen hunks, and everything that remembers the file knows it as it was written", async () => {
  await using made = await bench(
    [
      [toolCall("read", { filePath: "a.txt" })],
      [toolCall("write", { filePath: "a.txt", content: wanted })],
      // The model goes on from what stands there: no "has changed since".
      [toolCall("edit", { filePath: "a.txt", oldString: "line 20\n", newString: "twenty\n" })],
      [text("Done.")],
    ],
    { files: { "a.txt": before }, config },
  )
  const asked = answering(made, ({ metadata }) =>
    (metadata["hunks"] as unknown[]).length === 3 ? { reply: "once", hunks: [2, 0] } : { reply: "once" },
  )
  const { sessionID, reason } = await made.prompt("go", { asks: "wait" })
  expect(reason).toBe("done")
  expect(asked[0]!.metadata["hunks"]).toEqual([
    { number: 0, file: "a.txt", header: "@@ -1,7 +1,7 @@" },
    { number: 1, file: "a.txt", header: "@@ -18,7 +18,6 @@" },
    { number: 2, file: "a.txt", header: "@@ -34,7 +33,8 @@" },
  ])
  const [, written, edited] = finished(made, sessionID)
  expect(written!.output).toContain("left out hunk 2 (@@ -18,7 +18,6 @@) of the 3 in the change of a.txt")
  expect(written!.metadata["seen"]).toEqual([
    { path: `${made.workspace.dir}/a.txt`, hash: contentHash(bytes(onlyFirstAndLast)) },
  ])
  expect(String(written!.metadata["diff"])).not.toContain("line 20")
  expect(edited!.output).toContain("Edited a.txt")
  expect(await made.workspace.read("a.txt")).toBe(onlyFirstAndLast.replace("line 20\n", "twenty\n"))
  const journal = made
    .log(sessionID)
    .flatMap(({ event }) => (event.type === "session.file.changed" ? event.properties.changes : []))
  expect(journal[0]).toMatchObject({
    before: { hash: contentHash(bytes(before)) },
    after: { hash: contentHash(bytes(onlyFirstAndLast)) },
    additions: 3,
    deletions: 2,
  })
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("apply_patch: hunks are counted through its files, and a file without a chosen one is left alone", async () => {
  const patchText = patchOf([
    ...["*** Update File: a.txt", "@@", " line 2", "-line 3", "+three", " line 4"],
    ...["@@", " line 34", "-line 35", "+thirty-five", " line 36"],
    ...["*** Add File: new.txt", "+new"],
    ...["*** Update File: gone.txt", "*** Move to: kept.txt"],
  ])
  await using made = await bench([[toolCall("apply_patch", { patchText })], [text("Done.")]], {
    files: { "a.txt": before, "gone.txt": "x\n" },
    config,
  })
  const asked = answering(made, () => ({ reply: "once", hunks: [1, 3] }))
  const { sessionID } = await made.prompt("go", { asks: "wait" })
  expect(hunksOf(asked[0]!)).toEqual([
    [0, "a.txt", "@@ -1,7 +1,7 @@"],
    [1, "a.txt", "@@ -33,7 +33,7 @@"],
    [2, "new.txt", "@@ -0,0 +1 @@"],
    [3, "kept.txt", "whole file"],
  ])
  expect(await made.workspace.read("a.txt")).toBe(before.replace("line 35\n", "thirty-five\n"))
  expect(existsSync(`${made.workspace.dir}/new.txt`)).toBe(false)
  expect(await made.workspace.read("kept.txt")).toBe("x\n")
  const [patched] = finished(made, sessionID)
  expect(patched!.output).toContain("left out hunk 1 (@@ -1,7 +1,7 @@) of the 2 in the change of a.txt")
  expect(patched!.output).toContain("left out the change of new.txt")
  expect(problemsOf(made, sessionID)).toEqual([])
})

test("edit: no hunk ends the turn as a reject does; with a word the model goes on, and nothing is written", async () => {
  const call = toolCall("edit", { filePath: "a.txt", oldString: "line 3\n", newString: "three\n" })
  await using made = await bench([[call], [call], [text("As you say.")]], { files: { "a.txt": before }, config })
  const replies: PermissionReply[] = [
    { reply: "once", hunks: [] },
    { reply: "once", hunks: [], message: "leave it" },
  ]
  answering(made, () => replies.shift()!)
  const first = await made.prompt("go", { asks: "wait" })
  expect(first.reason).toBe("rejected")
  const second = await made.prompt("again", { asks: "wait", sessionID: first.sessionID })
  expect(second).toMatchObject({ reason: "done", text: "As you say." })
  expect(made.server.requests.at(-1)!.text).toContain("The user refused: leave it")
  expect(await made.workspace.read("a.txt")).toBe(before)
  expect(problemsOf(made, first.sessionID)).toEqual([])
})

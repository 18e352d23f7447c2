import { expect, test } from "bun:test"
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { PromptPart } from "@cairn/schema/prompt"
import { attachFiles } from "./attach.ts"

async function place(): Promise<AsyncDisposable & { path(name: string): string }> {
  const directory = await mkdtemp(join(tmpdir(), "cairn-attach-"))
  return {
    path: (name) => join(directory, name),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
const fileAt = (path: string): Extract<PromptPart, { type: "file" }> => ({
  type: "file",
  mime: "text/plain",
  url: pathToFileURL(path).href,
})

async function refusal(part: PromptPart): Promise<string> {
  const attached = await attachFiles([part])
  expect(attached).toMatchObject({ ok: false, error: { kind: "file" } })
  return attached.ok ? "" : attached.error.message
}

test("a file is taken in with its name; texts and data stay as they are, in order", async () => {
  await using here = await place()
  await writeFile(here.path("a.txt"), "grün")
  const text: PromptPart = { type: "text", text: "look" }
  const data: PromptPart = { type: "file", mime: "text/plain", url: "data:text/plain,x" }
  const named = { ...fileAt(here.path("a.txt")), filename: "other.txt" }
  const url = `data:text/plain;base64,${Buffer.from("grün").toString("base64")}`
  expect(await attachFiles([text, fileAt(here.path("a.txt")), data, named])).toEqual({
    ok: true,
    value: [text, { type: "file", mime: "text/plain", filename: "a.txt", url }, data, { ...named, url }],
  })
})

test("what is no regular file is refused: a directory, nothing, a pipe that nobody writes to", async () => {
  await using here = await place()
  expect(Bun.spawnSync(["mkfifo", here.path("pipe")]).exitCode).toBe(0)
  expect(await refusal(fileAt(here.path("pipe")))).toContain("not a regular file")
  expect(await refusal(fileAt(here.path(".")))).toContain("not a regular file")
  expect(await refusal(fileAt(here.path("nowhere")))).toContain("cannot be read")
})

test("a file that is too large is refused and not read", async () => {
  await using here = await place()
  await writeFile(here.path("large"), "")
  await truncate(here.path("large"), 20 * 1024 * 1024 + 1)
  expect(await refusal(fileAt(here.path("large")))).toContain("larger than 20 MB")
})

test("a URL of another machine is refused", async () => {
  expect(await refusal({ type: "file", mime: "text/plain", url: "file://elsewhere/a.txt" })).toContain("this machine")
})

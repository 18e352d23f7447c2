import { readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { tempWorkspace } from "@cairn/testkit/workspace"
import { announceServer, readServerFile, withdrawServer } from "./discovery.ts"

const server = { url: "http://127.0.0.1:4096", pid: 17, version: "1.2.3", secured: true, started: 5 }

test("a server is found by its file, which only the user can read, until it takes it away", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "state/cairn/server.json")
  expect(await readServerFile(file)).toBeUndefined()
  await announceServer(file, server)
  expect(await readServerFile(file)).toEqual(server)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await withdrawServer(file, 17)
  expect(await readServerFile(file)).toBeUndefined()
  expect(await readdir(join(space.home, "state/cairn"))).toEqual([])
})

test("a server that ends leaves the file of a later one alone", async () => {
  await using space = await tempWorkspace()
  const file = join(space.home, "server.json")
  await announceServer(file, server)
  await announceServer(file, { ...server, pid: 18 })
  await withdrawServer(file, 17)
  expect(await readServerFile(file)).toMatchObject({ pid: 18 })
})

test.each(["", "{", "[]", '{"url":1}'])("%j says nothing", async (text) => {
  await using space = await tempWorkspace()
  const file = join(space.home, "server.json")
  await writeFile(file, text)
  expect(await readServerFile(file)).toBeUndefined()
})

import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Interrupted } from "@cairn/kernel/interrupted"
import { createLog } from "@cairn/kernel/log"
import { TaskGroup } from "@cairn/kernel/task"
import { TestClock } from "@cairn/testkit/clock"
import { createNet } from "../net/net.ts"
import { fetchInstruction } from "./remote.ts"

interface Asked {
  readonly headers: Headers
}
let root = ""
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "cairn-remote-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** A site on loopback whose answer a test can change, and everything that fetching from it needs. */
function site(answer: (request: Request) => Response | Promise<Response>) {
  const state = { answer }
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      asked.push({ headers: request.headers })
      return state.answer(request)
    },
  })
  const clock = new TestClock()
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line) }, clock, "debug")
  const group = new TaskGroup()
  const deps = { net: createNet({ env: {}, log, clock }), clock, log, cacheDir: join(root, "cache") }
  const address = `http://127.0.0.1:${server.port}/rules.md`
  return {
    ...{ asked, clock, lines, group, state, deps, address, server },
    fetch: (url = address) => fetchInstruction(url, deps, group.signal),
    warned: () => lines.filter((line) => line.includes('"warn"')),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
const minutes = (count: number) => count * 60_000
const never = () => new Promise<Response>(() => {})

test("the text and whose it is; a young copy is used without asking", async () => {
  await using web = site(() => new Response("\uFEFF\nUse tabs.\n"))
  const { address } = web
  expect(await web.fetch()).toEqual({ path: address, real: address, text: "Use tabs.", from: "user" })
  web.clock.setNow(web.clock.now() + minutes(9))
  expect(await web.fetch()).toMatchObject({ text: "Use tabs." })
  expect(web.asked).toHaveLength(1)
})

test("an older copy is confirmed by its ETag and date, and renewed when the answer is another", async () => {
  const headers = { etag: '"1"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" }
  await using web = site(() => new Response("one", { headers }))
  await web.fetch()
  web.clock.setNow(web.clock.now() + minutes(11))
  web.state.answer = () => new Response(null, { status: 304 })
  expect(await web.fetch()).toMatchObject({ text: "one" })
  expect(web.asked[1]!.headers.get("if-none-match")).toBe('"1"')
  expect(web.asked[1]!.headers.get("if-modified-since")).toBe(headers["last-modified"])
  web.clock.setNow(web.clock.now() + minutes(9))
  await web.fetch()
  expect(web.asked).toHaveLength(2)
  web.clock.setNow(web.clock.now() + minutes(2))
  web.state.answer = () => new Response("two")
  expect(await web.fetch()).toMatchObject({ text: "two" })
})

test("after five seconds of silence the copy stands in, with a line in the log", async () => {
  await using web = site(() => new Response("kept"))
  await web.fetch()
  web.clock.setNow(web.clock.now() + minutes(60))
  web.state.answer = never
  const late = web.fetch()
  await web.clock.timers()
  expect(web.clock.due).toEqual([5_000])
  await web.clock.advance(5_000)
  expect(await late).toMatchObject({ text: "kept" })
  expect(web.warned()).toHaveLength(1)
  expect(web.warned()[0]).toContain("the copy in the cache is used")
})

test("the limit holds for the body too, and without a copy there is nothing", async () => {
  const stuck = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("half")) })
  const seen = Promise.withResolvers<void>()
  await using web = site(() => {
    seen.resolve()
    return new Response(stuck)
  })
  const late = web.fetch()
  await seen.promise
  await web.clock.timers()
  await web.clock.advance(5_000)
  expect(await late).toBeUndefined()
  expect(web.warned()[0]).toContain("could not be fetched")
})

test("a server that is gone, an error and an answer that is no text leave the copy as it was", async () => {
  await using web = site(() => new Response("kept"))
  await web.fetch()
  const image = new Response("GIF89a", { headers: { "content-type": "image/gif" } })
  const answers = [new Response("no", { status: 500 }), new Response(""), new Response("a\0b"), image]
  for (const answer of answers) {
    web.clock.setNow(web.clock.now() + minutes(60))
    web.state.answer = () => answer
    expect(await web.fetch()).toMatchObject({ text: "kept" })
  }
  await web.server.stop(true)
  expect(await web.fetch()).toMatchObject({ text: "kept" })
  expect(web.warned()).toHaveLength(5)
})

test("a redirect to another origin is not followed", async () => {
  let reached = 0
  await using other = site(() => {
    reached++
    return new Response("foreign")
  })
  await using web = site(() => Response.redirect(other.address))
  expect(await web.fetch()).toBeUndefined()
  expect(reached).toBe(0)
  web.state.answer = (request) =>
    request.url.endsWith("/moved") ? new Response("moved") : Response.redirect(`${web.address}/moved`)
  expect(await web.fetch()).toMatchObject({ text: "moved" })
})

test("32 kB of it, and that it was cut; the rest is not waited for", async () => {
  await using web = site(() => {
    const block = new TextEncoder().encode("é".repeat(10_000))
    return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(block) }))
  })
  const { text = "" } = (await web.fetch()) ?? {}
  expect(text).toStartWith("é")
  expect(text).toEndWith(`\n[the rest of ${web.address} was cut: only its first 32 kB are used]`)
  expect(Buffer.byteLength(text)).toBeLessThan(33_000)
})

test("a secret in the address is sent, and stands in no prompt and no log; the copy is the user's alone", async () => {
  await using web = site(() => new Response("private rules"))
  const secret = web.address.replace("//", "//me:pass%20word@")
  const found = await web.fetch(`${secret}?token=abc123#part`)
  expect(found?.path).toBe(web.address)
  expect(web.asked[0]!.headers.get("authorization")).toBe(`Basic ${btoa("me:pass word")}`)
  expect(web.lines.join("\n")).not.toMatch(/abc123|pass/)
  const directory = join(root, "cache", "instruction")
  const [file = ""] = await readdir(directory)
  expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600)
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
})

test("only https, or http that stays on this machine or network", async () => {
  await using web = site(() => new Response("x"))
  for (const url of ["http://example.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "https://"])
    expect(await web.fetch(url)).toBeUndefined()
  expect(web.warned()).toHaveLength(4)
  expect(web.deps.net.ledger().size).toBe(0)
})

test("a damaged copy, or one of another address, is fetched anew", async () => {
  await using web = site(() => new Response("good"))
  await web.fetch()
  const directory = join(root, "cache", "instruction")
  const file = join(directory, (await readdir(directory))[0]!)
  const other = { ...JSON.parse(await readFile(file, "utf8")), url: "http://elsewhere/", text: "wrong" }
  for (const damaged of ["{", "[]", '{"url":7}', JSON.stringify(other), `${" ".repeat(200_000)}{}`]) {
    await writeFile(file, damaged)
    expect(await web.fetch()).toMatchObject({ text: "good" })
  }
  expect(web.asked).toHaveLength(6)
})

test("a cache that cannot be written costs a warning", async () => {
  await using web = site(() => new Response("good"))
  await mkdir(join(root, "cache"))
  await writeFile(join(root, "cache", "instruction"), "in the way")
  expect(await web.fetch()).toMatchObject({ text: "good" })
  expect(web.warned()[0]).toContain("could not be kept")
})

test("an interruption ends the wait", async () => {
  await using web = site(never)
  const waiting = web.fetch()
  await web.clock.timers()
  web.group.cancel(new Interrupted())
  expect(await waiting).toBeUndefined()
  expect(web.clock.pending).toBe(0)
})

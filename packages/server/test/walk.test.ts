import { connect } from "node:net"
import { beforeAll, afterAll, describe, expect, test } from "bun:test"
import { allOperations } from "@cairn/schema/operation/all"
import type { Operation } from "@cairn/schema/operation/define"
import { aliases } from "../src/aliases.ts"
import { later } from "../src/later.ts"
import { type Bench, bench } from "./bench.ts"

/** Every request that the server answers: the walk below takes each of them, so that none can be added without it. */
interface Row {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation?: Operation
}

const rows: readonly Row[] = [
  ...allOperations().map((operation) => ({
    name: operation.id,
    method: operation.method,
    path: operation.path,
    operation,
  })),
  ...aliases.map(({ method, path }) => ({ name: `alias ${method} ${path}`, method, path })),
  ...later.map(({ id, method, path }) => ({ name: `later ${id}`, method, path })),
]

let it: Bench

beforeAll(async () => {
  it = await bench([], { files: { "a.txt": "a\n" } })
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

/** A path with ids of the right form that nothing has. */
const filled = (path: string): string =>
  path
    .replace("{sessionID}", "ses_000000000000none0000000000")
    .replace("{messageID}", "msg_000000000000none0000000000")
    .replace("{partID}", "prt_000000000000none0000000000")
    .replace("{permissionID}", "per_000000000000none0000000000")
    .replace("{requestID}", path.startsWith("/question") ? "que_none" : "per_none")
    .replace("{inboxID}", "inb_none")
    .replace(/\{\w+\}/g, "none")

interface Got {
  readonly status: number
  readonly body: { readonly name?: string; readonly data?: { readonly message?: string } }
  readonly headers: Headers
}

/** A request without a credential, unless one is given. What comes has to be JSON with a reason, and the headers of all answers. */
async function send(row: Row, init: RequestInit = {}, path = filled(row.path)): Promise<Got> {
  const response = await fetch(new URL(path, it.server.url), { method: row.method, ...init })
  const text = await response.text()
  expect(response.headers.get("content-type")).toStartWith("application/json")
  const body = JSON.parse(text) as Got["body"]
  expect(body.data?.message?.length ?? 0).toBeGreaterThan(5)
  expect(text).not.toMatch(/\n\s+at |\.ts:\d/)
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect(response.headers.get("cache-control")).toBe("no-store")
  expect(response.headers.get("x-content-type-options")).toBe("nosniff")
  return { status: response.status, body, headers: response.headers }
}

const token = { authorization: "Bearer test-token-of-the-bench" }
const json = { ...token, "content-type": "application/json" }
const each = rows.map((row) => [row.name, row] as const)
const changing = rows.filter(({ operation }) => operation?.changes).map((row) => [row.name, row] as const)
const withBody = rows.filter(({ operation }) => operation?.body).map((row) => [row.name, row] as const)
const withParams = rows.filter(({ operation }) => operation?.params).map((row) => [row.name, row] as const)

describe("nobody comes in", () => {
  test.each(each)("%s without a token, or with a wrong one, is 401", async (_, row) => {
    expect((await send(row)).status).toBe(401)
    // After ten wrong ones they wait.
    for (const authorization of ["Bearer wrong", `Basic ${btoa("opencode:wrong")}`])
      expect([401, 429]).toContain((await send(row, { headers: { authorization } })).status)
  })

  test.each(each)("%s for a foreign host is 403, with and without the token", async (_, row) => {
    for (const headers of [{}, token])
      expect((await send(row, { headers: { ...headers, host: "evil.example" } })).status).toBe(403)
  })

  test.each(each)("%s from a foreign page is 403, and the page may not read it", async (_, row) => {
    for (const headers of [{}, token]) {
      const got = await send(row, { headers: { ...headers, origin: "https://evil.example" } })
      expect([got.status, got.headers.get("access-control-allow-origin")]).toEqual([403, null])
    }
    expect((await send(row, { headers: { ...token, "sec-fetch-site": "cross-site" } })).status).toBe(403)
  })

  test.each(each)("%s may not be asked for by a foreign page beforehand either", async (_, row) => {
    const ask = { origin: "https://evil.example", "access-control-request-method": row.method }
    const got = await send({ ...row, method: "OPTIONS" }, { headers: ask })
    expect([got.status, got.headers.get("access-control-allow-origin")]).toEqual([403, null])
  })
})

describe("what is sent is looked at", () => {
  test.each(changing)("%s takes nothing but JSON: 415", async (_, row) => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
      expect((await send(row, { headers: { ...token, "content-type": type }, body: "{}" })).status).toBe(415)
  })

  test.each(withBody)("%s with what is no JSON, or of the wrong type, is 400 and changes nothing", async (_, row) => {
    for (const body of ["{", "\u0000", '{"a":', `{"a":${"[".repeat(100_000)}`])
      expect((await send(row, { headers: json, body })).status).toBe(400)
    const wrong = [[], 7, "text", { ...Object.fromEntries(namesOf(row).map((name) => [name, { odd: [] }])) }]
    const statuses = await Promise.all(
      wrong.map(async (body) => (await raw(row, { headers: json, body: JSON.stringify(body) })).status),
    )
    // Where anything may be said, anything is fine.
    if (row.name !== "tui.control.response") expect(statuses.slice(0, 3).every((status) => status >= 400)).toBe(true)
    for (const status of statuses) expect(status).toBeLessThan(500)
  })

  test.each(withBody)("%s with 50 MB is 413, told as such and by counting", async (_, row) => {
    expect((await send(row, { headers: json, body: fifty })).status).toBe(413)
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(fifty.subarray(0, 1_000_000))
      },
    })
    expect((await send(row, { headers: json, body: stream, duplex: "half" } as RequestInit)).status).toBe(413)
  })

  test.each(withParams)(
    "%s with an id that nothing has, or of the wrong kind, is 400 or 404, never a defect",
    async (_, row) => {
      for (const path of [
        filled(row.path),
        row.path.replace(/\{\w+\}/g, "..%2f..%2fetc"),
        row.path.replace(/\{\w+\}/g, "%00"),
      ]) {
        const got = await raw(row, { headers: json, ...(row.operation?.body && { body: "{}" }) }, path)
        if (harmless.has(row.name)) expect(got.status).toBeLessThan(500)
        else expect([path, 400 <= got.status && got.status < 500]).toEqual([path, true])
      }
    },
  )

  test.each(each)("%s for a directory that is none, relative, or not encoded is 400", async (_, row) => {
    if (row.operation?.reach !== "directory") return
    const path = filled(row.path)
    const body = row.operation.body ? { body: "{}" } : {}
    for (const directory of ["none", "../..", "", "/none/such", "/etc/passwd", "a\u0000b", "%00"]) {
      if (directory === "") continue
      const got = await raw(row, { headers: json, ...body }, `${path}?directory=${encodeURIComponent(directory)}`)
      expect([directory, got.status]).toEqual([directory, 400])
    }
    const got = await raw(row, { headers: { ...json, "x-opencode-directory": "%zz" }, ...body })
    expect(got.status).toBe(400)
  })
})

/** The answer whatever it is; a stream or a call that waits is let go when its headers are there. */
async function raw(row: Row, init: RequestInit, path = filled(row.path)): Promise<Response> {
  const response = await fetch(new URL(path, it.server.url), { method: row.method, ...init })
  await response.body?.cancel()
  return response
}

const fifty = Buffer.alloc(50_000_000, "a")

/** Names in the body that a type can be wrong of. */
function namesOf({ operation }: Row): string[] {
  const shape = operation?.body && "shape" in operation.body ? operation.body.shape : {}
  return Object.keys(shape as object)
}

/** An id of theirs is a name, of which none is wrong: forgetting the key of an unknown provider is no mistake. */
const harmless = new Set(["auth.set", "auth.remove", "project.directories"])

test("what does not exist yet is 501, what never will be is 404", async () => {
  for (const { method, path, id } of later) {
    const got = await send({ name: id, method, path }, { headers: token })
    expect([id, got.status, got.body.name]).toEqual([id, 501, "NotImplementedError"])
  }
  for (const path of ["/", "/none", "/session/x/y/z", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/doc/x"])
    expect([path, (await send({ name: "none", method: "GET", path }, { headers: token })).status]).toEqual([path, 404])
  expect((await send({ name: "none", method: "PUT", path: "/session" }, { headers: token })).status).toBe(404)
})

test("a page that was let in is told so, and no other", async () => {
  await using other = await bench([], { server: { origins: ["http://localhost:5173"] } })
  const origin = "http://localhost:5173"
  const asked = await fetch(new URL("/session", other.server.url), {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
  })
  expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, origin])
  expect(asked.headers.get("access-control-allow-headers")).toContain("authorization")
  const got = await other.call("GET", "/session", undefined, { headers: { origin } })
  expect([got.status, got.headers.get("access-control-allow-origin")]).toEqual([200, origin])
  const refused = await other.call("GET", "/session", undefined, { headers: { origin: "http://localhost:5174" } })
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, null])
})

/** What a connection says in answer to bytes that are written by hand. */
function talk(url: URL, ...pieces: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = ""
    const socket = connect(Number(url.port), url.hostname, () => {
      for (const piece of pieces) socket.write(piece)
    })
    socket.on("data", (data) => {
      heard += data.toString()
      if (/\r\n\r\n.+/s.test(heard)) socket.destroy()
    })
    socket.on("close", () => resolve(heard))
    socket.on("error", reject)
  })
}

test("a request by hand: no host, two hosts, a host that is none", async () => {
  const auth = "Authorization: Bearer test-token-of-the-bench"
  for (const head of ["", "Host: evil.example\r\n", "Host: a b\r\n", "Host: localhost@evil.example\r\n"]) {
    const heard = await talk(it.server.url, `GET /session HTTP/1.1\r\n${head}${auth}\r\nConnection: close\r\n\r\n`)
    expect([head, /^HTTP\/1\.1 40[03]/.test(heard)]).toEqual([head, true])
  }
})

import { describe, expect, test } from "bun:test"
import { TestClock } from "@cairn/testkit/clock"
import { createAuthentication, type Credentials } from "./authentication.ts"
import { checkContentType } from "./content-type.ts"
import { bracketed, checkHost, isLoopback } from "./host.ts"
import { allowedOrigin, checkOrigin, corsHeaders } from "./origin.ts"

const request = (headers: Record<string, string>, init: RequestInit = {}) =>
  new Request("http://127.0.0.1:4096/session", { ...init, headers: new Headers(headers) })

describe("a host", () => {
  test.each(["localhost", "LOCALHOST:4096", "127.0.0.1:4096", "127.8.9.1", "[::1]:4096", "[::1]"])(
    "%s is this machine",
    (host) => expect(checkHost(request({ host }), "127.0.0.1")).toBeUndefined(),
  )

  test.each([
    ["evil.example", 403],
    ["evil.example:4096", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["1270.0.0.1", 403],
    ["192.168.1.7", 403],
    ["0.0.0.0", 403],
    ["[::2]", 403],
    ["user@localhost", 400],
    ["localhost:99999x", 400],
    ["a b", 400],
    ["", 400],
  ])("%j is not: %d", (host, status) => expect(checkHost(request({ host }), "127.0.0.1")?.status).toBe(status as never))

  test("that is missing is a bad request", () => {
    expect(checkHost(request({}), "127.0.0.1")?.status).toBe(400)
  })

  test("beyond loopback the bound name and any address are good, other names are not", () => {
    for (const host of ["192.168.1.7:1", "[fe80::1]", "localhost", "box.lan"])
      expect(checkHost(request({ host }), "box.lan")).toBeUndefined()
    expect(checkHost(request({ host: "evil.example" }), "0.0.0.0")?.status).toBe(403)
    expect(checkHost(request({ host: "192.168.1.7" }), "0.0.0.0")).toBeUndefined()
  })

  test("an IPv6 address is bound with and without brackets", () => {
    expect([bracketed("::1"), bracketed("[::1]"), bracketed("box")]).toEqual(["[::1]", "[::1]", "box"])
    expect([isLoopback("::1"), isLoopback("::"), isLoopback("0.0.0.0"), isLoopback("127.0.0.1")]).toEqual([
      ...[true, false, false, true],
    ])
  })
})

describe("an origin", () => {
  const host = "127.0.0.1:4096"
  const listed = ["http://localhost:5173", "tauri://localhost"]

  test("that is none, our own, or listed is good", () => {
    expect(checkOrigin(request({ host }), listed)).toBeUndefined()
    for (const origin of ["http://127.0.0.1:4096", ...listed]) {
      expect(checkOrigin(request({ host, origin }), listed)).toBeUndefined()
      expect(allowedOrigin(request({ host, origin }), listed)).toBe(origin)
    }
  })

  test.each([
    "https://evil.example",
    "http://localhost:5174",
    "https://localhost:5173",
    "http://127.0.0.1",
    "https://127.0.0.1:4096",
    "null",
    "",
  ])("%j is refused", (origin) => expect(checkOrigin(request({ host, origin }), listed)?.status).toBe(403))

  test("a browser that only says that it comes from elsewhere is refused, unless a person followed a link", () => {
    expect(checkOrigin(request({ host, "sec-fetch-site": "cross-site" }), listed)?.status).toBe(403)
    expect(checkOrigin(request({ host, "sec-fetch-site": "same-origin" }), listed)).toBeUndefined()
    const link = { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }
    expect(checkOrigin(request(link), listed)).toBeUndefined()
  })

  test("only an allowed one may read the answer", () => {
    expect(corsHeaders(undefined)).toEqual({ vary: "Origin" })
    expect(corsHeaders("tauri://localhost")).toMatchObject({ "access-control-allow-origin": "tauri://localhost" })
  })
})

describe("credentials", () => {
  const both: Credentials = { token: "t".repeat(43), password: "correct horse" }
  const bearer = (secret: string) => request({ authorization: `Bearer ${secret}` })
  const basic = (pair: string) => request({ authorization: `Basic ${btoa(pair)}` })

  test("the token opens as bearer and as password, the password as password only", () => {
    const { check } = createAuthentication(both, new TestClock())
    expect(check(bearer("t".repeat(43)), "a")).toBeUndefined()
    expect(check(basic(`x:${"t".repeat(43)}`), "a")).toBeUndefined()
    expect(check(basic("opencode:correct horse"), "a")).toBeUndefined()
    expect(check(request({ authorization: `bearer  ${"t".repeat(43)} ` }), "a")).toBeUndefined()
    expect(check(bearer("correct horse"), "a")?.status).toBe(401)
  })

  test.each(["", "Bearer", "Bearer ", "Basic !!!", `Basic ${btoa("no-colon")}`, "Digest x", "t".repeat(43)])(
    "%j is no credential, and no failed try either",
    (authorization) => {
      const { check } = createAuthentication(both, new TestClock())
      for (let tries = 0; tries < 20; tries++) {
        const refused = check(request({ authorization }), "a")
        expect(refused?.status).toBe(401)
        expect(refused?.headers?.["www-authenticate"]).toContain("Basic")
      }
    },
  )

  test("after ten wrong ones the passwords of that address wait a minute; the token and other addresses do not", () => {
    const clock = new TestClock()
    const { check } = createAuthentication(both, clock)
    const guess = () => check(basic("x:guess"), "a")?.status
    expect(Array.from({ length: 12 }, guess)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429] as never)
    const barred = check(basic("x:correct horse"), "a")
    expect([barred?.status, barred?.headers?.["retry-after"]]).toEqual([429, "60"] as never)
    expect(check(bearer("t".repeat(43)), "a")).toBeUndefined()
    expect(check(basic("x:correct horse"), "b")).toBeUndefined()
  })

  test("a minute after the first of them the password opens again", async () => {
    const clock = new TestClock()
    const { check } = createAuthentication(both, clock)
    for (let tries = 0; tries < 10; tries++) check(basic("x:guess"), "a")
    await clock.advance(59_999)
    expect(check(basic("x:correct horse"), "a")?.headers?.["retry-after"]).toBe("1")
    await clock.advance(1)
    expect(check(basic("x:correct horse"), "a")).toBeUndefined()
  })

  test("failures of a thousand addresses and more are not all remembered", () => {
    const { check } = createAuthentication(both, new TestClock())
    for (let tries = 0; tries < 10; tries++) check(basic("x:guess"), "first")
    for (let address = 0; address < 1_000; address++) check(basic("x:guess"), `${address}`)
    expect(check(basic("x:correct horse"), "first")).toBeUndefined()
  })

  test("without any nobody is asked", () => {
    expect(createAuthentication({}, new TestClock()).check(request({}), "a")).toBeUndefined()
  })
})

describe("a body", () => {
  const post = (headers: Record<string, string>, body?: string) =>
    checkContentType(request(headers, { method: "POST", ...(body !== undefined && { body }) }))

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/merge-patch+json",
  ])("%s is JSON", (type) => expect(post({ "content-type": type, "content-length": "2" }, "{}")).toBeUndefined())

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "json",
  ])("%s is refused, also without a body", (type) => {
    expect(post({ "content-type": type, "content-length": "2" }, "{}")?.status).toBe(415)
    expect(post({ "content-type": type })?.status).toBe(415)
  })

  test("without a type only none at all is taken", () => {
    expect(post({})).toBeUndefined()
    expect(post({ "content-length": "0" })).toBeUndefined()
    expect(post({ "content-length": "2" })?.status).toBe(415)
    expect(post({ "transfer-encoding": "chunked" })?.status).toBe(415)
  })
})

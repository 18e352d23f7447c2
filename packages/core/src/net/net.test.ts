import { afterAll, expect, test } from "bun:test"
import { systemClock } from "@cairn/kernel/clock"
import { createLog, silentLog } from "@cairn/kernel/log"
import { createNet } from "./net.ts"

const seen: { path: string; method: string; key: string | null; body: string }[] = []
const stop: (() => void)[] = []
function server(answer: (request: Request, url: URL) => Response | Promise<Response>): string {
  const running = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const url = new URL(request.url)
      seen.push({
        path: url.pathname,
        method: request.method,
        key: request.headers.get("authorization"),
        body: await request.clone().text(),
      })
      return answer(request, url)
    },
  })
  stop.push(() => void running.stop(true))
  return running.url.origin
}
afterAll(() => stop.forEach((end) => end()))

const make = (env: Record<string, string> = {}) => createNet({ env, log: silentLog, clock: systemClock })
const post = { method: "POST", body: "{}", headers: { authorization: "Bearer k" } }
const failure = async (promise: Promise<unknown>) => {
  try {
    await promise
  } catch (error) {
    return (error as { code?: string }).code
  }
  return "no error"
}

test("a redirect within the origin keeps method, body and key when it says so", async () => {
  const origin = server((_, url) =>
    url.pathname === "/a" ? new Response(null, { status: 307, headers: { location: "/b" } }) : new Response("done"),
  )
  const response = await make().client({ origin })(`${origin}/a`, post)
  expect(await response.text()).toBe("done")
  expect(seen.at(-1)).toEqual({ path: "/b", method: "POST", key: "Bearer k", body: "{}" })
})

test("no redirect carries a request, and so a key, to another origin", async () => {
  const other = server(() => new Response("stolen"))
  const origin = server(() => new Response(null, { status: 307, headers: { location: `${other}/steal` } }))
  expect(await failure(make().client({})(`${origin}/x`, post))).toBe("redirect")
  expect(seen.some((request) => request.path === "/steal")).toBe(false)
})

test("a POST is not silently turned into a GET", async () => {
  const origin = server((_, url) => new Response(null, { status: 302, headers: { location: `${url.pathname}/` } }))
  expect(await failure(make().client({})(`${origin}/moved`, post))).toBe("redirect")
})

test("a circle of redirects ends", async () => {
  let hits = 0
  const origin = server(() => {
    hits++
    return new Response(null, { status: 302, headers: { location: "/again" } })
  })
  expect(await failure(make().client({})(`${origin}/again`))).toBe("too_many_redirects")
  expect(hits).toBe(6)
})

test("a pinned client refuses another origin before anything is sent", async () => {
  const other = server(() => new Response("x"))
  const net = make()
  expect(await failure(net.client({ origin: "https://api.example.com" })(`${other}/pinned`, post))).toBe(
    "foreign_origin",
  )
  expect(seen.some((request) => request.path === "/pinned")).toBe(false)
  expect(net.ledger().size).toBe(0)
})

test("a body that is too long fails, an error body is cut", async () => {
  const origin = server((_, url) => new Response("x".repeat(3 << 20), { status: url.pathname === "/bad" ? 500 : 200 }))
  const client = make().client({ maxBytes: 1_000 })
  const long = await client(`${origin}/long`)
  expect(await failure(long.text())).toBe("too_large")
  expect((await (await client(`${origin}/bad`)).text()).length).toBe(1 << 20)
  expect((await (await make().client({})(`${origin}/long`)).text()).length).toBe(3 << 20)
})

test("the proxy of the environment is used, except for loopback", async () => {
  const proxied: string[] = []
  const proxy = server((request) => {
    proxied.push(new URL(request.url).host)
    return new Response("by proxy")
  })
  const direct = server(() => new Response("direct"))
  const client = make({ HTTP_PROXY: proxy, NO_PROXY: "direct.test" }).client({})
  expect(await (await client("http://somewhere.test/x")).text()).toBe("by proxy")
  expect(await (await client(direct)).text()).toBe("direct")
  expect(proxied).toEqual(["somewhere.test"])
})

test("loopback is direct even when the process has a proxy, and its variables are left alone", async () => {
  const proxy = server(() => new Response("by proxy"))
  const direct = server(() => new Response("direct"))
  const before = { ...process.env }
  process.env["HTTP_PROXY"] = proxy
  try {
    expect(await (await make().client({})(direct)).text()).toBe("direct")
    expect(process.env["NO_PROXY"]).toBe(before["NO_PROXY"])
  } finally {
    if (before["HTTP_PROXY"] === undefined) delete process.env["HTTP_PROXY"]
    else process.env["HTTP_PROXY"] = before["HTTP_PROXY"]
  }
})

test("the ledger counts by host, and the log has neither path nor key", async () => {
  const origin = server(() => new Response("x"))
  const lines: string[] = []
  const net = createNet({
    env: {},
    log: createLog({ write: (line) => lines.push(line) }, systemClock, "debug"),
    clock: systemClock,
  })
  await (await net.client({})(`${origin}/secret?key=sk-1`, post)).text()
  await (await net.client({})(`${origin}/secret`, post)).text()
  expect([...net.ledger()]).toEqual([[new URL(origin).host, 2]])
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain("secret")
  expect(lines.join()).not.toContain("Bearer")
})

test("an aborted request rejects with the reason", async () => {
  const origin = server(() => new Promise<Response>(() => {}))
  const reason = new Error("enough")
  const promise = make().client({})(`${origin}/hang`, { signal: AbortSignal.abort(reason) })
  expect(await promise.catch((error: unknown) => error)).toBe(reason)
})

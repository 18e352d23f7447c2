import type { Clock } from "@cairn/kernel/clock"
import type { Log } from "@cairn/kernel/log"
import type { Result } from "@cairn/kernel/result"
import { NetError } from "./error.ts"
import { limitBody } from "./limit.ts"
import { probe } from "./probe.ts"
import { type Env, proxyFor } from "./proxy.ts"

/** What the provider packages call instead of the global `fetch`. */
export type Fetch = typeof globalThis.fetch

export interface FetchPolicy {
  /** Requests to any other origin are refused before a byte (and a key) leaves: `https://api.example.com`. */
  readonly origin?: string
  /** Bytes of one answer's body; longer fails. An error answer is cut at 1 MiB instead. */
  readonly maxBytes?: number
}

/** All traffic of the engine. No redirect leaves its origin, so no key does. */
export interface Net {
  /** A `fetch` bound to a policy. Fails with `NetError`, or with what the platform throws (a `code`). */
  client(policy: FetchPolicy): Fetch
  /** One TCP connection to the origin of `url`, or to the proxy in front of it; refused or silent for 5 s is an error. */
  probe(url: string, signal: AbortSignal): Promise<Result<void, NetError>>
  /** Requests sent so far, by host. */
  ledger(): ReadonlyMap<string, number>
}

const probeMs = 5_000
const mostRedirects = 5
const errorBytes = 1 << 20
const answerBytes = 128 << 20

export interface NetOptions {
  readonly env: Env
  readonly log: Log
  readonly clock: Clock
  /** What sends, where it is not the platform's own. */
  readonly fetch?: Fetch
}

export function createNet({ env, log, clock, fetch: transport = fetch }: NetOptions): Net {
  const requests = new Map<string, number>()

  async function send(input: string | URL | Request, init: RequestInit | undefined, policy: FetchPolicy) {
    const request = input instanceof Request ? new Request(input, init) : new Request(String(input), init)
    const body = request.body === null ? undefined : (init?.body ?? (await request.arrayBuffer()))
    let url = new URL(request.url)
    let method = request.method
    for (let hop = 0; ; hop++) {
      if (policy.origin !== undefined && url.origin !== policy.origin)
        throw new NetError(
          "foreign_origin",
          `a request to ${url.host} was refused: only ${policy.origin} is configured`,
        )
      requests.set(url.host, (requests.get(url.host) ?? 0) + 1)
      log.debug("request", { host: url.host, method, count: requests.get(url.host) })
      const bodied = method !== "GET" && method !== "HEAD"
      const response = await transmit(transport, url, env, {
        method,
        headers: request.headers,
        ...(bodied && body !== undefined ? { body } : {}),
        ...(init?.signal ? { signal: init.signal } : {}),
      })
      const next = redirect(response, url, method)
      if (!next) return limitBody(response, response.ok ? (policy.maxBytes ?? answerBytes) : errorBytes, !response.ok)
      await response.body?.cancel()
      if (hop >= mostRedirects) throw new NetError("too_many_redirects", `${url.host} redirects in a circle`)
      url = next.url
      method = next.method
    }
  }

  return {
    client: (policy) => {
      const call = (input: string | URL | Request, init?: RequestInit) => send(input, init, policy)
      return Object.assign(call, { preconnect: () => {} })
    },
    probe: (text, signal) => {
      const url = new URL(text)
      const target = new URL(proxyFor(url, env) ?? url)
      const host = target.hostname.replace(/^\[|\]$/g, "")
      const port = Number(target.port || (target.protocol === "https:" ? 443 : 80))
      return probe({ host, port }, { clock, ms: probeMs, signal })
    },
    ledger: () => requests,
  }
}

/** Where to go next, or undefined when the answer is final. A redirect that would change the origin, or turn a POST into a GET, is an error. */
function redirect(response: Response, from: URL, method: string): { url: URL; method: string } | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const location = response.headers.get("location")
  if (location === null) return undefined
  if (!URL.canParse(location, from.href)) throw new NetError("redirect", `${from.host} redirects to an invalid address`)
  const url = new URL(location, from.href)
  if (url.origin !== from.origin)
    throw new NetError(
      "redirect",
      `${from.origin} redirects to ${url.origin}; set the provider's baseURL to the final address`,
    )
  const keeps = response.status === 307 || response.status === 308 || method === "GET" || method === "HEAD"
  if (!keeps)
    throw new NetError(
      "redirect",
      `${from.host} redirects a ${method} to ${url.pathname}; set the provider's baseURL to the final address`,
    )
  return { url, method }
}

/**
 * The one call of the platform's `fetch`. Bun reads the proxy variables of the process by itself and has no
 * option for a direct connection, but it reads them before `fetch` returns, so they can be outvoted for that moment.
 */
function transmit(fetch: Fetch, url: URL, env: Env, init: RequestInit): Promise<Response> {
  const proxy = proxyFor(url, env)
  if (proxy !== undefined) return fetch(url, { ...init, redirect: "manual", proxy })
  const saved = { upper: process.env["NO_PROXY"], lower: process.env["no_proxy"] }
  process.env["NO_PROXY"] = "*"
  process.env["no_proxy"] = "*"
  try {
    return fetch(url, { ...init, redirect: "manual" })
  } finally {
    restore("NO_PROXY", saved.upper)
    restore("no_proxy", saved.lower)
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

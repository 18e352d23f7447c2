import { reachOf } from "./address.ts"

export type Env = Readonly<Record<string, string | undefined>>

const longest = 8_192

/**
 * The proxy for `url` by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY (either case), or undefined for a
 * direct connection. Loopback is always direct. A value without a scheme is an http proxy.
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  if (reachOf(url.hostname) === "loopback") return undefined
  const scheme = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"
  const proxy = value(env, scheme) ?? value(env, "ALL_PROXY")
  if (proxy === undefined || bypassed(url, value(env, "NO_PROXY") ?? "")) return undefined
  const address = proxy.includes("://") ? proxy : `http://${proxy}`
  return URL.canParse(address) ? address : undefined
}

function value(env: Env, name: string): string | undefined {
  const text = (env[name.toLowerCase()] ?? env[name])?.trim()
  return text ? text : undefined
}

function bypassed(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase()
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return list
    .slice(0, longest)
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry, host, port))
}

/** `*`, `host` and `.host` (its subdomains too), `*.host`, each with an optional `:port`. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true
  const withPort = /^(.*[^:]|\[.*\]):(\d+)$/.exec(entry)
  const isV6 = entry.includes("::") || (entry.match(/:/g)?.length ?? 0) > 1
  const name = (withPort && (!isV6 || entry.startsWith("[")) ? (withPort[1] ?? "") : entry).replace(/^\[|\]$/g, "")
  if (withPort && (!isV6 || entry.startsWith("[")) && withPort[2] !== port) return false
  const bare = name.replace(/^\*?\./, "")
  return host === bare || host.endsWith(`.${bare}`)
}

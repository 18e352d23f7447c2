import { type Failure, failure } from "../failure.ts"

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/** Whether a host name, as it stands in a URL, means this machine and nothing else. */
export const isLoopback = (hostname: string): boolean => loopback.test(bracketed(hostname).toLowerCase())

/** An IPv6 address stands in brackets in a URL. */
export const bracketed = (hostname: string): string =>
  hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname

/** The name in a `Host` header, without its port. Undefined for what is no host. */
function hostName(header: string | null): string | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header ?? "")
  return found?.[1]?.toLowerCase()
}

/**
 * Refuses a request whose `Host` is not meant for us: a page that let its own name point at this machine (DNS rebinding)
 * sends that name. Good are loopback names, the name that was bound to, and, where the server is bound beyond loopback,
 * any address, since an address cannot be rebound.
 */
export function checkHost(request: Request, boundTo: string): Failure | undefined {
  const name = hostName(request.headers.get("host"))
  if (name === undefined) return failure("BadRequest", "The Host header is missing or malformed.", { kind: "Headers" })
  const bound = bracketed(boundTo).toLowerCase()
  if (isLoopback(name) || name === bound) return undefined
  if (!isLoopback(bound) && address.test(name)) return undefined
  return failure("ForbiddenError", `This server does not answer for the host ${name}.`)
}

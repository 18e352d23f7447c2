import { createHash, timingSafeEqual } from "node:crypto"
import type { Clock } from "@cairn/kernel/clock"
import { type Failure, failure } from "../failure.ts"

/** What opens the server. Without either nobody is asked (`--insecure-loopback`). */
export interface Credentials {
  /** 256 random bits: it cannot be guessed, so failures do not bar it. */
  readonly token?: string
  /** Chosen by a person. */
  readonly password?: string
}

/** Wrong credentials from one address that are looked at in a minute; then its passwords wait. */
const failuresAllowed = 10
const barredMs = 60_000
/** Addresses that are remembered; the one that failed longest ago goes first. */
const addressesKept = 1_000

export interface Authentication {
  /** `address` is where the request came from. */
  check(request: Request, address: string): Failure | undefined
}

/** Compares without telling by its time how much of a guess was right. */
export function createAuthentication(
  { token, password }: Credentials,
  clock: Pick<Clock, "monotonic">,
): Authentication {
  if (token === undefined && password === undefined) return { check: () => undefined }
  const failures = new Map<string, number[]>()
  const recent = (address: string): number[] => {
    const since = clock.monotonic() - barredMs
    return (failures.get(address) ?? []).filter((at) => at > since)
  }
  const note = (address: string): void => {
    const times = [...recent(address), clock.monotonic()].slice(-failuresAllowed)
    failures.delete(address)
    failures.set(address, times)
    const [oldest] = failures.keys()
    if (failures.size > addressesKept && oldest !== undefined) failures.delete(oldest)
  }
  return {
    check(request, address) {
      const given = givenSecret(request.headers.get("authorization"))
      if (given === undefined)
        return unauthorized("Send the token as `Authorization: Bearer`, or by basic authentication.")
      if (same(given.secret, token)) return undefined
      const times = recent(address)
      const [first] = times
      if (times.length >= failuresAllowed && first !== undefined) return barred(first + barredMs - clock.monotonic())
      if (given.scheme === "basic" && same(given.secret, password)) return undefined
      note(address)
      return unauthorized("The token or password is wrong.")
    },
  }
}

interface Given {
  readonly scheme: "bearer" | "basic"
  readonly secret: string
}

/** Of basic authentication only the password counts: any user name will do. */
function givenSecret(header: string | null): Given | undefined {
  const [, scheme, value] = /^(bearer|basic)\s+(\S+)\s*$/i.exec(header ?? "") ?? []
  if (scheme === undefined || value === undefined) return undefined
  if (scheme.toLowerCase() === "bearer") return { scheme: "bearer", secret: value }
  const text = Buffer.from(value, "base64").toString("utf8")
  const colon = text.indexOf(":")
  return colon < 0 ? undefined : { scheme: "basic", secret: text.slice(colon + 1) }
}

function same(given: string, wanted: string | undefined): boolean {
  return wanted !== undefined && timingSafeEqual(digest(given), digest(wanted))
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const unauthorized = (message: string): Failure => ({
  ...failure("UnauthorizedError", message),
  headers: { "www-authenticate": 'Basic realm="cairn", charset="UTF-8"' },
})

const barred = (ms: number): Failure => ({
  ...failure("TooManyRequestsError", "Too many wrong passwords. Wait a minute, or use the token."),
  headers: { "retry-after": `${Math.max(1, Math.ceil(ms / 1000))}` },
})

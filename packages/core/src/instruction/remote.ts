import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "@cairn/kernel/clock"
import { Deadline } from "@cairn/kernel/deadline"
import type { Log } from "@cairn/kernel/log"
import { abortable, until } from "@cairn/kernel/task"
import { reachOf } from "../net/address.ts"
import type { Net } from "../net/net.ts"
import { type Instruction, largest } from "./define.ts"
import { shownText } from "./read-start.ts"

export interface RemoteDeps {
  readonly net: Net
  readonly clock: Clock
  readonly log: Log
  /** Where answers are kept, with their ETag and age. */
  readonly cacheDir: string
  /** Milliseconds for one answer, its body included. */
  readonly timeoutMs?: number
}

interface Kept {
  readonly url: string
  readonly etag?: string
  readonly modified?: string
  /** When the server last confirmed it. */
  readonly at: number
  readonly text: string
}

const usualTimeout = 5_000
/** A younger copy is used without asking. */
const freshMs = 10 * 60_000
const largestKept = 4 * largest

/**
 * The text behind an address that the user's config names. A copy that is ten minutes young is used as it is, an older
 * one is confirmed or renewed within the time limit, and stands in when that fails. Never rejects: what cannot be had is
 * logged and undefined. An interruption ends the wait.
 */
export async function fetchInstruction(
  address: string,
  deps: RemoteDeps,
  signal: AbortSignal,
): Promise<Instruction | undefined> {
  const { log, clock } = deps
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !isAllowed(url)) {
    log.warn("an address in instructions is not used: it must be https, or http on this machine or network", {
      address: url ? shownAddress(url) : "(not an address)",
    })
    return undefined
  }
  const path = shownAddress(url)
  const kept = await readKept(url, deps)
  const age = kept ? clock.now() - kept.at : undefined
  if (kept && age !== undefined && age >= 0 && age < freshMs) return instruction(path, kept)
  try {
    const renewed = await ask(url, kept, deps, signal)
    await keep(url, renewed, deps)
    return instruction(path, renewed)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (!kept) log.warn("instructions could not be fetched", { address: path, why })
    else
      log.warn("instructions could not be fetched; the copy in the cache is used", { address: path, why, ageMs: age })
    return kept && instruction(path, kept)
  }
}

const instruction = (path: string, { url, text }: Kept): Instruction => ({ path, real: url, text, from: "user" })

/** Whoever can change the answer on its way would speak for the user. */
const isAllowed = (url: URL): boolean =>
  url.protocol === "https:" || (url.protocol === "http:" && reachOf(url.hostname) !== "public")

/** Without what may be a secret: user, password, query. */
const shownAddress = (url: URL): string => `${url.origin}${url.pathname}`

async function ask(url: URL, kept: Kept | undefined, deps: RemoteDeps, signal: AbortSignal): Promise<Kept> {
  const { net, clock, timeoutMs = usualTimeout } = deps
  using deadline = new Deadline(clock, "the answer", timeoutMs, signal)
  const headers = new Headers({ accept: "text/markdown, text/plain, text/*;q=0.8" })
  if (kept?.etag) headers.set("if-none-match", kept.etag)
  if (kept?.modified) headers.set("if-modified-since", kept.modified)
  if (url.username !== "") {
    const secret = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.set("authorization", `Basic ${Buffer.from(secret).toString("base64")}`)
  }
  const target = new URL(url)
  target.username = target.password = target.hash = ""
  const call = net.client({ origin: url.origin })(target, { headers, signal: deadline.signal })
  const response = await abortable(call, deadline.signal)
  const at = clock.now()
  if (response.status === 304 && kept) {
    await response.body?.cancel()
    return { ...kept, at }
  }
  const type = response.headers.get("content-type") ?? "text/plain"
  if (!response.ok || !/^(text\/|application\/(json|yaml|markdown))/i.test(type)) {
    await response.body?.cancel()
    throw new Error(response.ok ? `the answer is ${type.slice(0, 100)}, not text` : `status ${response.status}`)
  }
  const { bytes, more } = await startOf(response, deadline.signal)
  const note = more ? `[the rest of ${shownAddress(url)} was cut: only its first ${largest / 1024} kB are used]` : ""
  const text = shownText(bytes, note)
  if (text === undefined) throw new Error("the answer is empty or no text")
  const etag = response.headers.get("etag")?.slice(0, 1_000)
  const modified = response.headers.get("last-modified")?.slice(0, 100)
  return { url: url.href, at, text, ...(etag && { etag }), ...(modified && { modified }) }
}

async function startOf(response: Response, signal: AbortSignal): Promise<{ bytes: Uint8Array; more: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ? until<Uint8Array>(response.body, signal) : []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > largest) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, largest), more: size > largest }
}

const fileOf = (url: URL, { cacheDir }: RemoteDeps): string =>
  join(cacheDir, "instruction", `${new Bun.CryptoHasher("sha256").update(url.href).digest("hex")}.json`)

async function readKept(url: URL, deps: RemoteDeps): Promise<Kept | undefined> {
  const file = fileOf(url, deps)
  try {
    if ((await stat(file)).size > largestKept) return undefined
    const value: unknown = JSON.parse(await readFile(file, "utf8"))
    return isKept(value) && value.url === url.href ? value : undefined
  } catch {
    return undefined // never fetched, or the cache was damaged: fetch it
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false
  const { url, at, text, etag, modified } = value as Record<string, unknown>
  const optional = [etag, modified].every((one) => one === undefined || typeof one === "string")
  return typeof url === "string" && typeof at === "number" && typeof text === "string" && optional
}

/** For this user only: an address may hold a secret. A cache that cannot be written costs the next session a request. */
async function keep(url: URL, kept: Kept, deps: RemoteDeps): Promise<void> {
  const file = fileOf(url, deps)
  const fresh = `${file}.${process.pid}.${crypto.randomUUID()}`
  try {
    await mkdir(join(deps.cacheDir, "instruction"), { recursive: true, mode: 0o700 })
    await writeFile(fresh, JSON.stringify(kept), { mode: 0o600, flag: "wx" })
    await rename(fresh, file)
  } catch (error) {
    deps.log.warn("fetched instructions could not be kept", { error })
  }
}

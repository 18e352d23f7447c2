import { err, ok, type Result } from "@cairn/kernel/result"
import { type Env, variable } from "./wanted.ts"

/** Where spans go, as the OpenTelemetry variables say. Only the environment is asked, never a config file. */
export interface OtlpSettings {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Who sends them: `service.name` and what else the user says. */
  readonly resource: Readonly<Record<string, string>>
  /** What is wrong with the rest and was left out; without values, which may be secret. */
  readonly problems: readonly string[]
}

const mostPairs = 64
/** Ours to set. */
const fixedHeaders = new Set(["content-type", "content-length", "host", "transfer-encoding", "connection"])

/** The error says what to mend, and in which variable. */
export function otlpSettings(env: Env, version: string): Result<OtlpSettings, string> {
  const protocol = variable(env, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? variable(env, "OTEL_EXPORTER_OTLP_PROTOCOL")
  if (protocol === "grpc") return err("OTEL_EXPORTER_OTLP_PROTOCOL is grpc; traces are sent as http/json only")
  const own = variable(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
  const text = own ?? variable(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? ""
  const name = own === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return err(`${name} is not an http or https address`)
  const url = new URL(text)
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`
  const problems: string[] = []
  const headers = {
    ...credentials(url),
    ...pairs(env, "OTEL_EXPORTER_OTLP_HEADERS", problems),
    ...pairs(env, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", problems),
  }
  url.username = ""
  url.password = ""
  url.hash = ""
  const resource = {
    "service.name": "cairn",
    "service.version": version,
    ...pairs(env, "OTEL_RESOURCE_ATTRIBUTES", problems),
  }
  const service = variable(env, "OTEL_SERVICE_NAME")
  if (service !== undefined) resource["service.name"] = service
  return ok({ url, headers: sendable(headers, problems), resource, problems })
}

/** `key=value,key=value`, both percent-encoded. What is malformed is left out. */
function pairs(env: Env, name: string, problems: string[]): Record<string, string> {
  const found: Record<string, string> = {}
  const entries = (variable(env, name) ?? "").split(",").filter((entry) => entry.trim() !== "")
  for (const [index, entry] of entries.entries()) {
    const [key, text] = decoded(entry)
    if (key === "" || text === undefined || index >= mostPairs) problems.push(`${name}: entry ${index + 1} is left out`)
    else found[key] = text
  }
  return found
}

function decoded(entry: string): [string, string | undefined] {
  const at = entry.indexOf("=")
  if (at < 0) return ["", undefined]
  return [unescaped(entry.slice(0, at).trim()), unescaped(entry.slice(at + 1).trim())]
}

/** A user and password in the address are sent as a header, since no request may carry them in its address. */
function credentials({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {}
  const text = `${unescaped(username)}:${unescaped(password)}`
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` }
}

/** A percent sign that encodes nothing is one. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** With names in lower case, so that the later of two wins, and without what cannot be sent. */
function sendable(headers: Record<string, string>, problems: string[]): Record<string, string> {
  const good: Record<string, string> = {}
  for (const [name, text] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    const valid = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
    if (valid && !fixedHeaders.has(lower)) good[lower] = text
    else problems.push(`the header ${JSON.stringify(name.slice(0, 40))} cannot be sent`)
  }
  return good
}

/** Stands in the place of a secret. */
export const hidden = "[redacted]"
const secretKey = /^(apiKey|api_key|key|token|password|secret|clientSecret|authorization)$/i
/** Values under these keys are shown by name only: headers and environments are where keys hide. */
const secretMap = /^(headers|environment|env)$/

/** The config for a person to look at: the shape as it is, secrets replaced. */
export const redactConfig = <T>(config: T): T => redacted(config) as T

function redacted(value: unknown, secret = false): unknown {
  if (Array.isArray(value)) return value.map((item) => redacted(item))
  if (typeof value === "string") return secret ? hidden : withoutCredentials(value)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKey.test(key) ? (item === undefined ? item : hidden) : redacted(item, secret || secretMap.test(key)),
    ]),
  )
}

/** An address without user, password and query, which may hold keys. */
function withoutCredentials(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.username === "" && url.password === "" && url.search === "") return text
  return `${url.protocol}//${url.username || url.password ? "[redacted]@" : ""}${url.host}${url.pathname}${url.search ? "?[redacted]" : ""}`
}

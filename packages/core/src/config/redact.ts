const secretKey = /^(apiKey|api_key|key|token|password|secret|clientSecret|authorization)$/i
/** Values under these keys are shown by name only: headers and environments are where keys hide. */
const secretMap = /^(headers|environment|env)$/

/** The config for a person to look at: the shape as it is, secrets replaced. */
export function redactConfig(value: unknown, hidden = false): unknown {
  if (Array.isArray(value)) return value.map((item) => redactConfig(item))
  if (typeof value !== "object" || value === null) return hidden && typeof value === "string" ? "[redacted]" : value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKey.test(key)
        ? item === undefined
          ? item
          : "[redacted]"
        : redactConfig(item, hidden || secretMap.test(key)),
    ]),
  )
}

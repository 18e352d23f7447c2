import { expect } from "bun:test"

/** The bytes of a request that form the prompt, without cache markers: tools, system, messages. */
function promptOf(body: unknown): { fixed: string; messages: string[] } {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "cache_control")
        .map(([key, each]) => [key, strip(each)]),
    )
  }
  const { tools, system, messages, input, contents } = strip(body) as Record<string, unknown>
  const list = (messages ?? input ?? contents) as unknown[]
  return { fixed: JSON.stringify([tools, system]), messages: list.map((message) => JSON.stringify(message)) }
}

/** Each request's prompt must be a prefix of the next one's. */
export function expectPrefixes(bodies: readonly unknown[]): void {
  for (let n = 1; n < bodies.length; n++) {
    const before = promptOf(bodies[n - 1])
    const after = promptOf(bodies[n])
    expect(after.fixed).toBe(before.fixed)
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages)
  }
}

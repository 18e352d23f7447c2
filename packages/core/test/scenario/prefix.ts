import { expect } from "bun:test"

type Json = Readonly<Record<string, unknown>>

/**
 * A request's prompt in canonical form, whatever the protocol: tools and system, then each block of the messages with
 * its role. Cache markers are no part of it, and where a protocol puts neighbouring blocks into one message is none of
 * it either: services compare what the model reads, in its order.
 */
export function promptOf(body: unknown): { fixed: string; blocks: string[] } {
  const { tools, system, instructions, systemInstruction, messages, input, contents } = unmarked(body) as Json
  const list = (messages ?? input ?? contents) as readonly Json[]
  return { fixed: JSON.stringify([tools, system, instructions, systemInstruction]), blocks: list.flatMap(blocksOf) }
}

/** Each request's prompt must be a prefix of the next one's. */
export function expectPrefixes(bodies: readonly unknown[]): void {
  for (let n = 1; n < bodies.length; n++) expectPrefix(bodies[n - 1], bodies[n])
}

export function expectPrefix(before: unknown, after: unknown): void {
  const [old, now] = [promptOf(before), promptOf(after)]
  expect(now.fixed).toBe(old.fixed)
  expect(now.blocks.slice(0, old.blocks.length)).toEqual(old.blocks)
}

function blocksOf({ content, parts, ...rest }: Json): string[] {
  const blocks = content ?? parts
  const each = Array.isArray(blocks) ? blocks : [blocks]
  return each.map((block) => JSON.stringify([rest, typeof block === "string" ? { type: "text", text: block } : block]))
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== "cache_control")
  return Object.fromEntries(kept.map(([key, each]) => [key, unmarked(each)]))
}

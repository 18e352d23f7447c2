import type { Offers, WrittenCall } from "./call.ts"
import { type Cursor, peek, type Scan, spaces, take } from "./cursor.ts"
import { readString, skipValue } from "./json-value.ts"

const nameKeys = new Set([
  "name",
  "tool",
  "tool_name",
  "toolName",
  "function",
  "function_name",
  "action",
  "recipient_name",
])
const inputKeys = new Set([
  ...["arguments", "parameters", "args", "input", "params", "kwargs"],
  ...["tool_input", "action_input", "tool_args", "tool_arguments", "toolInput"],
])
const otherKeys = new Set(["id", "type", "index", "call_id", "tool_call_id", "callID"])

/** Calls in JSON. `whole: false`: the text ended, or went on as no JSON can, before they were complete. */
export interface JsonCalls {
  readonly calls: readonly WrittenCall[]
  readonly whole: boolean
}

/**
 * How sure one must be that this is a call. `marked`: special tokens stand around it, any name and any mistake counts.
 * `bare`: nothing does, so only a call of an offered tool with an object of arguments, and nothing besides.
 */
export interface Evidence {
  readonly marked: boolean
  readonly offers: Offers
}

/** `{"name": …, "arguments": …}` in its many spellings, or a list of them; undefined, and anywhere, when it is none. */
export function* jsonCalls(cursor: Cursor, evidence: Evidence): Scan<JsonCalls | undefined> {
  return (yield* peek(cursor)) === "[" ? yield* callList(cursor, evidence) : yield* callObject(cursor, evidence)
}

function* callList(cursor: Cursor, evidence: Evidence): Scan<JsonCalls | undefined> {
  if (!(yield* take(cursor, "["))) return undefined
  const calls: WrittenCall[] = []
  for (;;) {
    yield* spaces(cursor)
    if (yield* take(cursor, ",")) continue
    if (yield* take(cursor, "]")) return calls.length > 0 ? { calls, whole: true } : undefined
    const one = yield* callObject(cursor, evidence)
    if (one) calls.push(...one.calls)
    if (one?.whole) continue
    return calls.length > 0 && (one || evidence.marked || atEnd(cursor)) ? { calls, whole: false } : undefined
  }
}

interface Found {
  name?: string
  input?: string
  /** Entries that belong to no envelope: arguments that stand beside the name. */
  readonly beside: string[]
  readonly nested: WrittenCall[]
}

function* callObject(cursor: Cursor, evidence: Evidence): Scan<JsonCalls | undefined> {
  if (!(yield* take(cursor, "{"))) return undefined
  const found: Found = { beside: [], nested: [] }
  for (;;) {
    yield* spaces(cursor)
    if (yield* take(cursor, ",")) continue
    if (yield* take(cursor, "}")) return settle(found, true, evidence)
    const whole = yield* entry(cursor, found, evidence)
    if (whole === undefined) return undefined
    if (!whole) return evidence.marked || atEnd(cursor) ? settle(found, false, evidence) : undefined
  }
}

/** One `"key": value`. False when it breaks off, undefined when the object can be no call. */
function* entry(cursor: Cursor, found: Found, evidence: Evidence): Scan<boolean | undefined> {
  const key = yield* readString(cursor)
  if (key === undefined) return false
  yield* spaces(cursor)
  const named = nameKeys.has(key)
  if (!named && !evidence.marked && !inputKeys.has(key) && !otherKeys.has(key) && key !== "tool_calls") return undefined
  if (!(yield* take(cursor, ":"))) return false
  yield* spaces(cursor)
  const from = cursor.at
  const first = yield* peek(cursor)
  if ((key === "function" && first === "{") || (key === "tool_calls" && first === "[")) {
    const inner = yield* jsonCalls(cursor, evidence)
    if (inner) found.nested.push(...inner.calls)
    return inner?.whole
  }
  if (named && found.name === undefined) {
    const name = yield* readString(cursor)
    if (name === undefined) return atEnd(cursor) ? false : undefined
    found.name = name
    return evidence.marked || evidence.offers(name) ? true : undefined
  }
  const whole = yield* skipValue(cursor)
  const value = cursor.text.slice(from, cursor.at)
  if (inputKeys.has(key) && found.input === undefined) found.input = value
  else if (otherKeys.has(key))
    return evidence.marked || key !== "type" || /^["'](func|tool)/.test(value) ? whole : undefined
  else found.beside.push(`${JSON.stringify(key)}:${value}`)
  return whole
}

function settle(found: Found, whole: boolean, { marked, offers }: Evidence): JsonCalls | undefined {
  const { name, input, beside, nested } = found
  if (nested.length > 0) return { calls: nested, whole }
  if (name === undefined || (!marked && !plausible(input))) return undefined
  if (input === undefined && !whole && !offers(name)) return undefined
  // Arguments beside the name; closed only when they are complete, so that a cut call is refused as one.
  const flat = `{${beside.join(",")}${whole ? "}" : ""}`
  return { calls: [{ name, input: input ?? (beside.length > 0 ? flat : whole ? "{}" : "{") }], whole }
}

/** An object of arguments, or one in a string; not the definition of a tool, which has a schema there. */
function plausible(input: string | undefined): boolean {
  if (input === undefined || !/^(\{|["']\s*\{)/.test(input)) return false
  return !/^\{\s*"(type"\s*:\s*"object"|properties"\s*:\s*\{|\$schema")/.test(input)
}

function atEnd(cursor: Cursor): boolean {
  return cursor.ended && cursor.at >= cursor.text.length
}

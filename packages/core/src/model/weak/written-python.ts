import type { WrittenCall } from "./call.ts"
import { type Cursor, peek, run, type Scan, spaces, take, upTo } from "./cursor.ts"

/**
 * `name(key="value", …)` as Python has it, with literals only, perhaps inside `print(…)`; the arguments come out as
 * JSON. Undefined, and anywhere, when something else stands here or it breaks off.
 */
export function* pythonCall(cursor: Cursor): Scan<WrittenCall | undefined> {
  const name = yield* dotted(cursor)
  if (name === "" || !(yield* take(cursor, "("))) return undefined
  yield* spaces(cursor)
  if (name === "print") {
    const inner = yield* pythonCall(cursor)
    yield* spaces(cursor)
    return inner && (yield* take(cursor, ")")) ? inner : undefined
  }
  const fields: string[] = []
  while (!(yield* take(cursor, ")"))) {
    const key = yield* run(cursor, /\w/, 100)
    yield* spaces(cursor)
    if (key === "" || !(yield* take(cursor, "="))) return undefined
    yield* spaces(cursor)
    const value = yield* literal(cursor, 0)
    if (value === undefined) return undefined
    fields.push(`${JSON.stringify(key)}:${value}`)
    yield* spaces(cursor)
    if (yield* take(cursor, ",")) yield* spaces(cursor)
    else if ((yield* peek(cursor)) !== ")") return undefined
  }
  return { name: name.replace(/\.call$/, ""), input: `{${fields.join(",")}}` }
}

function* dotted(cursor: Cursor): Scan<string> {
  return yield* run(cursor, /[\w.]/, 100)
}

/** A literal as JSON. */
function* literal(cursor: Cursor, depth: number): Scan<string | undefined> {
  const char = yield* peek(cursor)
  if (char === undefined || depth > 50) return undefined
  if (char === '"' || char === "'") return yield* text(cursor, char)
  if (char === "[" || char === "{") return yield* group(cursor, char, depth)
  const word = yield* run(cursor, /[\w+.-]/, 40)
  if (Object.hasOwn(words, word)) return words[word]
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word) ? word : undefined
}

const words: Readonly<Record<string, string>> = {
  ...{ True: "true", False: "false", None: "null" },
  ...{ true: "true", false: "false", null: "null" },
}

function* group(cursor: Cursor, open: "[" | "{", depth: number): Scan<string | undefined> {
  const close = open === "[" ? "]" : "}"
  const items: string[] = []
  cursor.at++
  for (;;) {
    yield* spaces(cursor)
    if (yield* take(cursor, close)) return `${open}${items.join(",")}${close}`
    const item = yield* literal(cursor, depth + 1)
    if (item === undefined) return undefined
    yield* spaces(cursor)
    if (open === "{") {
      if (!item.startsWith('"') || !(yield* take(cursor, ":"))) return undefined
      yield* spaces(cursor)
      const value = yield* literal(cursor, depth + 1)
      if (value === undefined) return undefined
      items.push(`${item}:${value}`)
      yield* spaces(cursor)
    } else items.push(item)
    if (!(yield* take(cursor, ",")) && (yield* peek(cursor)) !== close) return undefined
  }
}

/** A string in one or three quotes, as JSON. */
function* text(cursor: Cursor, quote: '"' | "'"): Scan<string | undefined> {
  if (yield* take(cursor, quote.repeat(3))) {
    const long = yield* upTo(cursor, quote.repeat(3))
    return long === undefined ? undefined : JSON.stringify(unescape(long))
  }
  cursor.at++
  const from = cursor.at
  for (;;) {
    const char = yield* peek(cursor)
    if (char === undefined || char === "\n") return undefined
    cursor.at++
    if (char === quote) return JSON.stringify(unescape(cursor.text.slice(from, cursor.at - 1)))
    if (char === "\\" && (yield* peek(cursor)) !== undefined) cursor.at++
  }
}

function unescape(source: string): string {
  return source.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g, (whole, escape: string) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return escapes[escape] ?? whole
  })
}

const escapes: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "0": "\0", "\n": "" },
  ...{ "\\": "\\", '"': '"', "'": "'" },
}

import type { WrittenCall } from "./call.ts"
import { type Cursor, peek, run, type Scan, skipTo, spaces, take, takeAny, upTo } from "./cursor.ts"
import { skipValue } from "./json-value.ts"

const ends = ["</function>", "</invoke>", "</function_call>"]
const openings = ["<function=", "<function name=", "<invoke name="]
const parameterOpenings = ["<parameter=", "<parameter name="]

/**
 * `<function=name><parameter=key>value</parameter>…</function>` (Qwen coder), `<invoke name="…">` alike, and
 * `<function=name>{…}</function>` (Llama). Values are text: the schema says what they mean. A value that breaks off
 * gives arguments that break off. Undefined, and anywhere, when something else stands here.
 */
export function* xmlCall(cursor: Cursor): Scan<WrittenCall | undefined> {
  if ((yield* takeAny(cursor, openings)) === undefined) return undefined
  const name = yield* heading(cursor)
  if (name === undefined) return undefined
  yield* spaces(cursor)
  if ((yield* peek(cursor)) === "{") {
    const from = cursor.at
    yield* skipValue(cursor)
    const input = cursor.text.slice(from, cursor.at)
    yield* spaces(cursor)
    yield* takeAny(cursor, ends)
    return { name, input }
  }
  const fields: string[] = []
  while ((yield* takeAny(cursor, parameterOpenings)) !== undefined) {
    const key = yield* heading(cursor)
    const value = key === undefined ? undefined : yield* parameter(cursor)
    if (key === undefined || value === undefined) return { name, input: `{${fields.join(",")}` }
    fields.push(`${JSON.stringify(key)}:${value.json}`)
    if (value.cut) return { name, input: `{${fields.join(",")}` }
    yield* spaces(cursor)
  }
  const closed = (yield* takeAny(cursor, ends)) !== undefined
  if (!closed && fields.length === 0) return undefined
  return { name, input: `{${fields.join(",")}}` }
}

/** `name>` or `"name">`. */
function* heading(cursor: Cursor): Scan<string | undefined> {
  const quoted = yield* take(cursor, '"')
  const name = yield* run(cursor, /[\w.:-]/, 100)
  if (quoted && !(yield* take(cursor, '"'))) return undefined
  yield* run(cursor, /[^<>\n]/, 100) // attributes such as string="true"
  return name !== "" && (yield* take(cursor, ">")) ? name : undefined
}

/**
 * The value up to the closing tag that a next parameter or the end of the call follows, so that a value may contain
 * such tags; or up to where the next begins on a line of its own, as models forget to close them.
 */
function* parameter(cursor: Cursor): Scan<{ json: string; cut: boolean } | undefined> {
  const from = cursor.at
  for (;;) {
    yield* skipTo(cursor, "<")
    const to = cursor.at
    if ((yield* peek(cursor)) === undefined)
      return { json: JSON.stringify(trimmed(cursor.text.slice(from))).slice(0, -1), cut: true }
    const closed = yield* take(cursor, "</parameter>")
    const after = cursor.at
    if (closed) yield* spaces(cursor)
    const next =
      closed || cursor.text[to - 1] === "\n"
        ? yield* takeAny(cursor, [...parameterOpenings, ...ends, "</tool_call>"])
        : undefined
    const last = closed && next === undefined && (yield* peek(cursor)) === undefined
    cursor.at = closed ? after : to
    if (next !== undefined || last) return { json: JSON.stringify(trimmed(cursor.text.slice(from, to))), cut: false }
    if (!closed) cursor.at++
  }
}

/** The template puts each value on lines of its own: one line break at both ends is not the value's. */
function trimmed(value: string): string {
  return value.replace(/^\r?\n/, "").replace(/\r?\n$/, "")
}

/** `name <arg_key>key</arg_key><arg_value>value</arg_value>…` as GLM has it inside `<tool_call>`. */
export function* keyedCall(cursor: Cursor): Scan<WrittenCall | undefined> {
  const name = yield* run(cursor, /[\w.:-]/, 100)
  yield* spaces(cursor)
  const fields: string[] = []
  while (yield* take(cursor, "<arg_key>")) {
    const key = yield* upTo(cursor, "</arg_key>", 100)
    yield* spaces(cursor)
    if (key === undefined || !(yield* take(cursor, "<arg_value>"))) return undefined
    const value = yield* upTo(cursor, "</arg_value>")
    if (value === undefined) {
      const rest = JSON.stringify(cursor.text.slice(cursor.at)).slice(0, -1)
      cursor.at = cursor.text.length
      return { name, input: `{${[...fields, `${JSON.stringify(key)}:${rest}`].join(",")}` }
    }
    fields.push(`${JSON.stringify(key.trim())}:${JSON.stringify(value)}`)
    yield* spaces(cursor)
  }
  if (name === "") return undefined
  const at = cursor.at
  const closed = fields.length > 0 || (yield* take(cursor, "</tool_call>"))
  cursor.at = at
  return closed ? { name, input: `{${fields.join(",")}}` } : undefined
}

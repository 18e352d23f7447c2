import type { Offers, WrittenCall } from "./call.ts"
import { type Cursor, more, peek, run, type Scan, spaces, take, takeAny, upTo } from "./cursor.ts"
import { skipValue } from "./json-value.ts"
import { type JsonCalls, jsonCalls } from "./written-json.ts"
import { pythonCall } from "./written-python.ts"
import { keyedCall, xmlCall } from "./written-xml.ts"

/** Reads the calls that begin here; undefined, and anywhere, when none does. */
type Reader = (cursor: Cursor, offers: Offers) => Scan<readonly WrittenCall[] | undefined>

/** Special tokens and tags that say by themselves that a call follows, by their first character. */
const readers: Readonly<Record<string, readonly Reader[]>> = {
  "<": [tagged, bareXml, deepseek, llama, harmony],
  "[": [mistral],
}

/** Calls that a model's own tokens or tags mark. Undefined, with the cursor where it was, when none begins here. */
export function* markedCalls(cursor: Cursor, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  const from = cursor.at
  for (const reader of readers[cursor.text[from] ?? ""] ?? []) {
    const calls = yield* reader(cursor, offers)
    if (calls && calls.length > 0) {
      yield* leftovers(cursor)
      return calls
    }
    cursor.at = from
  }
  return undefined
}

/** Closing tokens that stand after a call, and the white space before them. */
function* leftovers(cursor: Cursor): Scan<void> {
  for (;;) {
    const from = cursor.at
    yield* spaces(cursor)
    if ((yield* takeAny(cursor, closers)) !== undefined) continue
    cursor.at = from
    return
  }
}

const closers = [
  ...["</tool_call>", "</tool_calls>", "</function_calls>", "</function>", "<|call|>", "<|end|>", "<|im_end|>"],
  ...["<|eom_id|>", "<|eot_id|>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "<｜end▁of▁sentence｜>"],
  ...["<|tool_call_end|>", "<|tool_calls_end|>", "<|tool_calls_section_end|>", "</s>"],
]

/** `<tool_call>{…}</tool_call>` of Hermes and Qwen, with XML inside for Qwen coder, with keys and values for GLM. */
function* tagged(cursor: Cursor, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  const tag = yield* takeAny(cursor, ["<tool_call>", "<tool_calls>", "<function_calls>", "<function_call>"])
  if (tag === undefined) return undefined
  yield* spaces(cursor)
  const fence = yield* take(cursor, "```")
  if (fence) yield* run(cursor, /\w/, 20)
  yield* spaces(cursor)
  const first = yield* peek(cursor)
  if (first === "{" || first === "[") return yield* jsonUpTo(cursor, offers, `</${tag.slice(1)}`)
  if (first === "<") return yield* severalXml(cursor)
  const keyed = first !== undefined && /\w/.test(first) ? yield* keyedCall(cursor) : undefined
  return keyed && [keyed]
}

function* severalXml(cursor: Cursor): Scan<readonly WrittenCall[]> {
  const calls: WrittenCall[] = []
  for (;;) {
    const from = cursor.at
    yield* spaces(cursor)
    const call = yield* xmlCall(cursor)
    if (!call) {
      cursor.at = from
      return calls
    }
    calls.push(call)
  }
}

/** Qwen coder forgets the opening `<tool_call>`. */
function* bareXml(cursor: Cursor): Scan<readonly WrittenCall[] | undefined> {
  return yield* severalXml(cursor)
}

/** One or more calls in JSON up to `closer`. Where the JSON is broken, all of it up to there is the call. */
function* jsonUpTo(cursor: Cursor, offers: Offers, closer: string): Scan<readonly WrittenCall[] | undefined> {
  const calls: WrittenCall[] = []
  for (;;) {
    const json = yield* jsonCalls(cursor, { marked: true, offers })
    if (!json) return calls.length > 0 ? calls : undefined
    calls.push(...(json.whole ? json.calls : yield* broken(cursor, json, closer)))
    const from = cursor.at
    yield* run(cursor, /[\s;,`}]/)
    if (json.whole && (yield* peek(cursor)) === "{") continue
    cursor.at = from
    if (!(yield* take(cursor, closer))) yield* run(cursor, /[\s`}]/)
    return calls
  }
}

/** What stands between the break and the closer belongs to the last arguments, which are then refused for it. */
function* broken(cursor: Cursor, { calls }: JsonCalls, closer: string): Scan<readonly WrittenCall[]> {
  const from = cursor.at
  const rest = yield* upTo(cursor, closer)
  const last = calls.at(-1)
  if (rest === undefined || rest.trim() === "" || !last) {
    cursor.at = from
    return calls
  }
  return [...calls.slice(0, -1), { ...last, input: last.input + rest }]
}

/** `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`, older with a type and a fence; Kimi's are alike. */
function* deepseek(cursor: Cursor): Scan<readonly WrittenCall[] | undefined> {
  const calls: WrittenCall[] = []
  for (;;) {
    const from = cursor.at
    yield* spaces(cursor)
    if ((yield* takeAny(cursor, sections)) !== undefined) yield* spaces(cursor)
    const begin = yield* takeAny(cursor, Object.keys(separators))
    const call = begin === undefined ? undefined : yield* deepseekCall(cursor, separators[begin] ?? "")
    if (!call) {
      cursor.at = from
      return calls
    }
    calls.push(call)
  }
}

const sections = ["<｜tool▁calls▁begin｜>", "<|tool_calls_begin|>", "<|tool_calls_section_begin|>"]
const separators: Readonly<Record<string, string>> = {
  "<｜tool▁call▁begin｜>": "<｜tool▁sep｜>",
  "<|tool_call_begin|>": "<|tool_sep|>",
}

function* deepseekCall(cursor: Cursor, separator: string): Scan<WrittenCall | undefined> {
  yield* spaces(cursor)
  const head = (yield* run(cursor, /[^<\n]/, 120)).trim()
  const kimi = yield* take(cursor, "<|tool_call_argument_begin|>")
  if (!kimi && !(yield* take(cursor, separator))) return undefined
  yield* spaces(cursor)
  const typed = head === "function" && (yield* peek(cursor)) !== "{"
  const name = typed ? yield* run(cursor, /[\w.:-]/, 120) : head.replace(/:\d+$/, "")
  yield* spaces(cursor)
  if (yield* take(cursor, "```")) yield* run(cursor, /\w/, 20)
  yield* spaces(cursor)
  const from = cursor.at
  yield* skipValue(cursor)
  const input = cursor.text.slice(from, cursor.at)
  yield* run(cursor, /[\s`]/)
  yield* takeAny(cursor, closers)
  return name === "" ? undefined : { name, input }
}

/** `<|python_tag|>` and JSON, or a call as Python has it. */
function* llama(cursor: Cursor, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  if (!(yield* take(cursor, "<|python_tag|>"))) return undefined
  yield* spaces(cursor)
  const first = yield* peek(cursor)
  if (first === "{") return yield* jsonUpTo(cursor, offers, "<|eom_id|>")
  if (first === "[") return (yield* pythonList(cursor)) ?? undefined
  const call = yield* pythonCall(cursor)
  return call && [call]
}

/** `[name(key="value"), …]`. */
export function* pythonList(cursor: Cursor): Scan<readonly WrittenCall[] | undefined> {
  if (!(yield* take(cursor, "["))) return undefined
  const calls: WrittenCall[] = []
  for (;;) {
    yield* spaces(cursor)
    const call = yield* pythonCall(cursor)
    if (!call) return undefined
    calls.push(call)
    yield* spaces(cursor)
    if (yield* take(cursor, "]")) return calls
    if (!(yield* take(cursor, ","))) return undefined
  }
}

/** `[TOOL_CALLS]` and a list in JSON, or `name{…}`, or `name[ARGS]{…}`. */
function* mistral(cursor: Cursor, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  const calls: WrittenCall[] = []
  for (;;) {
    const from = cursor.at
    yield* spaces(cursor)
    const marked = yield* take(cursor, "[TOOL_CALLS]")
    yield* spaces(cursor)
    const first = marked ? yield* peek(cursor) : undefined
    if (first === "[" || first === "{") return [...calls, ...((yield* jsonUpTo(cursor, offers, "</s>")) ?? [])]
    const name = first === undefined ? "" : yield* run(cursor, /[\w.-]/, 100)
    if (yield* take(cursor, "[CALL_ID]")) yield* run(cursor, /\w/, 100)
    yield* take(cursor, "[ARGS]")
    yield* spaces(cursor)
    if (name === "" || (yield* peek(cursor)) !== "{") {
      cursor.at = from
      return calls
    }
    const start = cursor.at
    yield* skipValue(cursor)
    calls.push({ name, input: cursor.text.slice(start, cursor.at) })
  }
}

/** `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>` of GPT-OSS. */
function* harmony(cursor: Cursor): Scan<readonly WrittenCall[] | undefined> {
  const start = yield* take(cursor, "<|start|>assistant")
  if (start) yield* run(cursor, /\s/)
  let head = start ? yield* run(cursor, /[^<\n]/, 120) : ""
  const channel = yield* take(cursor, "<|channel|>")
  if (!start && !channel) return undefined
  head += channel ? ` ${yield* run(cursor, /[^<\n]/, 120)}` : ""
  if (yield* take(cursor, "<|constrain|>")) yield* run(cursor, /\w/, 20)
  const name = /(?:^|\s)to=([\w.:-]+)/.exec(head)?.[1]
  if (name === undefined || !(yield* take(cursor, "<|message|>"))) return undefined
  yield* spaces(cursor)
  const from = cursor.at
  if (!(yield* more(cursor))) return [{ name, input: "{" }]
  yield* skipValue(cursor)
  return [{ name, input: cursor.text.slice(from, cursor.at) }]
}

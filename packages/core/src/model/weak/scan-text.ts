import type { Offers, WrittenCall } from "./call.ts"
import { createFeed, type Cursor, more, peek, run, type Scan, spaces, take } from "./cursor.ts"
import { markedCalls, pythonList } from "./marked-calls.ts"
import { jsonCalls } from "./written-json.ts"
import { pythonCall } from "./written-python.ts"

export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: WrittenCall }

/** Takes one answer's text apart into prose and calls, piece by piece as it comes. */
export interface TextScanner {
  push(text: string): Piece[]
  /** The rest, when the text is complete. A call that breaks off comes as one: its arguments are refused. */
  end(): Piece[]
  /** No more text comes: what is no call. */
  flush(): Piece[]
  /** Are there calls that count if nothing follows them? */
  readonly waits: boolean
  /** The rest as text, when the stream broke: half a call is none. */
  abandon(): Piece[]
}

/** No call is longer, in characters: what is held back is bounded. */
const longest = 2_000_000

/** `repeats`: does this stand in what the model was given? Then it quotes, and calls nothing. */
export function createTextScanner(offers: Offers, repeats: (text: string) => boolean): TextScanner {
  const cursor: Cursor = { text: "", at: 0, ended: false }
  let pieces: Piece[] = []
  // Models stop after a call: when prose follows, it was a text about calls.
  let doubt: { calls: readonly WrittenCall[]; text: string } | undefined
  const put = (found: readonly WrittenCall[]) => pieces.push(...found.map((call): Piece => ({ type: "call", call })))
  const out: Sink = {
    text(text) {
      if (text === "") return
      if (doubt && text.trim() === "") doubt.text += text
      else {
        const last = pieces.at(-1)
        const whole = (doubt?.text ?? "") + text
        if (last?.type === "text") pieces[pieces.length - 1] = { type: "text", text: last.text + whole }
        else pieces.push({ type: "text", text: whole })
        doubt = undefined
      }
    },
    calls(found, text) {
      const believed = found.some(({ name }) => offers(name)) || found.every(isWhole)
      if (!believed || repeats(text)) out.text(text)
      else doubt = { calls: [...(doubt?.calls ?? []), ...found], text: (doubt?.text ?? "") + text }
    },
  }
  const scan = scanText(cursor, out, offers)
  const feed = createFeed(cursor, scan)
  let off = false
  const taken = (): Piece[] => {
    const given = pieces
    pieces = []
    return given
  }
  const abandon = (): Piece[] => {
    feed.join()
    out.text(cursor.text)
    if (doubt) pieces.push({ type: "text", text: doubt.text })
    doubt = undefined
    cursor.text = ""
    cursor.at = 0
    return taken()
  }
  return {
    push(text) {
      if (off) return text === "" ? [] : [{ type: "text", text }]
      feed.push(text)
      off = feed.held + (doubt?.text.length ?? 0) > longest
      if (off) return [...taken(), ...abandon()]
      return taken()
    },
    flush() {
      if (!off && !cursor.ended) feed.end()
      return taken()
    },
    end() {
      if (!off && !cursor.ended) feed.end()
      if (doubt) put(doubt.calls)
      doubt = undefined
      return taken()
    },
    abandon,
    get waits() {
      return doubt !== undefined
    },
  }
}

/** A call of a tool that does not exist is only believed when it is complete and its name could be one. */
function isWhole({ name, input }: WrittenCall): boolean {
  return /^[A-Za-z_][\w.:-]+$/.test(name) && /[}"]\s*$/.test(input)
}

interface Sink {
  text(text: string): void
  /** Calls, and the text in which they stood. */
  calls(calls: readonly WrittenCall[], text: string): void
}

/** Where in the text one is: code is not searched for calls. */
interface Place {
  /** Only white space so far in this line, or since a call in it. */
  blank: boolean
  /** How the line begins, or what follows the call in it. */
  head: string
  /** The character before. */
  last: string
  /** A call stands before in this line. */
  behind: boolean
  /** Nothing but white space and calls so far. */
  fresh: boolean
  /** Back ticks in this line: an odd number is inside code. */
  ticks: number
  /** Length of the fence that is open; 0 when none is. */
  fence: number
}

const lineStart = { blank: true, head: "", last: "", behind: false, ticks: 0 }

/** Calls stand on lines of their own: not in a sentence, a quote, a list, or indented as code is. */
function own({ blank, head, behind, fresh, ticks, fence }: Place): boolean {
  return fence === 0 && ticks % 2 === 0 && blank && (head === "" || ((fresh || behind) && !/\t| {4}/.test(head)))
}

/** A model's own tokens come right behind a sentence too; who writes about them puts a space between. */
function behindSentence({ head, last, ticks, fence }: Place): boolean {
  return fence === 0 && ticks % 2 === 0 && /[.!?:…。！？：]/.test(last) && !/^(\s|>|[-*+]\s|\d+[.)]\s)/.test(head)
}

function pass(place: Place, text: string): void {
  place.head = (place.head + text.slice(0, longestHead)).slice(0, longestHead)
  place.last = text.at(-1) ?? place.last
}

const longestHead = 20

function* scanText(cursor: Cursor, out: Sink, offers: Offers): Scan<void> {
  const place: Place = { ...lineStart, fresh: true, fence: 0 }
  const release = () => {
    out.text(cursor.text.slice(0, cursor.at))
    cursor.text = cursor.text.slice(cursor.at)
    cursor.at = 0
  }
  for (;;) {
    plain(cursor, place)
    if (cursor.at > 0) release()
    const char = yield* peek(cursor)
    if (char === undefined) return
    if (!/[`<{[]/.test(char)) continue
    const calls = yield* callsAt(cursor, char, place, offers)
    if (calls) {
      out.calls(calls, cursor.text.slice(0, cursor.at))
      cursor.text = cursor.text.slice(cursor.at)
      cursor.at = 0
      Object.assign(place, lineStart, { behind: true })
    } else {
      Object.assign(place, { blank: false, fresh: false })
      pass(place, cursor.text.slice(0, cursor.at))
    }
  }
}

/** Moves to the next character with which a call could begin. */
function plain(cursor: Cursor, place: Place): void {
  const special = /[`<{[\n]/g
  for (;;) {
    special.lastIndex = cursor.at
    const next = special.exec(cursor.text)?.index ?? cursor.text.length
    if (next > cursor.at) {
      pass(place, cursor.text.slice(cursor.at, next))
      if (/\S/.test(cursor.text.slice(cursor.at, next))) {
        place.blank = false
        place.fresh = false
      }
    }
    cursor.at = next
    if (cursor.text[next] !== "\n") return
    cursor.at++
    Object.assign(place, lineStart)
  }
}

/** What may follow the first character of a marked call: most brackets in a text need no closer look. */
const seconds: Readonly<Record<string, string>> = { "<": "tfi|｜", "[": "T" }

/** The calls that begin here, moved behind; else moved behind what can no longer begin one. */
function* callsAt(
  cursor: Cursor,
  char: string,
  place: Place,
  offers: Offers,
): Scan<readonly WrittenCall[] | undefined> {
  if (char === "`") return yield* ticks(cursor, place, offers)
  const next = cursor.text[1]
  const alone = own(place)
  if (next !== undefined && !seconds[char]?.includes(next) && !alone) {
    cursor.at = 1
    return undefined
  }
  if (alone || (behindSentence(place) && (yield* isToken(cursor)))) {
    const calls = (yield* markedCalls(cursor, offers)) ?? (yield* bareCalls(cursor, place, offers))
    if (calls) return calls
  }
  cursor.at = 1
  return undefined
}

function* isToken(cursor: Cursor): Scan<boolean> {
  return (yield* more(cursor, 2)) && /^(<[|｜]|\[T)/.test(cursor.text)
}

/** Calls in JSON that nothing marks, at the start of a line, and with nothing else in their last one. */
function* bareCalls(cursor: Cursor, place: Place, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  cursor.at = 0
  if (!own(place)) return undefined
  const char = cursor.text[0]
  if (char !== "{" && char !== "[") return undefined
  const calls: WrittenCall[] = []
  for (;;) {
    const json = yield* jsonCalls(cursor, { marked: false, offers })
    if (!json) break
    calls.push(...json.calls)
    const end = cursor.at
    yield* run(cursor, /[ \t;,]/)
    const next = yield* peek(cursor)
    if (next === "{" && cursor.at > end) continue
    if (next === undefined || next === "\n" || next === "\r" || next === "<") return calls
    break
  }
  cursor.at = 0
  if (!place.fresh || char !== "[") return undefined
  const list = yield* pythonList(cursor)
  if (!list?.every(({ name }) => offers(name))) return undefined
  const end = cursor.at
  yield* spaces(cursor)
  if ((yield* peek(cursor)) !== undefined) return undefined
  cursor.at = end
  return list
}

/** Back ticks: code in the line, or a fence, which may hold calls and nothing else. */
function* ticks(cursor: Cursor, place: Place, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  const count = (yield* run(cursor, /`/)).length
  if (!place.blank || count < 3) {
    if (place.fence === 0) place.ticks += count
    return undefined
  }
  const behind = cursor.at
  if (place.fence > 0) {
    const next = yield* peek(cursor)
    if (count >= place.fence && (next === undefined || /\s/.test(next))) place.fence = 0
    return undefined
  }
  const calls = own(place) ? yield* fenced(cursor, count, offers) : undefined
  if (calls) return calls
  cursor.at = behind
  place.fence = count
  return undefined
}

function* fenced(cursor: Cursor, count: number, offers: Offers): Scan<readonly WrittenCall[] | undefined> {
  const info = (yield* run(cursor, /[\w-]/, 20)).toLowerCase()
  yield* run(cursor, /[ \t\r]/, 20)
  if (!infos.has(info) || !(yield* take(cursor, "\n"))) return undefined
  const calls: WrittenCall[] = []
  for (;;) {
    yield* run(cursor, /[\s;,]/)
    const char = yield* peek(cursor)
    if (char === undefined) return calls.length > 0 ? calls : undefined
    if (char === "`" && calls.length > 0) return (yield* run(cursor, /`/)).length >= count ? calls : undefined
    const found = yield* inFence(cursor, char, info, offers)
    if (!found?.every(({ name }) => offers(name))) return undefined
    calls.push(...found)
  }
}

const infos = new Set(["", "json", "json5", "jsonc", "tool_call", "tool_calls", "tool_code", "tool_use", "tool", "xml"])

function* inFence(
  cursor: Cursor,
  char: string,
  info: string,
  offers: Offers,
): Scan<readonly WrittenCall[] | undefined> {
  if (char === "<") return yield* markedCalls(cursor, offers)
  const python = info === "tool_code" || (info === "" && char === "[")
  if (!python || char === "{") return (yield* jsonCalls(cursor, { marked: false, offers }))?.calls
  if (char === "[") return yield* pythonList(cursor)
  const call = yield* pythonCall(cursor)
  return call && [call]
}

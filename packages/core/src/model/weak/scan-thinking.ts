import { createFeed, type Cursor, type Scan, spaces, take, takeAny } from "./cursor.ts"

export interface ThinkingPiece {
  readonly type: "reasoning" | "text"
  readonly text: string
}

/** Takes the text of one answer apart into the thinking at its start and the rest. */
export interface ThinkingScanner {
  push(text: string): ThinkingPiece[]
  /** Nothing more is waited for: what is held back is given as what it is, and what still comes is text. */
  end(): ThinkingPiece[]
}

/** An answer that did not open its thinking is held back until it closes it, at most so many characters. */
const longestUnopened = 100_000

const closerOf: Readonly<Record<string, string>> = {
  "<think>": "</think>",
  "<thinking>": "</thinking>",
  "<|channel|>analysis<|message|>": "<|end|>",
}

/** `unopened`: the thinking may begin without its tag, because the template put it into the prompt. */
export function createThinkingScanner(unopened: boolean): ThinkingScanner {
  const cursor: Cursor = { text: "", at: 0, ended: false }
  let pieces: ThinkingPiece[] = []
  const scan = scanThinking(cursor, unopened, (type, text) => {
    if (text !== "") pieces.push({ type, text })
  })
  const feed = createFeed(cursor, scan)
  const taken = (): ThinkingPiece[] => {
    const given = pieces
    pieces = []
    return given
  }
  return {
    push(text) {
      if (cursor.ended) return text === "" ? [] : [{ type: "text", text }]
      feed.push(text)
      return taken()
    },
    end() {
      feed.end()
      return taken()
    },
  }
}

function* scanThinking(
  cursor: Cursor,
  unopened: boolean,
  out: (type: ThinkingPiece["type"], text: string) => void,
): Scan<void> {
  yield* spaces(cursor)
  const tag = yield* takeAny(cursor, Object.keys(closerOf))
  const closed =
    tag !== undefined ? yield* opened(cursor, closerOf[tag] ?? "", out) : unopened && (yield* held(cursor, out))
  if (closed) {
    yield* spaces(cursor)
    // GPT-OSS names the channel of its answer.
    const final = cursor.at
    if (!(yield* take(cursor, "<|start|>assistant")) || !(yield* take(cursor, "<|channel|>final<|message|>")))
      cursor.at = final
  } else if (tag === undefined) cursor.at = 0
  for (;;) {
    out("text", cursor.text.slice(cursor.at))
    cursor.text = ""
    cursor.at = 0
    if (cursor.ended) return
    yield undefined
  }
}

/** Gives the thinking as it comes, up to `closer`, without the white space around it. False when it is never closed. */
function* opened(cursor: Cursor, closer: string, out: (type: "reasoning", text: string) => void): Scan<boolean> {
  yield* spaces(cursor)
  for (;;) {
    const found = cursor.text.indexOf(closer, cursor.at)
    const sure = found >= 0 ? found : cursor.ended ? cursor.text.length : cursor.text.length - closer.length + 1
    // White space at the end is held until more thinking follows it.
    const to = cursor.at + cursor.text.slice(cursor.at, Math.max(cursor.at, sure)).trimEnd().length
    out("reasoning", cursor.text.slice(cursor.at, to))
    if (found >= 0 || cursor.ended) {
      cursor.at = found >= 0 ? found + closer.length : cursor.text.length
      return found >= 0
    }
    cursor.text = cursor.text.slice(to)
    cursor.at = 0
    yield undefined
  }
}

/** Who writes about the tag puts white space, a quote or a bracket before it; who ends a thought with it does not. */
const closing = /(?:^[ \t]*|(?<=[^\s"'`“‘«([{<>|/]))<\/think(ing)?>/gm

/** Waits for a closing tag at the start of a line or right behind a word, outside of code: before it was thinking. */
function* held(cursor: Cursor, out: (type: "reasoning", text: string) => void): Scan<boolean> {
  for (let from = 0; ;) {
    closing.lastIndex = from
    const found = closing.exec(cursor.text)
    if ((found?.index ?? cursor.text.length) > longestUnopened) return false
    if (!found) {
      if (cursor.ended) return false
      // A tag may be cut in two, so its line is read again.
      from = cursor.text.lastIndexOf("\n") + 1
      yield ">"
      continue
    }
    from = found.index + found[0].length
    const before = cursor.text.slice(0, found.index)
    if ((before.match(/^ {0,3}```/gm) ?? []).length % 2 === 1) continue
    const line = before.slice(before.lastIndexOf("\n") + 1)
    if ((line.match(/`/g) ?? []).length % 2 === 1 || (line.trim() !== "" && /<think(ing)?>/.test(before))) continue
    out("reasoning", before.trim())
    cursor.at = from
    return true
  }
}

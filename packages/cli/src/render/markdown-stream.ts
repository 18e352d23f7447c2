import type { Style } from "../terminal/look.ts"

/** Markdown that comes in pieces, drawn lightly. What `push` and `flush` return is closed: no colour runs on. */
export interface MarkdownStream {
  push(piece: string): string
  /** What is held back because its line is not decided yet. */
  flush(): string
}

/** Most characters of a line's beginning that are held back. */
const longestStart = 200

interface State {
  /** Beginning of a line of which it is not known yet what it is. */
  held: string
  /** What the rest of the line is; undefined at its beginning. */
  line: "plain" | "heading" | undefined
  /** The fence that opened a code block. */
  fence: string | undefined
}

/**
 * Headings become bold, bullets `•`, quotes `│`, fences dim and the code between them indented. Nothing else changes, and
 * no text is lost: a line is held back only until its first signs tell what it is.
 *
 *     beginning ──► heading | plain ──(line end)──► beginning
 *         └──► fence ──► code lines ──► fence ─────────┘
 */
export function createMarkdownStream(style: Style): MarkdownStream {
  const state: State = { held: "", line: undefined, fence: undefined }
  return {
    push(piece) {
      let out = ""
      let rest = piece
      while (rest !== "") {
        const end = rest.indexOf("\n") + 1
        const part = end === 0 ? rest : rest.slice(0, end)
        rest = rest.slice(part.length)
        out += state.line === undefined ? begin(state, part, style, false) : go(state, part, style)
      }
      return out
    },
    flush() {
      return begin(state, "", style, true)
    },
  }
}

/** The beginning of a line, or more of it. `final`: nothing follows. */
function begin(state: State, part: string, style: Style, final: boolean): string {
  const text = state.held + part
  const whole = final || text.endsWith("\n") || text.length > longestStart
  const known = state.fence === undefined ? decide(text, whole) : decideCode(text, whole, state.fence)
  if (known === undefined) {
    state.held = text
    return ""
  }
  state.held = ""
  if (known.fence !== undefined) {
    state.fence = known.fence === "" ? undefined : known.fence
    state.line = text.endsWith("\n") ? undefined : "plain"
    return painted(text, style.dim)
  }
  state.line = known.line
  return (known.before === "│ " ? style.dim(known.before) : known.before) + go(state, text.slice(known.skip), style)
}

/** The rest of a line. */
function go(state: State, part: string, style: Style): string {
  const { line } = state
  if (part.endsWith("\n")) state.line = undefined
  return line === "heading" ? painted(part, style.strong) : part
}

function painted(text: string, paint: (text: string) => string): string {
  return text.endsWith("\n") ? `${paint(text.slice(0, -1))}\n` : paint(text)
}

interface Known {
  readonly line: "plain" | "heading"
  /** Stands instead of the first `skip` characters. */
  readonly before: string
  readonly skip: number
  /** The line is a fence: what opened, or an empty text when it closes. */
  readonly fence?: string
}

const plain: Known = { line: "plain", before: "", skip: 0 }

function decide(text: string, whole: boolean): Known | undefined {
  const fence = /^ {0,3}(`{3,}|~{3,})([^\n]*)/.exec(text)
  if (fence) {
    if (!whole) return undefined
    const [, marks = "", info = ""] = fence
    return marks.startsWith("`") && info.includes("`") ? plain : { ...plain, fence: marks }
  }
  const heading = /^ {0,3}#{1,6}[ \t]+(?=[^\s#])/.exec(text)
  if (heading) return { line: "heading", before: "", skip: heading[0].length }
  const bullet = /^(\s*)[-*+] (?=[^\s*-])/.exec(text)
  if (bullet) return { line: "plain", before: `${bullet[1]}• `, skip: bullet[0].length }
  const quote = /^ {0,3}> ?(?=[^\s>])/.exec(text)
  if (quote) return { line: "plain", before: "│ ", skip: quote[0].length }
  const open = /^(?:\s*(?:[-*+] ?)?| {0,3}(?:#{1,6}[ \t]*|`{1,2}|~{1,2}|> ?))$/.test(text)
  return open && !whole ? undefined : plain
}

function decideCode(text: string, whole: boolean, fence: string): Known | undefined {
  const marks = /^ {0,3}(`+|~+)[ \t]*\n?$/.exec(text)?.[1] ?? ""
  if (whole && marks.startsWith(fence)) return { ...plain, fence: "" }
  const open = marks !== "" || /^ {0,3}$/.test(text)
  if (open && !whole) return undefined
  return text.trim() === "" ? plain : { ...plain, before: "  " }
}

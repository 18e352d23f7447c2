import { firstNonBlank, lastOnLine, lineEnd, lineStart } from "./motion.ts"
import type { Range } from "./object.ts"
import type { Buffer, Operator, Register } from "./state.ts"

export interface Operated {
  readonly buffer: Buffer
  /** What was taken; absent when the operator takes nothing. */
  readonly register?: Register
  /** Typing goes on. */
  readonly insert?: true
}

const indent = "  "

/** An operator on a piece of the text. */
export function operate(operator: Operator, { text }: Buffer, range: Range): Operated {
  const linewise = range.linewise === true
  const { from, to } = linewise ? wholeLines(text, range) : range
  const register = { text: linewise ? withLineEnd(text.slice(from, to)) : text.slice(from, to), linewise }
  switch (operator) {
    case "y":
      return { buffer: { text, cursor: linewise ? range.from : from }, register }
    case "d":
      return {
        buffer: linewise ? withoutLines(text, from, to) : inNormal(text.slice(0, from) + text.slice(to), from),
        register,
      }
    case "c": {
      // Of whole lines the last line feed stays: one empty line is left to type in.
      const end = linewise && text[to - 1] === "\n" ? to - 1 : to
      return { buffer: { text: text.slice(0, from) + text.slice(end), cursor: from }, register, insert: true }
    }
    case ">":
    case "<":
      return { buffer: shifted(text, from, to, operator) }
  }
}

/** The lines that a piece touches, with their line feeds. */
function wholeLines(text: string, { from, to }: Range): { from: number; to: number } {
  const last = Math.max(from, to - 1)
  return { from: lineStart(text, from), to: Math.min(text.length, lineEnd(text, Math.min(last, text.length)) + 1) }
}

const withLineEnd = (text: string) => (text.endsWith("\n") ? text : `${text}\n`)

function withoutLines(text: string, from: number, to: number): Buffer {
  const rest = text.slice(0, from) + text.slice(to)
  // The last line takes the line feed before it along.
  const left =
    to === text.length && !text.slice(from, to).endsWith("\n") && rest.endsWith("\n") ? rest.slice(0, -1) : rest
  return { text: left, cursor: firstNonBlank(left, Math.min(from, left.length)) }
}

function shifted(text: string, from: number, to: number, operator: ">" | "<"): Buffer {
  const body = text.slice(from, to)
  const lines = body.split("\n").map((line) => {
    if (operator === "<") return line.replace(/^(?:\t| {1,2})/, "")
    return line === "" ? line : indent + line
  })
  const next = text.slice(0, from) + lines.join("\n") + text.slice(to)
  return { text: next, cursor: firstNonBlank(next, from) }
}

/** A cursor that may stand there in normal mode: on a character, not behind the last one. */
export function inNormal(text: string, cursor: number): Buffer {
  const at = Math.max(0, Math.min(cursor, text.length))
  return { text, cursor: Math.min(at, lastOnLine(text, at)) }
}

/** Puts what was taken behind the cursor (`p`) or before it (`P`). */
export function put({ text, cursor }: Buffer, register: Register, count: number, behind: boolean): Buffer {
  const body = register.text.repeat(count)
  if (body === "") return { text, cursor }
  if (register.linewise) {
    const at = behind ? lineEnd(text, cursor) : lineStart(text, cursor)
    const lines = body.slice(0, -1)
    const next = behind
      ? `${text.slice(0, at)}\n${lines}${text.slice(at)}`
      : `${text.slice(0, at)}${lines}\n${text.slice(at)}`
    return { text: next, cursor: firstNonBlank(next, behind ? at + 1 : at) }
  }
  const at = behind && lineStart(text, cursor) !== lineEnd(text, cursor) ? afterCursor(text, cursor) : cursor
  return inNormal(text.slice(0, at) + body + text.slice(at), at + body.length - 1)
}

function afterCursor(text: string, cursor: number): number {
  const [first] = new Intl.Segmenter().segment(text.slice(cursor))
  return cursor + (first?.segment.length ?? 0)
}

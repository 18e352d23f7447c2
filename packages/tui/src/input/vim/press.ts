import type { Stroke } from "../key.ts"
import {
  after,
  before,
  type Find,
  findMotion,
  firstNonBlank,
  lineEnd,
  lineStart,
  type Motion,
  motion,
} from "./motion.ts"
import { type Range, textObject } from "./object.ts"
import { inNormal, operate, put } from "./operator.ts"
import type { Buffer, Operator, VimResult, VimState } from "./state.ts"

/** Cleared after every command. */
const done = { count: "", operator: undefined, pending: undefined, keys: [] } as const
type Loose = { -readonly [Key in keyof VimState]?: VimState[Key] | undefined }

/**
 * One key of Vim's, as a pure step. In insert mode only escape is ours: what is typed goes to the widget, and `buffer` is
 * what it holds. A key that means nothing is swallowed; ctrl, alt and function keys are passed.
 */
export function pressVim(state: VimState, stroke: Stroke, buffer: Buffer): VimResult {
  if (state.mode === "insert") return stroke === "escape" ? leaveInsert(state, buffer) : { state, buffer, passed: true }
  if (stroke === "escape") return toNormal(state, buffer)
  if (stroke === "ctrl+r" && state.mode === "normal") return { ...plain(state, buffer), action: "redo" }
  if (isForeign(stroke)) return { state, buffer, passed: true }
  const next: VimState = { ...state, keys: [...state.keys, stroke] }
  if (state.pending !== undefined) return withPending(next, state.pending, stroke, buffer)
  if (/^\d$/.test(stroke) && (stroke !== "0" || state.count !== "")) {
    return { state: { ...next, count: clamped(state.count + stroke) }, buffer }
  }
  return command(next, stroke, buffer)
}

const clamped = (count: string) => (Number(count) > 9_999 ? "9999" : count)
const isForeign = (stroke: Stroke) => /^(?:ctrl|alt|super)\+|^(?:shift\+)?(?:return|tab|f\d+|page\w+)$/.test(stroke)

function change(state: VimState, loose: Loose): VimState {
  return { ...state, ...loose } as VimState
}

const plain = (state: VimState, buffer: Buffer): VimResult => ({ state: change(state, done), buffer })

function toNormal(state: VimState, buffer: Buffer): VimResult {
  const idle =
    state.mode === "normal" && state.count === "" && state.operator === undefined && state.pending === undefined
  const next: VimResult = {
    state: change(state, { ...done, mode: "normal" }),
    buffer: inNormal(buffer.text, buffer.cursor),
  }
  // Nothing of ours was to end: escape is somebody else's.
  return idle ? { ...next, passed: true } : next
}

function leaveInsert(state: VimState, buffer: Buffer): VimResult {
  const { entered } = state
  const cursor =
    buffer.cursor > lineStart(buffer.text, buffer.cursor) ? before(buffer.text, buffer.cursor) : buffer.cursor
  const last = entered === undefined ? state.last : { keys: entered.keys, inserted: typed(entered, buffer.text) }
  return {
    state: change(state, { ...done, mode: "normal", entered: undefined, last }),
    buffer: inNormal(buffer.text, cursor),
  }
}

/** What came into the text since insert mode was entered; nothing when more than that was changed. */
function typed(entered: NonNullable<VimState["entered"]>, text: string): string {
  const head = entered.text.slice(0, entered.cursor)
  const tail = entered.text.slice(entered.cursor)
  const isInsertion = text.startsWith(head) && text.endsWith(tail) && text.length >= entered.text.length
  return isInsertion ? text.slice(head.length, text.length - tail.length) : ""
}

function enterInsert(state: VimState, buffer: Buffer): VimResult {
  const entered = { ...buffer, keys: state.keys }
  return { state: change(state, { ...done, mode: "insert", entered }), buffer }
}

/** How often, of the counts before the operator and before its motion. */
function countOf({ count, operator }: VimState): number | undefined {
  const numbers = [count, operator?.count ?? ""].filter((each) => each !== "").map(Number)
  return numbers.length === 0
    ? undefined
    : Math.min(
        9_999,
        numbers.reduce((product, each) => product * each, 1),
      )
}

function withPending(state: VimState, pending: string, stroke: Stroke, buffer: Buffer): VimResult {
  const character = characterOf(stroke)
  switch (pending) {
    case "g":
      return stroke === "g"
        ? moveOrOperate(state, motion(buffer.text, buffer.cursor, "gg", countOf(state)), buffer)
        : plain(state, buffer)
    case "r":
      return character === undefined ? plain(state, buffer) : replaced(state, character, buffer)
    case "f":
    case "F":
    case "t":
    case "T": {
      if (character === undefined) return plain(state, buffer)
      const find: Find = { kind: pending, character }
      const found = findMotion(buffer.text, buffer.cursor, find, countOf(state) ?? 1)
      return moveOrOperate(change(state, { find }), found, buffer)
    }
    default: {
      const range = textObject(buffer.text, buffer.cursor, stroke, pending === "a")
      return range === undefined ? plain(state, buffer) : taken(state, range, buffer)
    }
  }
}

/** What a stroke would type. */
function characterOf(stroke: Stroke): string | undefined {
  if (stroke === "space") return " "
  if (stroke === "return") return "\n"
  const [, shifted] = /^shift\+(\p{L})$/u.exec(stroke) ?? []
  if (shifted !== undefined) return shifted.toUpperCase()
  return [...stroke].length === 1 ? stroke : undefined
}

function command(state: VimState, stroke: Stroke, buffer: Buffer): VimResult {
  const isVisual = state.mode !== "normal"
  const operator = operators[stroke]
  if (operator !== undefined)
    return isVisual ? onSelection(state, operator, buffer) : startOperator(state, operator, buffer)
  const waits = waiting[stroke]
  if (waits !== undefined && (waits !== "i" && waits !== "a" ? true : isVisual || state.operator !== undefined)) {
    return { state: change(state, { pending: waits }), buffer }
  }
  if ((stroke === ";" || stroke === ",") && state.find !== undefined) {
    const find = stroke === ";" ? state.find : opposite(state.find)
    return moveOrOperate(state, findMotion(buffer.text, buffer.cursor, find, countOf(state) ?? 1, true), buffer)
  }
  const found = motionFor(state, stroke, buffer)
  if (found !== undefined) return moveOrOperate(state, found, buffer)
  if (state.operator !== undefined) return plain(state, buffer)
  return isVisual ? inVisual(state, stroke, buffer) : inNormalMode(state, stroke, buffer)
}

const operators: Readonly<Record<string, Operator | undefined>> = { d: "d", c: "c", y: "y", ">": ">", "<": "<" }
const waiting: Readonly<Record<string, string | undefined>> = {
  ...{ g: "g", r: "r", f: "f", "shift+f": "F", t: "t", "shift+t": "T", i: "i", a: "a" },
}
const opposites = { f: "F", F: "f", t: "T", T: "t" } as const
const opposite = ({ kind, character }: Find): Find => ({ kind: opposites[kind], character })

/** `cw` on a word changes to its end, and leaves the blank behind it. */
function motionFor(state: VimState, stroke: Stroke, { text, cursor }: Buffer): Motion | undefined {
  const onWord = /\S/.test(text[cursor] ?? " ")
  if (state.operator?.key === "c" && stroke === "w" && onWord) {
    const inner = textObject(text, cursor, "w", false)
    if (inner !== undefined && (countOf(state) ?? 1) === 1) return { to: inner.to }
    return motion(text, cursor, "e", countOf(state))
  }
  const found = motion(text, cursor, stroke, countOf(state))
  // The last word of a line is taken without the line's end.
  if (state.operator !== undefined && stroke === "w" && found !== undefined && (countOf(state) ?? 1) === 1) {
    return { to: Math.min(found.to, Math.max(cursor, lineEnd(text, cursor))) }
  }
  return found
}

function startOperator(state: VimState, key: Operator, buffer: Buffer): VimResult {
  if (state.operator === undefined)
    return { state: change(state, { operator: { key, count: state.count }, count: "" }), buffer }
  if (state.operator.key !== key) return plain(state, buffer)
  // Twice the same: whole lines.
  const { text, cursor } = buffer
  const below = motion(text, cursor, "j", (countOf(state) ?? 1) - 1)
  const count = countOf(state) ?? 1
  const end = count === 1 ? cursor : (below?.to ?? text.length)
  return taken(state, { from: lineStart(text, cursor), to: Math.max(end, lineEnd(text, end)), linewise: true }, buffer)
}

function moveOrOperate(state: VimState, found: Motion | undefined, buffer: Buffer): VimResult {
  if (found === undefined) return plain(state, buffer)
  if (state.operator === undefined) {
    const cursor = state.mode === "normal" ? inNormal(buffer.text, found.to).cursor : found.to
    return plain(state, { text: buffer.text, cursor })
  }
  const from = Math.min(buffer.cursor, found.to)
  const far = Math.max(buffer.cursor, found.to)
  const to = found.inclusive === true ? after(buffer.text, far) : far
  return taken(
    state,
    found.linewise === true ? { from, to: Math.max(to, lineEnd(buffer.text, far)), linewise: true } : { from, to },
    buffer,
  )
}

/** The operator, or in visual mode the selection, takes a piece. */
function taken(state: VimState, range: Range, buffer: Buffer): VimResult {
  if (state.operator === undefined) {
    const cursor = range.to > range.from ? before(buffer.text, range.to) : range.from
    return { state: change(state, { ...done, anchor: range.from }), buffer: { text: buffer.text, cursor } }
  }
  return applied(state, state.operator.key, range, buffer)
}

function applied(state: VimState, key: Operator, range: Range, buffer: Buffer): VimResult {
  if (range.from === range.to && range.linewise !== true && key !== "c")
    return plain(change(state, { mode: "normal" }), buffer)
  const { buffer: next, register, insert } = operate(key, buffer, range)
  const kept = change(state, { mode: "normal", register: register ?? state.register })
  if (insert === true) return enterInsert(kept, next)
  const last = key === "y" ? state.last : { keys: state.keys, inserted: "" }
  const settled = inNormal(next.text, next.cursor)
  const result: VimResult = { state: change(kept, { ...done, last }), buffer: settled }
  return key === "y" && register !== undefined ? { ...result, yanked: register.text } : result
}

function onSelection(state: VimState, key: Operator, buffer: Buffer): VimResult {
  const selected = selectionOf(state, buffer)
  return selected === undefined ? plain(state, buffer) : applied(state, key, selected, buffer)
}

/** What visual mode has selected; undefined in the other modes. */
export function selectionOf({ mode, anchor }: VimState, { text, cursor }: Buffer): Range | undefined {
  if (mode !== "visual" && mode !== "visual-line") return undefined
  const from = Math.min(anchor, cursor)
  const to = Math.max(anchor, cursor)
  if (mode === "visual") return { from, to: after(text, to) }
  return { from: lineStart(text, from), to: lineEnd(text, to), linewise: true }
}

function replaced(state: VimState, character: string, buffer: Buffer): VimResult {
  const { text, cursor } = buffer
  let to = cursor
  const times = countOf(state) ?? 1
  for (let round = 0; round < times; round++) {
    if (to >= lineEnd(text, cursor)) return plain(state, buffer)
    to = after(text, to)
  }
  const next = text.slice(0, cursor) + character.repeat(times) + text.slice(to)
  const last = { keys: state.keys, inserted: "" }
  return { state: change(state, { ...done, last }), buffer: inNormal(next, cursor + character.length * (times - 1)) }
}

function inVisual(state: VimState, stroke: Stroke, buffer: Buffer): VimResult {
  switch (stroke) {
    case "v":
    case "shift+v": {
      const mode = stroke === "v" ? "visual" : "visual-line"
      return plain(change(state, { mode: state.mode === mode ? "normal" : mode }), buffer)
    }
    case "x":
      return onSelection(state, "d", buffer)
    case "s":
      return onSelection(state, "c", buffer)
    case "o":
      return plain(change(state, { anchor: buffer.cursor }), { text: buffer.text, cursor: state.anchor })
    default:
      return plain(state, buffer)
  }
}

/** Commands that are short for an operator and a motion. */
const short: Readonly<Record<string, readonly [Operator, string] | undefined>> = {
  x: ["d", "l"],
  "shift+x": ["d", "h"],
  delete: ["d", "l"],
  "shift+d": ["d", "$"],
  "shift+c": ["c", "$"],
  s: ["c", "l"],
}

function inNormalMode(state: VimState, stroke: Stroke, buffer: Buffer): VimResult {
  const { text, cursor } = buffer
  const pair = short[stroke]
  if (pair !== undefined) {
    const isEmpty = lineStart(text, cursor) === lineEnd(text, cursor)
    if (isEmpty) return pair[0] === "c" ? enterInsert(state, buffer) : plain(state, buffer)
    const operator = { key: pair[0], count: "" }
    return moveOrOperate(change(state, { operator }), motion(text, cursor, pair[1], countOf(state)), buffer)
  }
  switch (stroke) {
    case "i":
      return enterInsert(state, buffer)
    case "a":
      return enterInsert(state, { text, cursor: cursor < lineEnd(text, cursor) ? after(text, cursor) : cursor })
    case "shift+i":
      return enterInsert(state, { text, cursor: firstNonBlank(text, cursor) })
    case "shift+a":
      return enterInsert(state, { text, cursor: lineEnd(text, cursor) })
    case "o": {
      const end = lineEnd(text, cursor)
      return enterInsert(state, { text: `${text.slice(0, end)}\n${text.slice(end)}`, cursor: end + 1 })
    }
    case "shift+o": {
      const start = lineStart(text, cursor)
      return enterInsert(state, { text: `${text.slice(0, start)}\n${text.slice(start)}`, cursor: start })
    }
    case "v":
    case "shift+v":
      return plain(change(state, { mode: stroke === "v" ? "visual" : "visual-line", anchor: cursor }), buffer)
    case "shift+s":
    case "shift+y": {
      const lines = { from: lineStart(text, cursor), to: lineEnd(text, cursor), linewise: true } as const
      return applied(state, stroke === "shift+s" ? "c" : "y", lines, buffer)
    }
    case "p":
    case "shift+p": {
      const last = { keys: state.keys, inserted: "" }
      const next = put(buffer, state.register, countOf(state) ?? 1, stroke === "p")
      return { state: change(state, { ...done, last }), buffer: next }
    }
    case "u":
      return { ...plain(state, buffer), action: "undo" }
    case ".":
      return again(state, buffer)
    default:
      return plain(state, buffer)
  }
}

/** The last change once more, here. */
function again(state: VimState, buffer: Buffer): VimResult {
  if (state.last === undefined) return plain(state, buffer)
  const { keys, inserted } = state.last
  let current: VimResult = plain(state, buffer)
  for (const key of keys) current = pressVim(current.state, key, current.buffer)
  if (current.state.mode === "insert") {
    const { text, cursor } = current.buffer
    const grown = { text: text.slice(0, cursor) + inserted + text.slice(cursor), cursor: cursor + inserted.length }
    current = leaveInsert(current.state, grown)
  }
  return { state: change(current.state, { last: state.last }), buffer: current.buffer }
}

import type { KeyEvent } from "@opentui/core"
import { err, ok, type Result } from "@cairn/kernel/result"

/** One stroke in its only spelling: modifiers in the order ctrl, alt, shift, super, then the name. Letters are small, with `shift`. */
export type Stroke = string

/** What has to be pressed one after the other. The leader stands as itself until it is known. */
export type Sequence = readonly Stroke[]

export const leader: Stroke = "<leader>"

const order = ["ctrl", "alt", "shift", "super"] as const
type Modifier = (typeof order)[number]

const modifierNames: Readonly<Record<string, Modifier>> = {
  ctrl: "ctrl",
  control: "ctrl",
  c: "ctrl",
  alt: "alt",
  meta: "alt",
  option: "alt",
  shift: "shift",
  super: "super",
  cmd: "super",
  win: "super",
}
const aliases: Readonly<Record<string, string>> = {
  enter: "return",
  esc: "escape",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
  pgdown: "pagedown",
  bs: "backspace",
  plus: "+",
  comma: ",",
}
const named = new Set(
  "return escape tab backspace delete insert space up down left right home end pageup pagedown clear menu".split(" "),
)

/** How the terminal's event is spelled. */
export function strokeOf(
  event: Pick<KeyEvent, "name" | "ctrl" | "meta" | "option" | "shift" | "super" | "sequence">,
): Stroke {
  const modifiers = new Set<Modifier>()
  if (event.ctrl) modifiers.add("ctrl")
  if (event.meta || event.option) modifiers.add("alt")
  if (event.super) modifiers.add("super")
  if (event.shift) modifiers.add("shift")
  // What ctrl+j is without a keyboard protocol; and there ctrl+- arrives as ctrl+_.
  if (event.name === "linefeed") return spell(new Set(["ctrl"]), "j")
  if (event.ctrl && event.name === "_") return spell(modifiers, "-")
  const plain = !event.ctrl && !modifiers.has("alt") && !event.super
  const written = plain && isCharacter(event.sequence) && event.sequence !== " " ? event.sequence : event.name
  return spell(modifiers, written)
}

function isCharacter(text: string): boolean {
  return text.length > 0 && /^[^\u0000-\u001f\u007f]$/u.test(text)
}

/** A capital letter is the small one with shift; a sign that needs shift is the sign alone. */
function spell(modifiers: ReadonlySet<Modifier>, name: string): Stroke {
  const wanted = new Set(modifiers)
  let key = name
  if (isCharacter(name)) {
    const small = name.toLowerCase()
    if (small !== name) wanted.add("shift")
    else if (name.toUpperCase() === name) wanted.delete("shift")
    key = small
  }
  return [...order.filter((modifier) => wanted.has(modifier)), key].join("+")
}

/** One stroke as it stands in a configuration: `ctrl+x`, `E`, `alt+.`, `f2`. */
export function parseStroke(text: string): Result<Stroke, string> {
  const trimmed = text.trim()
  if (trimmed === leader) return ok(leader)
  const parts = trimmed.split(/(?<=.)\+(?=.)/u)
  const last = parts.pop() ?? ""
  const modifiers = new Set<Modifier>()
  for (const part of parts) {
    const lower = part.toLowerCase()
    const modifier = Object.hasOwn(modifierNames, lower) ? modifierNames[lower] : undefined
    if (modifier === undefined) return err(`"${part}" is no modifier (ctrl, alt, shift, super)`)
    modifiers.add(modifier)
  }
  const lower = last.toLowerCase()
  const name = Object.hasOwn(aliases, lower) ? (aliases[lower] ?? lower) : lower
  if (named.has(name) || /^f\d{1,2}$/.test(name)) return ok(spell(modifiers, name))
  // Ctrl+X is written with a capital by those who mean the key.
  if (isCharacter(last)) return ok(spell(modifiers, modifiers.size > 0 ? lower : last))
  if (isCharacter(name)) return ok(spell(modifiers, name))
  return err(`"${last}" is no key`)
}

/** `<leader>q`, or strokes with spaces between. */
export function parseSequence(text: string): Result<Sequence, string> {
  const strokes: Stroke[] = []
  for (const word of text.trim().replaceAll(leader, `${leader} `).split(/ +/)) {
    if (word === "") continue
    const stroke = parseStroke(word)
    if (!stroke.ok) return stroke
    strokes.push(stroke.value)
  }
  return strokes.length === 0 ? err("there is no key") : ok(strokes)
}

/** Alternatives with commas between; `none` is no key at all. A comma behind `+` or alone is the key. */
export function parseBindings(text: string): Result<readonly Sequence[], string> {
  if (text.trim() === "none" || text.trim() === "") return ok([])
  const sequences: Sequence[] = []
  for (const part of alternatives(text)) {
    const sequence = parseSequence(part)
    if (!sequence.ok) return sequence
    sequences.push(sequence.value)
  }
  return ok(sequences)
}

function alternatives(text: string): string[] {
  const parts = [""]
  for (const character of text) {
    const part = parts.at(-1) ?? ""
    const isWhole = part.trim() !== "" && (!part.endsWith("+") || part.endsWith("++") || part.trim() === "+")
    if (character === "," && isWhole) parts.push("")
    else parts[parts.length - 1] = part + character
  }
  return parts
}

const glyphs: Readonly<Record<string, string>> = { return: "enter", escape: "esc", pageup: "pgup", pagedown: "pgdn" }

/** As users read it: `ctrl+x q`, `shift+enter`. The leader as what it is. */
export function showSequence(sequence: Sequence, leaderIs: Stroke): string {
  return sequence.map((stroke) => showStroke(stroke === leader ? leaderIs : stroke)).join(" ")
}

function showStroke(stroke: Stroke): string {
  const parts = stroke.split(/(?<=.)\+(?=.)/u)
  const name = parts.pop() ?? ""
  if (parts.length === 1 && parts[0] === "shift" && /^\p{L}$/u.test(name)) return name.toUpperCase()
  return [...parts, glyphs[name] ?? name].join("+")
}

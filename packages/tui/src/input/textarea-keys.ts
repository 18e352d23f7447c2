import { defaultTextareaKeyBindings, type TextareaAction } from "@opentui/core"
import { parseBindings, type Stroke } from "./key.ts"

/** The keys that edit text, by their names in the original's `keybinds`: `input_` and the textarea's own word for it. */
const defaults: Readonly<Record<string, string>> = {
  input_move_left: "left,ctrl+b",
  input_move_right: "right,ctrl+f",
  input_move_up: "up",
  input_move_down: "down",
  input_select_left: "shift+left",
  input_select_right: "shift+right",
  input_select_up: "shift+up",
  input_select_down: "shift+down",
  input_line_home: "ctrl+a",
  input_line_end: "ctrl+e",
  input_select_line_home: "ctrl+shift+a",
  input_select_line_end: "ctrl+shift+e",
  input_visual_line_home: "alt+a",
  input_visual_line_end: "alt+e",
  input_select_visual_line_home: "alt+shift+a",
  input_select_visual_line_end: "alt+shift+e",
  input_buffer_home: "home",
  input_buffer_end: "end",
  input_select_buffer_home: "shift+home",
  input_select_buffer_end: "shift+end",
  input_delete_line: "ctrl+shift+d",
  input_delete_to_line_end: "ctrl+k",
  input_delete_to_line_start: "ctrl+u",
  input_backspace: "backspace,shift+backspace",
  input_delete: "ctrl+d,delete,shift+delete",
  input_undo: "ctrl+-,super+z",
  input_redo: "ctrl+.,super+shift+z",
  input_word_forward: "alt+f,alt+right,ctrl+right",
  input_word_backward: "alt+b,alt+left,ctrl+left",
  input_select_word_forward: "alt+shift+f,alt+shift+right",
  input_select_word_backward: "alt+shift+b,alt+shift+left",
  input_delete_word_forward: "alt+d,alt+delete,ctrl+delete",
  input_delete_word_backward: "ctrl+w,ctrl+backspace,alt+backspace",
  input_select_all: "super+a",
}

/** A key as the textarea takes it. */
export interface TextareaKey {
  readonly name: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly shift: boolean
  readonly super: boolean
  readonly action: TextareaAction
}

export interface TextareaKeys {
  readonly keys: TextareaKey[]
  /** What was wrong with `keybinds`: a sentence each. */
  readonly warnings: readonly string[]
}

/** Keys for a textarea: ours and the user's, and none of its own. A sequence of several keys cannot edit text. */
export function textareaKeys(keybinds: Readonly<Record<string, string>> = {}): TextareaKeys {
  const warnings: string[] = []
  const keys: TextareaKey[] = []
  for (const [name, byDefault] of Object.entries(defaults)) {
    const given = parseBindings(keybinds[name] ?? byDefault)
    const isWrong = !given.ok || given.value.some((sequence) => sequence.length > 1)
    if (isWrong)
      warnings.push(`keybinds.${name}: ${given.ok ? "one key at a time edits text" : given.error}; the default stays`)
    const chosen = isWrong ? parseBindings(byDefault) : given
    const action = name.slice("input_".length).replaceAll("_", "-") as TextareaAction
    for (const [stroke] of chosen.ok ? chosen.value : [])
      if (stroke !== undefined) keys.push(textareaKey(stroke, action))
  }
  return { keys: [...silenced(), ...keys], warnings }
}

function textareaKey(stroke: Stroke, action: TextareaAction): TextareaKey {
  const parts = stroke.split(/(?<=.)\+(?=.)/u)
  const name = parts.pop() ?? ""
  const has = (modifier: string) => parts.includes(modifier)
  return { name, ctrl: has("ctrl"), meta: has("alt"), shift: has("shift"), super: has("super"), action }
}

/** The textarea's own keys, leading nowhere: an action that it does not have. */
function silenced(): TextareaKey[] {
  return defaultTextareaKeyBindings.map(
    ({ name, ctrl = false, meta = false, shift = false, super: withSuper = false }) => {
      return { name, ctrl, meta, shift, super: withSuper, action: "none" as TextareaAction }
    },
  )
}

/**
 * Text of a model or a tool may hold escape sequences (set the clipboard, move the cursor, forge a prompt) and marks
 * that reorder or hide what is shown. Before it goes to a terminal they become visible characters. Line feeds and tabs stay.
 */

const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** A whole text, made harmless. Idempotent. */
export function sanitise(text: string): string {
  if (text.search(unsafe) < 0) return text
  return text.replaceAll("\r\n", "\n").replace(unsafe, visible)
}

/** One line of it: line ends and tabs become spaces too. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replaceAll(/[\n\t]+/g, " ")
}

/** The same for text that comes in pieces: holds back what could be the first half of something. */
export function createSanitiser(): { push(piece: string): string; flush(): string } {
  let held = ""
  return {
    push(piece) {
      const text = held + piece
      const last = text.charCodeAt(text.length - 1)
      const half = last === 0x0d || (last >= 0xd800 && last <= 0xdbff)
      held = half ? text.slice(-1) : ""
      return sanitise(half ? text.slice(0, -1) : text)
    },
    flush() {
      const rest = sanitise(held)
      held = ""
      return rest
    },
  }
}

function visible(match: string): string {
  const code = match.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return "\u2421"
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

import type { Ink } from "./colour.ts"
import type { Mode, Token } from "./theme.ts"

const [red, green, yellow, blue, magenta, cyan] = [1, 2, 3, 4, 5, 6]
/** "Bright black": the only grey there is. */
const grey = 8

const table: Partial<Record<Token, number>> = {
  muted: grey,
  accent: cyan,
  warn: yellow,
  error: red,
  ok: green,
  border: grey,
  diffAdded: green,
  diffRemoved: red,
  diffHunk: cyan,
  heading: magenta,
  link: blue,
  comment: grey,
  keyword: magenta,
  string: green,
  number: yellow,
  type: cyan,
  function: blue,
}

/** What a token is where there are sixteen colours: the terminal's own, by what they mean. Grounds stay the terminal's. */
export function ansi16(token: Token, mode: Mode): Ink {
  const index = table[token]
  if (index === undefined) return "default"
  // Yellow on white cannot be read in any terminal's palette.
  return mode === "light" && index === yellow ? { index: magenta } : { index }
}

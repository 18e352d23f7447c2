/**
 * Undoes whatever a terminal interface may have switched on: what is printed when nobody could clean up (`kill -9`), and
 * the last resort on every other way out. Each order is harmless where its mode is off.
 */
export const resetSequences: string = [
  "\x1b[?2026l", // draws at once again
  "\x1b[0m",
  "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l", // mouse
  "\x1b[?1004l", // focus
  "\x1b[?2004l", // bracketed paste
  "\x1b[?2031l", // light and dark
  "\x1b[?2027l", // grapheme widths
  "\x1b[<99u\x1b[>4;0m", // keys
  "\x1b[?1049l", // the other screen
  "\x1b[0 q\x1b[?25h", // cursor
  "\x1b]111\x07\x1b]112\x07", // colours of background and cursor
  "\x1b[23;2t", // window title
  "\r",
].join("")

import { expect, test } from "bun:test"
import { capsOf } from "./caps.ts"

test.each([
  [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "truecolor"],
  [{ TERM: "xterm-256color", COLORTERM: "24bit" }, "truecolor"],
  [{ TERM: "xterm-256color" }, "256"],
  [{ TERM: "xterm" }, "16"],
  [{ TERM: "xterm-kitty" }, "truecolor"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, "truecolor"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, "256"],
  [{ TERM: "xterm", WT_SESSION: "1" }, "truecolor"],
  [{ TERM: "tmux-256color", TMUX: "/tmp/tmux", TERM_PROGRAM: "WezTerm" }, "256"],
  [{ TERM: "screen", TMUX: "/tmp/tmux" }, "16"],
  [{ TERM: "tmux-256color", TMUX: "/tmp/tmux", COLORTERM: "truecolor" }, "truecolor"],
  [{ TERM: "dumb" }, "none"],
  [{}, "none"],
  [{ TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "1" }, "none"],
  [{ TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "" }, "truecolor"],
  [{ TERM: "xterm-256color", NO_COLOR: "1", FORCE_COLOR: "1" }, "256"],
  [{ TERM: "dumb", FORCE_COLOR: "1" }, "16"],
  [{ TERM: "xterm", FORCE_COLOR: "3" }, "truecolor"],
  [{ TERM: "xterm", FORCE_COLOR: "2" }, "256"],
  [{ TERM: "xterm-256color", FORCE_COLOR: "0" }, "none"],
] as const)("colours of %j: %s", (env, depth) => {
  expect(capsOf(env).depth).toBe(depth)
})

test.each([
  [{ LANG: "en_GB.UTF-8" }, true],
  [{ LANG: "en_GB.utf8" }, true],
  [{ LANG: "C" }, false],
  [{ LANG: "C.UTF-8", LC_ALL: "POSIX" }, false],
  [{ LANG: "C", LC_CTYPE: "C.UTF-8" }, true],
  [{ LANG: "C", LC_ALL: "" }, false],
  [{}, true],
  [{ TERM: "linux", LANG: "en_GB.UTF-8" }, false],
] as const)("glyphs with %j: %p", (env, unicode) => {
  expect(capsOf(env).unicode).toBe(unicode)
})

test.each([
  [{ TMUX: "/tmp/tmux-0/default,1,0" }, "tmux"],
  [{ STY: "123.pts-0" }, "screen"],
  [{ ZELLIJ: "0", TMUX: "inside" }, "zellij"],
  [{ TMUX: "" }, undefined],
] as const)("between us and the terminal with %j: %p", (env, multiplexer) => {
  expect(capsOf(env).multiplexer).toBe(multiplexer)
})

test("a terminal over SSH is remote", () => {
  expect(capsOf({ SSH_TTY: "/dev/pts/3" }).remote).toBe(true)
  expect(capsOf({ SSH_CONNECTION: "1.2.3.4 1 5.6.7.8 22" }).remote).toBe(true)
  expect(capsOf({}).remote).toBe(false)
})

test("its name is the best that it says", () => {
  expect(capsOf({ TERM: "xterm", TERM_PROGRAM: "ghostty" }).name).toBe("ghostty")
  expect(capsOf({ TERM: "xterm" }).name).toBe("xterm")
  expect(capsOf({ TERM: "xterm", WT_SESSION: "x" }).name).toBe("Windows Terminal")
  expect(capsOf({})).toMatchObject({ name: "unknown", dumb: false })
  expect(capsOf({ TERM: "dumb" }).dumb).toBe(true)
})

import type { Caps } from "./caps.ts"
import { type Safe, sanitizeLine } from "./sanitize.ts"

/** What a user may want to be called for. */
export type Occasion = "ask" | "question" | "error" | "done"

/** How: by a protocol of the terminal, by its bell, or not at all. `auto` takes what this terminal is known to understand. */
export type Via = "auto" | "osc9" | "osc99" | "osc777" | "bell" | "none"

export interface NotifyState {
  readonly focused: boolean
  /** It happened in the session that is on the screen. */
  readonly onScreen: boolean
  /** Of the turn that ended; 0 for other occasions. Milliseconds. */
  readonly took: number
  readonly wanted: readonly Occasion[]
}

/** A turn that ended sooner was waited for. Milliseconds. */
const worthCalling = 10_000

/** Whether the user is called: never for what happens before their eyes. */
export function isWanted(occasion: Occasion, { focused, onScreen, took, wanted }: NotifyState): boolean {
  if (!wanted.includes(occasion)) return false
  if (focused && onScreen) return false
  return occasion !== "done" || took > worthCalling
}

/** The bytes that call the user; empty for `none`. Whatever the words hold, they end no sequence early. */
export function notificationBytes(
  via: Via,
  title: string,
  body: string,
  caps: Pick<Caps, "name" | "multiplexer">,
): string {
  const way = via === "auto" ? wayOf(caps.name) : via
  if (way === "none") return ""
  if (way === "bell") return "\x07"
  const sequence = sequenceOf(way, words(title), words(body))
  // tmux hands a sequence on when it is wrapped, with every escape doubled.
  return caps.multiplexer === "tmux" ? `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\` : sequence
}

type Protocol = "osc9" | "osc99" | "osc777"

function sequenceOf(way: Protocol, title: Safe, body: Safe): string {
  const both = body === "" ? title : `${title}: ${body}`
  if (way === "osc9") return `\x1b]9;${both}\x07`
  if (way === "osc777") return `\x1b]777;notify;${title};${body}\x07`
  return `\x1b]99;i=cairn:d=0:p=title;${title}\x1b\\\x1b]99;i=cairn:d=1:p=body;${body}\x1b\\`
}

/** The parts of OSC 777 are divided by semicolons. */
function words(text: string): Safe {
  const safe = sanitizeLine(text).replaceAll(";", ",")
  return [...safe].slice(0, longest).join("") as Safe
}
const longest = 200

function wayOf(name: string): Protocol | "bell" {
  if (/kitty/i.test(name)) return "osc99"
  if (/iterm|wezterm|ghostty|windows terminal/i.test(name)) return "osc9"
  return /rxvt|foot/i.test(name) ? "osc777" : "bell"
}

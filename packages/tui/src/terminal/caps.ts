/** Colours that the terminal can show. `none`: bold, underline, reverse and glyphs alone. */
export type Depth = "truecolor" | "256" | "16" | "none"

/** Programs between us and the real terminal that swallow or change what we send. */
export type Multiplexer = "tmux" | "screen" | "zellij"

/** What is known of the terminal before it answered anything. */
export interface Caps {
  readonly depth: Depth
  /** Whether glyphs outside of ASCII may be used. */
  readonly unicode: boolean
  readonly multiplexer: Multiplexer | undefined
  /** The terminal is on another machine: the clipboard and the files there are not ours. */
  readonly remote: boolean
  /** Cursor movement means nothing to it: only the line printer can be used. */
  readonly dumb: boolean
  /** What it calls itself; "unknown" where it does not say. */
  readonly name: string
}

type Env = Readonly<Record<string, string | undefined>>

/** Reads the terminal's abilities from the environment alone. */
export function capsOf(env: Env): Caps {
  return {
    depth: depthOf(env),
    unicode: unicodeOf(env),
    multiplexer: multiplexerOf(env),
    remote: Boolean(env["SSH_TTY"] || env["SSH_CONNECTION"] || env["SSH_CLIENT"]),
    dumb: env["TERM"] === "dumb",
    name: nameOf(env),
  }
}

/** NO_COLOR wins over everything but FORCE_COLOR, which the user sets for one program and not for all. */
function depthOf(env: Env): Depth {
  const term = env["TERM"] ?? ""
  const forced = env["FORCE_COLOR"]
  if (forced === "0" || forced === "false") return "none"
  if (forced === "3") return "truecolor"
  if (forced === "2") return "256"
  if (forced === "1" || forced === "true") return atLeast16(env, term)
  if (env["NO_COLOR"] || term === "dumb") return "none"
  return byTerm(env, term)
}

function atLeast16(env: Env, term: string): Depth {
  const depth = byTerm(env, term)
  return depth === "none" ? "16" : depth
}

const fullColour = /^(?:iTerm\.app|WezTerm|ghostty|vscode|Hyper|mintty|rio|Tabby)$/i
const fullColourTerm = /(?:-direct|truecolor|kitty|alacritty|ghostty|wezterm|foot)/

function byTerm(env: Env, term: string): Depth {
  if (/^(?:truecolor|24bit)$/i.test(env["COLORTERM"] ?? "")) return "truecolor"
  // The terminal below may do more, but tmux itself passes on what its own TERM says.
  if (env["TMUX"] !== undefined || /^(?:tmux|screen)/.test(term)) return /256/.test(term) ? "256" : "16"
  if (env["WT_SESSION"] || fullColour.test(env["TERM_PROGRAM"] ?? "") || fullColourTerm.test(term)) return "truecolor"
  if (/256/.test(term) || env["TERM_PROGRAM"] === "Apple_Terminal") return "256"
  return term === "" && env["COLORTERM"] === undefined ? "none" : "16"
}

/** The first of these that is set decides, as in the C library; a terminal without any of them is taken for a modern one. */
function unicodeOf(env: Env): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"]
  // The console of the Linux kernel has a font of 512 glyphs.
  if (env["TERM"] === "linux") return false
  return locale === undefined || locale === "" || /utf-?8/i.test(locale)
}

function multiplexerOf(env: Env): Multiplexer | undefined {
  if (env["ZELLIJ"] !== undefined) return "zellij"
  if (env["TMUX"]) return "tmux"
  return env["STY"] ? "screen" : undefined
}

function nameOf(env: Env): string {
  if (env["WT_SESSION"]) return "Windows Terminal"
  return env["TERM_PROGRAM"] || env["TERM"] || "unknown"
}

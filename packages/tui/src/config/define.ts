import type { Occasion, Via } from "../terminal/notify.ts"

/** Settings of the terminal interface, complete. */
export interface TuiConfig {
  readonly screen: "full" | "inline" | "plain" | "auto"
  readonly theme: string
  readonly mode: "auto" | "dark" | "light"
  readonly motion: "normal" | "none"
  readonly ascii: "auto" | boolean
  readonly mouse: boolean
  /** Undefined: on where the terminal is on this machine. */
  readonly copyOnSelect: boolean | undefined
  readonly vim: boolean
  /** What Enter does while a turn runs. */
  readonly busyEnter: "steer" | "queue"
  readonly sidebar: "auto" | boolean
  /** Columns of the transcript's text at most. */
  readonly wrap: number
  readonly diff: "auto" | "unified" | "split"
  readonly fold: { readonly reasoning: boolean; readonly bash: number; readonly edit: number }
  readonly notify: readonly Occasion[]
  readonly notifyVia: Via
  /** Frames a second at most while text streams. */
  readonly fps: number
  /** Milliseconds in which a sequence of keys has to go on. */
  readonly leaderTimeout: number
  /** Rows that a turn of the mouse wheel scrolls. */
  readonly scrollSpeed: number
  readonly keybinds: Readonly<Record<string, string>>
}

export const defaultConfig: TuiConfig = {
  screen: "auto",
  theme: "cairn",
  mode: "auto",
  motion: "normal",
  ascii: "auto",
  mouse: true,
  copyOnSelect: undefined,
  vim: false,
  busyEnter: "steer",
  sidebar: "auto",
  wrap: 100,
  diff: "auto",
  fold: { reasoning: true, bash: 6, edit: 20 },
  notify: ["ask", "error", "done"],
  notifyVia: "auto",
  fps: 30,
  leaderTimeout: 2_000,
  scrollSpeed: 3,
  keybinds: {},
}

/** What a value may be: undefined is what is wrong, otherwise what it means. */
export interface Setting {
  readonly expected: string
  read(value: unknown): { readonly value: unknown } | undefined
}

const given = (value: unknown) => ({ value })

function oneOf(...words: readonly (string | boolean)[]): Setting {
  return {
    expected: words.map((word) => JSON.stringify(word)).join(", "),
    read: (value) => (words.includes(value as string) ? given(value) : undefined),
  }
}

function number(least: number, most: number): Setting {
  return {
    expected: `a number from ${least} to ${most}`,
    read: (value) =>
      typeof value === "number" && value >= least && value <= most ? given(Math.round(value)) : undefined,
  }
}

const flag: Setting = oneOf(true, false)
const occasions = ["ask", "question", "error", "done"]
const anything: Setting = { expected: "anything", read: given }

/** Every setting that a file may have, by its path. */
export const settings: Readonly<Record<string, Setting>> = {
  $schema: anything,
  screen: oneOf("full", "inline", "plain", "auto"),
  theme: {
    expected: "the name of a theme",
    read: (value) => (typeof value === "string" && value !== "" ? given(value) : undefined),
  },
  mode: oneOf("auto", "dark", "light"),
  motion: oneOf("normal", "none"),
  ascii: oneOf("auto", true, false),
  mouse: flag,
  copyOnSelect: flag,
  vim: flag,
  busyEnter: oneOf("steer", "queue"),
  sidebar: oneOf("auto", true, false),
  wrap: number(20, 1_000),
  diff: oneOf("auto", "unified", "split"),
  "fold.reasoning": flag,
  "fold.bash": number(1, 200),
  "fold.edit": number(1, 200),
  notify: {
    expected: `a list of ${occasions.map((word) => `"${word}"`).join(", ")}`,
    read: (value) =>
      Array.isArray(value) && value.every((each) => occasions.includes(each)) ? given([...new Set(value)]) : undefined,
  },
  notifyVia: oneOf("auto", "osc9", "osc99", "osc777", "bell", "none"),
  fps: number(1, 60),
  leaderTimeout: number(100, 60_000),
  scrollSpeed: number(1, 100),
}

/** What the original's file has: another name for one of ours and what it means there, or nothing that we have. */
export const originals: Readonly<
  Record<string, { readonly setting: Setting; readonly path?: string; means?(value: unknown): unknown }>
> = {
  leader_timeout: { setting: number(100, 60_000), path: "leaderTimeout" },
  scroll_speed: { setting: number(0.001, 100), path: "scrollSpeed", means: (value) => Math.max(1, Number(value)) },
  diff_style: {
    setting: oneOf("auto", "stacked"),
    path: "diff",
    means: (value) => (value === "stacked" ? "unified" : "auto"),
  },
  "attention.enabled": {
    setting: flag,
    path: "notify",
    means: (value) => (value === true ? defaultConfig.notify : []),
  },
  ...Object.fromEntries(
    [
      ...["attention.notifications", "attention.sound", "attention.volume", "attention.sound_pack", "attention.sounds"],
      ...[
        "prompt.max_height",
        "prompt.max_width",
        "scroll_acceleration",
        "cursor.style",
        "cursor.blinking",
        "plugin",
        "plugin_enabled",
      ],
    ].map((path) => [path, { setting: anything }]),
  ),
}

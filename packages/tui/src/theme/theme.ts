import { err, ok, type Result } from "@cairn/kernel/result"
import { type Ink, parseHex } from "./colour.ts"

/** What is coloured, and what the original's theme files call it; the first that a file has is taken. */
export const tokens = {
  text: ["text"],
  muted: ["textMuted"],
  accent: ["primary"],
  warn: ["warning"],
  error: ["error"],
  ok: ["success"],
  border: ["border", "borderSubtle"],
  background: ["background"],
  panel: ["backgroundPanel", "backgroundElement"],
  selectionText: ["selectedListItemText"],
  selection: ["selection", "primary"],
  diffAdded: ["diffAdded", "success"],
  diffRemoved: ["diffRemoved", "error"],
  diffAddedBg: ["diffAddedBg"],
  diffRemovedBg: ["diffRemovedBg"],
  diffContext: ["diffContext", "textMuted"],
  diffHunk: ["diffHunkHeader", "accent", "primary"],
  heading: ["markdownHeading", "primary"],
  link: ["markdownLink", "primary"],
  comment: ["syntaxComment", "textMuted"],
  keyword: ["syntaxKeyword", "primary"],
  string: ["syntaxString", "success"],
  number: ["syntaxNumber", "warning"],
  type: ["syntaxType", "secondary", "text"],
  function: ["syntaxFunction", "text"],
  variable: ["syntaxVariable", "text"],
  operator: ["syntaxOperator", "text"],
  punctuation: ["syntaxPunctuation", "text"],
} as const satisfies Record<string, readonly [string, ...string[]]>

export type Token = keyof typeof tokens
export const tokenNames = Object.keys(tokens) as Token[]
/** Behind text, not text. */
export const grounds = ["background", "panel", "selection", "diffAddedBg", "diffRemovedBg"] as const satisfies Token[]

export type Mode = "dark" | "light"
export type Inks = Readonly<Record<Token, Ink>>

export interface Theme {
  readonly name: string
  readonly dark: Inks
  readonly light: Inks
}

/** A theme file: the original's format (`defs`, `theme`; a value is a colour, a def, a palette number, `none`, or one for each mode). */
export function parseTheme(name: string, file: unknown): Result<Theme, string> {
  const { defs, theme } = isRecord(file) ? file : {}
  if (!isRecord(theme)) return err('it has no "theme" with colours')
  const known = isRecord(defs) ? defs : {}
  for (const key of Object.keys(theme)) {
    for (const mode of ["dark", "light"] as const) {
      if (inkOf(theme[key], known, mode) === undefined) return err(`theme.${key} is no colour`)
    }
  }
  const inks = (mode: Mode): Inks => {
    const entries = tokenNames.map((token) => {
      const key = tokens[token].find((each) => Object.hasOwn(theme, each))
      return [token, (key === undefined ? undefined : inkOf(theme[key], known, mode)) ?? "default"]
    })
    return Object.fromEntries(entries) as Inks
  }
  return ok({ name, dark: inks("dark"), light: inks("light") })
}

function inkOf(value: unknown, defs: Readonly<Record<string, unknown>>, mode: Mode, depth = 0): Ink | undefined {
  if (depth > 8) return undefined // a def that leads to itself
  if (typeof value === "number")
    return Number.isInteger(value) && value >= 0 && value <= 255 ? { index: value } : undefined
  if (isRecord(value)) return inkOf(value[mode], defs, mode, depth + 1)
  if (typeof value !== "string") return undefined
  if (value === "none" || value === "transparent") return "default"
  const rgb = parseHex(value)
  if (rgb !== undefined) return { rgb }
  return Object.hasOwn(defs, value) ? inkOf(defs[value], defs, mode, depth + 1) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

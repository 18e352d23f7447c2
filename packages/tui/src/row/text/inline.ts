import type { Token, Tokens } from "marked"
import { expandTabs, type Safe, type Source, ui } from "../../terminal/sanitize.ts"
import type { Locator } from "./locator.ts"
import type { Span, Style } from "./span.ts"

/** The inline part of a paragraph as lines of spans: breaks stay where they were written. Never empty. */
export function inlineLines(tokens: readonly Token[], locator: Locator, style?: Style): Span[][] {
  const lines: Span[][] = [[]]
  write(tokens, { lines, locator }, style)
  return lines
}

interface Target {
  readonly lines: Span[][]
  readonly locator: Locator
}

function write(tokens: readonly Token[], target: Target, style: Style | undefined): void {
  for (const token of tokens) writeToken(token as Tokens.Generic, target, style)
}

function writeToken(token: Tokens.Generic, target: Target, style: Style | undefined): void {
  switch (token.type) {
    case "strong":
      return write(token.tokens ?? [], target, { ...style, bold: true })
    case "em":
      return write(token.tokens ?? [], target, { ...style, italic: true })
    case "del":
      return write(token.tokens ?? [], target, { ...style, strike: true })
    case "codespan":
      return text(String(token["text"]), target, { ...style, tone: "code" })
    case "br":
      return void target.lines.push([])
    case "link":
      return link(token, target, style)
    case "image":
      return image(token, target, style)
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? void target.lines.push([]) : text(token.raw, target, style)
    case "escape":
      return text(String(token["text"]), target, style)
    default:
      if (token.tokens !== undefined) return write(token.tokens, target, style)
      return text(token.raw, target, style, true)
  }
}

/** Written text, a span a line. With `entities`, `&amp;` and its like are what they stand for. */
function text(written: string, { lines, locator }: Target, style: Style | undefined, entities = false): void {
  for (const [at, line] of written.split("\n").entries()) {
    if (at > 0) lines.push([])
    const trimmed = at > 0 ? line.trimStart() : line
    if (trimmed === "") continue
    for (const piece of entities ? trimmed.split(entity) : [trimmed]) {
      if (piece !== "") lines.at(-1)?.push(located(piece, entities, locator, style))
    }
  }
}

function located(piece: string, entities: boolean, locator: Locator, style: Style | undefined): Span {
  const meaning = entities ? decoded(piece) : piece
  const drawn = expandTabs(meaning as Source)
  const at = locator.find(piece)
  const length = drawn === piece ? {} : { length: piece.length }
  return { text: drawn, ...(style === undefined ? {} : { style }), ...(at === undefined ? {} : { at, ...length }) }
}

const entity = /(&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|nbsp);)/i
const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }

/** Only what is harmless: a number may name any character, a control character among them. */
function decoded(piece: string): string {
  const match = /^&(?:#(\d+)|#x([\da-f]+)|(\w+));$/i.exec(piece)
  if (match === null) return piece
  const [, decimal, hex, name] = match
  if (name !== undefined) return names[name.toLowerCase()] ?? piece
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : ""
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character) ? character : piece
}

const openable = /^(?:https?|file):\/\//i

/** The text, and where it leads unless the text says that already: a link may not lie. */
function link(token: Tokens.Generic, target: Target, style: Style | undefined): void {
  const href = String(token["href"])
  const isLink = openable.test(href)
  const look: Style = isLink ? { ...style, tone: "link", underline: true } : { ...style }
  write(token.tokens ?? [], target, look)
  const said = String(token["text"])
  if (said !== href && `mailto:${said}` !== href && href !== "") leadsTo(href, target, style)
}

function image(token: Tokens.Generic, target: Target, style: Style | undefined): void {
  target.lines.at(-1)?.push({ text: ui`image: `, style: { ...style, tone: "muted" } })
  const said = String(token["text"])
  if (said !== "") text(said, target, style)
  leadsTo(String(token["href"]), target, style)
}

function leadsTo(href: string, { lines, locator }: Target, style: Style | undefined): void {
  const muted: Style = { ...style, tone: "muted" }
  const at = locator.find(href)
  lines.at(-1)?.push({ text: ui` (`, style: muted })
  lines.at(-1)?.push({ text: href as Safe, style: muted, ...(at === undefined ? {} : { at }) })
  lines.at(-1)?.push({ text: ui`)`, style: muted })
}

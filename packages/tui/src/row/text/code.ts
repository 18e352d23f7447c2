import { expandTabs, type Source } from "../../terminal/sanitize.ts"
import { highlight, type Inside } from "./highlight.ts"
import { languageOf } from "./languages.ts"
import type { Span, Tone } from "./span.ts"

/** Lines of code with their colours, and what they end in the middle of. */
export interface CodeLines {
  readonly lines: readonly (readonly Span[])[]
  readonly inside: Inside | undefined
}

/** Code by its language's name, as lines of spans; `at` is where it stands in its block's source. */
export function codeLines(code: Source, name: string, at: number | undefined, inside?: Inside): CodeLines {
  if (/^(?:diff|patch)\b/i.test(name.trim())) return { lines: plainLines(code, at, diffTone), inside: undefined }
  const language = languageOf(name)
  if (language === undefined) return { lines: plainLines(code, at, () => undefined), inside: undefined }
  const found = highlight(code, language, inside)
  const lines: Span[][] = [[]]
  let from = 0
  const write = (to: number, tone: Tone | undefined) => {
    for (const [index, line] of code.slice(from, to).split("\n").entries()) {
      if (index > 0) {
        lines.push([])
        from++
      }
      if (line !== "")
        lines.at(-1)?.push(...piece(line as Source, lines.at(-1) ?? [], tone, at === undefined ? at : at + from))
      from += line.length
    }
  }
  for (const each of found.pieces) {
    write(each.from, undefined)
    write(each.to, each.tone)
  }
  write(code.length, undefined)
  return { lines, inside: found.inside }
}

function plainLines(code: Source, at: number | undefined, toneOf: (line: string) => Tone | undefined): Span[][] {
  let offset = at
  return code.split("\n").map((line) => {
    const spans = line === "" ? [] : piece(line as Source, [], toneOf(line), offset)
    if (offset !== undefined) offset += line.length + 1
    return spans
  })
}

/** A piece of a line behind what stands there already: a tab's width depends on that. Tabs are spans of their own. */
function piece(text: Source, before: readonly Span[], tone: Tone | undefined, at: number | undefined): Span[] {
  const style = tone === undefined ? {} : { style: { tone } }
  const place = (offset: number) => (at === undefined ? {} : { at: at + offset })
  if (!text.includes("\t")) return [{ text: expandTabs(text), ...style, ...place(0) }]
  let line = before.map((span) => span.text).join("")
  let offset = 0
  return text.split(/(\t)/).flatMap((part): Span[] => {
    if (part === "") return []
    const drawn = expandTabs(`${line}${part}` as Source).slice(line.length)
    const span = {
      text: drawn,
      ...style,
      ...place(offset),
      ...(part === "\t" && at !== undefined ? { length: 1 } : {}),
    }
    line += drawn
    offset += part.length
    return [span as Span]
  })
}

function diffTone(line: string): Tone | undefined {
  if (/^(?:\+\+\+|---|diff |index )/.test(line)) return "muted"
  if (line.startsWith("@@")) return "accent"
  if (line.startsWith("+")) return "ok"
  return line.startsWith("-") ? "error" : undefined
}

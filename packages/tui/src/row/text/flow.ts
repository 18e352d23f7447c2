import type { Safe } from "../../terminal/sanitize.ts"
import type { Drawing, Margin } from "./drawing.ts"
import type { Line, Span } from "./span.ts"
import { type Table, tableLines } from "./table.ts"
import { wrap } from "./wrap.ts"

/** A piece of a block that knows how to be drawn at any width. */
export type Flow =
  | {
      readonly kind: "text"
      readonly spans: readonly Span[]
      readonly margin: Margin
      readonly mode: "word" | "character"
    }
  | { readonly kind: "rule"; readonly margin: Margin }
  | { readonly kind: "table"; readonly table: Table; readonly margin: Margin }

const rulesAtMost = 40

/** The rows of a block at this width. */
export function flowLines(flows: readonly Flow[], width: number, drawing: Drawing): Line[] {
  return flows.flatMap((flow) => {
    switch (flow.kind) {
      case "text":
        return wrap(flow.spans, drawing.widths, { width, mode: flow.mode, ...flow.margin })
      case "rule":
        return ruleLine(flow.margin, width, drawing)
      case "table":
        return tableLines(flow.table, flow.margin, width, drawing)
    }
  })
}

function ruleLine({ first }: Margin, width: number, { widths, glyphs }: Drawing): Line[] {
  const before = first.reduce((sum, span) => sum + widths.of(span.text), 0)
  const length = Math.max(1, Math.min(rulesAtMost, width - before))
  const text = glyphs.rule.repeat(length) as Safe
  return [{ spans: [...first, { text, style: { tone: "muted" } }], width: before + length }]
}

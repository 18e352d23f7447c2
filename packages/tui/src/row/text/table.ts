import { type Safe, ui } from "../../terminal/sanitize.ts"
import type { Drawing, Margin } from "./drawing.ts"
import type { Line, Span } from "./span.ts"
import { wrap } from "./wrap.ts"

export interface Table {
  /** Lines of spans for every cell. */
  readonly header: readonly Cell[]
  readonly rows: readonly (readonly Cell[])[]
  readonly align: readonly ("left" | "right" | "center" | null)[]
}
export type Cell = readonly (readonly Span[])[]

/** A column that is narrower than this is read letter by letter. */
const narrowest = 6
const gap = 3

/** As columns, cells wrapped where they have to be; where there is no room for columns, a record a row. */
export function tableLines(table: Table, margin: Margin, width: number, drawing: Drawing): Line[] {
  const before = margin.rest.reduce((sum, span) => sum + drawing.widths.of(span.text), 0)
  const columns = columnWidths(table, width - before, drawing)
  const lines = columns === undefined ? records(table, width - before, drawing) : grid(table, columns, drawing)
  return lines.map((line, at) => {
    const spans = [...(at === 0 ? margin.first : margin.rest), ...line.spans]
    return { ...line, spans, width: line.width + before }
  })
}

/** Natural widths; the widest give way to the width that there is. Undefined when they would get too narrow. */
function columnWidths({ header, rows }: Table, width: number, { widths }: Drawing): number[] | undefined {
  const natural = header.map((cell, column) => {
    const cells = [cell, ...rows.map((row) => row[column] ?? [])]
    return Math.max(1, ...cells.flatMap((each) => each.map((line) => spansWidth(line, widths.of))))
  })
  const room = width - gap * (natural.length - 1)
  const columns = [...natural]
  let total = columns.reduce((sum, each) => sum + each, 0)
  while (total > room) {
    const widest = columns.indexOf(Math.max(...columns))
    const size = columns[widest] ?? 0
    if (size <= Math.min(narrowest, natural[widest] ?? 0)) return undefined
    columns[widest] = size - 1
    total--
  }
  return columns
}

function grid({ header, rows, align }: Table, columns: readonly number[], drawing: Drawing): Line[] {
  const between: Span = { text: ui` ${drawing.glyphs.bar} `, style: { tone: "muted" } }
  const row = (cells: readonly Cell[]): Line[] => {
    const wrapped = columns.map((width, column) => {
      return (cells[column] ?? []).flatMap((line) => wrap(line, drawing.widths, { width, mode: "word" }))
    })
    const height = Math.max(1, ...wrapped.map((lines) => lines.length))
    return Array.from({ length: height }, (_, at) => {
      const spans = columns.flatMap((width, column) => {
        const line = wrapped[column]?.[at]
        const padded = pad(line?.spans ?? [], width - (line?.width ?? 0), align[column] ?? "left")
        return column === 0 ? padded : [between, ...padded]
      })
      return { spans, width: columns.reduce((sum, each) => sum + each, 0) + gap * (columns.length - 1) }
    })
  }
  const { rule, cross } = drawing.glyphs
  const line = columns.map((width) => rule.repeat(width)).join(`${rule}${cross}${rule}`) as Safe
  const under: Line = { spans: [{ text: line, style: { tone: "muted" } }], width: drawing.widths.of(line) }
  return [...row(header.map(strong)), under, ...rows.flatMap(row)]
}

/** `header: value`, a line each, with an empty line between the rows. */
function records({ header, rows }: Table, width: number, { widths }: Drawing): Line[] {
  return rows.flatMap((row, at) => {
    const lines = header.flatMap((name, column) => {
      const label: Span[] = [...(strong(name)[0] ?? []), { text: ui`: ` }]
      const value = row[column] ?? []
      const spans = value.flatMap((line, index) => (index === 0 ? [...line] : [{ text: ui` ` }, ...line]))
      return wrap([...label, ...spans], widths, { width, mode: "word", rest: [{ text: ui`  ` }] })
    })
    return at === 0 ? lines : [{ spans: [], width: 0 }, ...lines]
  })
}

function strong(cell: Cell): Cell {
  return cell.map((line) => line.map((span) => ({ ...span, style: { ...span.style, bold: true } as const })))
}

function pad(spans: readonly Span[], room: number, align: "left" | "right" | "center"): Span[] {
  if (room <= 0) return [...spans]
  const left = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0
  const space = (count: number): Span[] => (count === 0 ? [] : [{ text: " ".repeat(count) as Safe }])
  return [...space(left), ...spans, ...space(room - left)]
}

function spansWidth(spans: readonly Span[], widthOf: (text: string) => number): number {
  return spans.reduce((sum, span) => sum + widthOf(span.text), 0)
}

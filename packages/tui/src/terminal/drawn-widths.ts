import { TextBuffer, TextBufferView, type WidthMethod } from "@opentui/core"
import { createWidths, type MeasureCharacters, type Widths } from "./widths.ts"

/** The widths that the renderer itself draws with. `method` is the renderer's, which follows what the terminal can. */
export function drawnWidths(method: WidthMethod): Widths {
  return createWidths(measureBy(method))
}

/** Asks the renderer's own text layout: one line a character. */
function measureBy(method: WidthMethod): MeasureCharacters {
  let view: { buffer: TextBuffer; view: TextBufferView } | undefined
  return (characters) => {
    view ??= open(method)
    view.buffer.setText(characters.join("\n"))
    const { lineWidthCols } = view.view.lineInfo
    return characters.map((_, at) => lineWidthCols[at] ?? 0)
  }
}

function open(method: WidthMethod) {
  const buffer = TextBuffer.create(method)
  const view = TextBufferView.create(buffer)
  view.setWrapMode("none")
  return { buffer, view }
}

import { testRender } from "@opentui/solid"
import type { JSX } from "@opentui/solid"
import { createSignal } from "solid-js"
import type { Drawing } from "../src/row/text/drawing.ts"
import { unicodeGlyphs } from "../src/row/text/drawing.ts"
import { drawnWidths } from "../src/terminal/drawn-widths.ts"
import type { Depth } from "../src/terminal/caps.ts"
import { resolveTheme } from "../src/theme/resolve.ts"
import { builtInTheme } from "../src/theme/themes.ts"
import { createPainter } from "../src/view/paint.ts"
import { UiContext } from "../src/view/ui.ts"

export const widths = drawnWidths("unicode")

interface DrawOptions {
  readonly width: number
  readonly height: number
  readonly depth?: Depth
  readonly glyphs?: Drawing["glyphs"]
}

/** A view on a screen of its own, and its frames as text. */
export async function draw(
  view: () => JSX.Element,
  { width, height, depth = "truecolor", glyphs = unicodeGlyphs }: DrawOptions,
) {
  const theme = builtInTheme("cairn")
  if (theme === undefined) throw new Error("there is no theme")
  const painter = createPainter(resolveTheme(theme, { mode: "dark", depth }))
  const [size, setSize] = createSignal({ width, height })
  const ui = { painter: () => painter, drawing: () => ({ widths, glyphs }), size }
  const setup = await testRender(() => <UiContext.Provider value={ui}>{view()}</UiContext.Provider>, {
    width,
    height,
    kittyKeyboard: true,
    useMouse: true,
    enableMouseMovement: false,
  })
  await setup.renderOnce()
  return {
    ...setup,
    /** The frame after what is pending, without spaces at the ends of lines. */
    async frame() {
      await setup.renderOnce()
      return setup
        .captureCharFrame()
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd()
    },
    resizeTo(columns: number, rows: number) {
      setup.resize(columns, rows)
      setSize({ width: columns, height: rows })
    },
    [Symbol.dispose]: () => setup.renderer.destroy(),
  }
}

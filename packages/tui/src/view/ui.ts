import { type Accessor, createContext, useContext } from "solid-js"
import type { Drawing } from "../row/text/drawing.ts"
import type { Painter } from "./paint.ts"

/** What every view draws with. */
export interface Ui {
  readonly painter: Accessor<Painter>
  readonly drawing: Accessor<Drawing>
  /** Columns and rows of the terminal. */
  readonly size: Accessor<{ readonly width: number; readonly height: number }>
}

export const UiContext = createContext<Ui>()

/** Throws outside of the application. */
export function useUi(): Ui {
  const ui = useContext(UiContext)
  if (ui === undefined) throw new Error("a view stands outside of UiContext")
  return ui
}

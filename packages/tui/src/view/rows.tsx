import type { TextRenderable } from "@opentui/core"
import { createRenderEffect } from "solid-js"
import type { Line } from "../row/text/span.ts"
import { useUi } from "./ui.ts"

/** Rows that were laid out already: one native text, however many there are. */
export function Rows(props: { readonly lines: readonly Line[] }) {
  const { painter } = useUi()
  // As a property it would be made a string.
  const fill = (text: TextRenderable) => createRenderEffect(() => void (text.content = painter().text(props.lines)))
  return (
    <text
      ref={fill}
      wrapMode="none"
      selectable={false}
      height={props.lines.length}
      flexShrink={0}
      fg={painter().ink("text")}
    />
  )
}

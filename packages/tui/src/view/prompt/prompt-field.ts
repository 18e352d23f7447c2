import type { TextareaRenderable } from "@opentui/core"
import type { Widths } from "../../terminal/widths.ts"
import type { Chip, ChipContent, PromptText } from "../../input/prompt-text.ts"
import { columnsAt, unitsAt } from "./offsets.ts"

/** A textarea as the prompt's text with its chips, in UTF-16 units. The textarea keeps both through edits and undo. */
export class PromptField {
  readonly #area: TextareaRenderable
  readonly #widths: () => Widths
  readonly #styleId: () => number | undefined
  readonly #type: number

  /** `styleId`: how chips look, in the textarea's own syntax style. */
  constructor(area: TextareaRenderable, widths: () => Widths, styleId: () => number | undefined) {
    this.#area = area
    this.#widths = widths
    this.#styleId = styleId
    this.#type = area.extmarks.getTypeId("chip") ?? area.extmarks.registerType("chip")
  }

  get text(): string {
    return this.#area.plainText
  }

  get cursor(): number {
    return unitsAt(this.text, this.#area.cursorOffset, this.#widths())
  }

  set cursor(units: number) {
    this.#area.cursorOffset = columnsAt(this.text, units, this.#widths())
  }

  /** On its first or last row as it is wrapped on the screen. */
  get isOnFirstRow(): boolean {
    return this.#area.visualCursor.visualRow + this.#area.scrollY === 0
  }

  get isOnLastRow(): boolean {
    return this.#area.visualCursor.visualRow + this.#area.scrollY >= this.#area.virtualLineCount - 1
  }

  get prompt(): PromptText {
    const { text } = this
    const widths = this.#widths()
    const chips = this.#area.extmarks.getAllForTypeId(this.#type).map((mark): Chip => {
      const content: ChipContent = mark.data
      return { from: unitsAt(text, mark.start, widths), to: unitsAt(text, mark.end, widths), content }
    })
    return { text, chips: chips.toSorted((a, b) => a.from - b.from) }
  }

  /** The chip under the cursor, or right before it. */
  get chipAtCursor(): Chip | undefined {
    const { cursor } = this
    return this.prompt.chips.find((chip) => chip.from <= cursor && cursor <= chip.to)
  }

  /** Puts another prompt in its place. `undoable`: the one before can be had back. */
  set({ text, chips }: PromptText, cursor: number = text.length, undoable = true): void {
    this.#area.extmarks.clear()
    if (undoable) this.#area.replaceText(text)
    else this.#area.setText(text)
    for (const { from, to, content } of chips) this.#mark(from, to, content)
    this.cursor = cursor
  }

  /** Types a text at the cursor, over what is selected. */
  insert(text: string): void {
    if (this.#area.hasSelection()) this.#area.deleteSelection()
    this.#area.insertText(text)
  }

  /** A chip at the cursor, with a space behind it. */
  insertChip(label: string, content: ChipContent): void {
    const from = this.cursor
    this.insert(`${label} `)
    this.#mark(from, from + label.length, content)
  }

  /** Puts a chip, or with no content plain text, in the place of a range. */
  replace(from: number, to: number, insert: string, content?: ChipContent): void {
    const { text } = this
    this.#area.setSelection(columnsAt(text, from, this.#widths()), columnsAt(text, to, this.#widths()))
    this.#area.deleteSelection()
    this.cursor = from
    if (content === undefined) this.#area.insertText(insert)
    else this.insertChip(insert, content)
  }

  #mark(from: number, to: number, data: ChipContent): void {
    const { text } = this
    const styleId = this.#styleId()
    this.#area.extmarks.create({
      start: columnsAt(text, from, this.#widths()),
      end: columnsAt(text, to, this.#widths()),
      virtual: true,
      data,
      typeId: this.#type,
      ...(styleId === undefined ? {} : { styleId }),
    })
  }
}

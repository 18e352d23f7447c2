import type { Source } from "../terminal/sanitize.ts"

/** Something in the prompt that is shown as a word and is more than that: one backspace removes it. */
export interface Chip {
  /** Where its label stands in the text, in UTF-16 units. */
  readonly from: number
  readonly to: number
  readonly content: ChipContent
}

export type ChipContent =
  | { readonly kind: "text"; readonly text: Source }
  /** A file or directory; `lines` counts from 1, both included. */
  | {
      readonly kind: "file"
      readonly path: string
      readonly lines?: readonly [first: number, last: number]
      readonly symbol?: string
    }
  | { readonly kind: "image"; readonly mime: string; readonly bytes: Uint8Array }
  | { readonly kind: "agent"; readonly name: string }

/** What is in the prompt. */
export interface PromptText {
  readonly text: string
  /** In order, apart from each other. */
  readonly chips: readonly Chip[]
}

export const emptyPrompt: PromptText = { text: "", chips: [] }

/** The text to send: what was pasted stands where its label stood; what else chips are follows by itself. */
export function expanded({ text, chips }: PromptText): { text: string; attached: readonly ChipContent[] } {
  let sent = ""
  let from = 0
  for (const chip of chips) {
    const label = text.slice(chip.from, chip.to)
    sent += text.slice(from, chip.from) + (chip.content.kind === "text" ? chip.content.text : label)
    from = chip.to
  }
  return {
    text: sent + text.slice(from),
    attached: chips.map(({ content }) => content).filter(({ kind }) => kind !== "text"),
  }
}

/** The prompt with a chip in place of `from` to `to`. */
export function withChip(
  prompt: PromptText,
  from: number,
  to: number,
  label: string,
  content: ChipContent,
): PromptText {
  const changed = replaced(prompt, from, to, label)
  const chip: Chip = { from, to: from + label.length, content }
  return { text: changed.text, chips: [...changed.chips, chip].toSorted((a, b) => a.from - b.from) }
}

/** The prompt with other text in place of `from` to `to`: chips that it touches are gone, those behind it move. */
export function replaced({ text, chips }: PromptText, from: number, to: number, insert: string): PromptText {
  const by = insert.length - (to - from)
  const kept = chips.filter((chip) => chip.to <= from || chip.from >= to)
  const moved = kept.map((chip) => (chip.from >= to ? { ...chip, from: chip.from + by, to: chip.to + by } : chip))
  return { text: text.slice(0, from) + insert + text.slice(to), chips: moved }
}

/** What stands in the chip instead of its label; undefined when it is no pasted text. */
export function opened(prompt: PromptText, chip: Chip): PromptText | undefined {
  return chip.content.kind === "text" ? replaced(prompt, chip.from, chip.to, chip.content.text) : undefined
}

const marker = (index: number) => `[[${index + 1}]]`

/** For an editor: chips are `[[n]]`, and what the text says like one of them stays as it is. */
export function forEditor({ text, chips }: PromptText): string {
  let shown = ""
  let from = 0
  for (const [index, chip] of chips.entries()) {
    shown += text.slice(from, chip.from) + marker(index)
    from = chip.to
  }
  return shown + text.slice(from)
}

/** What came back from the editor: a chip is where its first marker stands, and gone when that is gone. */
export function fromEditor(edited: string, before: PromptText): PromptText {
  let prompt: PromptText = { text: edited, chips: [] }
  for (const [index, chip] of before.chips.entries()) {
    const at = prompt.text.indexOf(marker(index))
    if (at < 0) continue
    const label = before.text.slice(chip.from, chip.to)
    prompt = withChip(prompt, at, at + marker(index).length, label, chip.content)
  }
  return prompt
}

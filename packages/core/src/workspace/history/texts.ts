import { decodeText, encodeText } from "../encoding.ts"
import { largestText } from "../files.ts"

/** Contents of one file as texts that can be compared line by line, and how a text of them becomes bytes again. */
export interface Texts<List extends readonly string[]> {
  readonly texts: List
  encode(text: string): Uint8Array
}

/**
 * Undefined when one of the contents is binary or too large. Files that are no valid UTF-8, and whose encoding changed,
 * are taken byte by byte: their lines are found all the same, and nothing of them is lost.
 */
export function textsOf<List extends readonly Uint8Array[]>(
  ...contents: List
): Texts<{ readonly [Position in keyof List]: string }> | undefined {
  type Strings = { readonly [Position in keyof List]: string }
  if (contents.some((bytes) => bytes.length > largestText)) return undefined
  const decoded = contents.map((bytes) => decodeText(bytes))
  const first = decoded[0]
  if (first?.ok) {
    const { encoding } = first.value
    const texts = decoded.flatMap((each) =>
      each.ok && each.value.encoding.encoding === encoding.encoding && each.value.encoding.bom === encoding.bom
        ? [each.value.text]
        : [],
    )
    const encode = (text: string) => {
      const bytes = encodeText(text, encoding)
      // Lines of whole characters give whole characters.
      if (!bytes) throw new Error("a text made of lines of texts cannot be encoded")
      return bytes
    }
    if (texts.length === contents.length) return { texts: texts as unknown as Strings, encode }
  }
  if (contents.some((bytes) => bytes.includes(0))) return undefined
  const texts = contents.map((bytes) => Buffer.from(bytes).toString("latin1"))
  return { texts: texts as unknown as Strings, encode: (text) => Buffer.from(text, "latin1") }
}

const meanings: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "'": "'",
  "`": "`",
  "\\": "\\",
  $: "$",
  "/": "/",
}
const quotes = new Set(['"', "'", "`", "$", "/"])

/** The characters that stand after a backslash in the text, each once. */
export function escapesIn(text: string): Set<string> {
  const found = new Set<string>()
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at + 2)) found.add(text[at + 1] ?? "")
  return found
}

/** The text with the escapes of these characters replaced by what they mean; others stay. */
export function unescape(text: string, which: ReadonlySet<string>): string {
  return text.replace(/\\([\s\S])/g, (all, char: string) => (which.has(char) ? (meanings[char] ?? all) : all))
}

/**
 * The ways in which a text may have been escaped once too often, likeliest first: only its quotes, or all.
 * Line breaks and tabs are only meant where the text has none of its own.
 */
export function escapeModes(text: string): Set<string>[] {
  const present = [...escapesIn(text)].filter((char) => meanings[char] !== undefined)
  const all = new Set(
    present.filter((char) => {
      if (char === "n" || char === "r") return !/[\n\r]/.test(text)
      return char === "t" ? !text.includes("\t") : true
    }),
  )
  const onlyQuotes = new Set([...all].filter((char) => quotes.has(char)))
  return [onlyQuotes, all].filter(
    (mode, index, modes) => mode.size > 0 && (index === 0 || mode.size !== modes[0]?.size),
  )
}

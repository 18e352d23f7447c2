/**
 * Parses JSON as weak models write it: in a code fence, with line breaks inside strings, with a comma too
 * many, or without the closing braces at its end. What breaks off inside a string, a number or a list is not
 * repaired: nobody knows what was to follow, and half a command or half a file is worse than none.
 */
export function parseLooseJson(raw: string): { readonly value: unknown } | { readonly problem: string } {
  const text = raw.trim()
  if (text === "") return { value: {} }
  const strict = tryParse(text)
  if (strict.ok) return { value: strict.value }
  const bare = text.replace(/^```[a-z]*\s*\n?/i, "").replace(/\n?```$/, "")
  const { text: mended, cut } = mend(bare)
  if (cut)
    return { problem: `the arguments break off ${cut}; send the whole call again, in smaller parts if it is long` }
  // A name without its value, closed, is no valid JSON either and is refused here.
  const loose = tryParse(mended)
  return loose.ok ? { value: loose.value } : { problem: `the arguments are not valid JSON: ${strict.message}` }
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

/** Escapes control characters in strings, drops commas before a closing bracket, closes what stays open. */
function mend(text: string): { text: string; cut?: string } {
  const open: string[] = []
  const parts: string[] = []
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    if (inString) {
      if (char === "\\") parts.push(char, text[++at] ?? "")
      else parts.push(controls[char] ?? char)
      if (char === '"') inString = false
      continue
    }
    if (char === '"') inString = true
    else if (char === "{" || char === "[") open.push(char === "{" ? "}" : "]")
    else if (char === open.at(-1)) open.pop()
    if (char === "," && /^\s*[}\]]/.test(text.slice(at + 1, at + 200))) continue
    parts.push(char)
  }
  const mended = parts.join("")
  if (inString) return { text: mended, cut: "inside a string" }
  if (open.length === 0) return { text: mended }
  if (open.includes("]")) return { text: mended, cut: "inside a list" }
  const complete = /(["}\]]|true|false|null)\s*$/.test(mended)
  return complete ? { text: mended + open.reverse().join("") } : { text: mended, cut: "before their end" }
}

const controls: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

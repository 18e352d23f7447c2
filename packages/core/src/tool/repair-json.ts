/**
 * Parses JSON as weak models write it: in a code fence, with line breaks or lone backslashes inside strings, with
 * single quotes, bare keys or Python's words, with a comma or a bracket too many, or without the closing braces at
 * its end. What breaks off inside a string, a number or a list is not repaired: nobody knows what was to follow, and
 * half a command or half a file is worse than none.
 */
export function parseLooseJson(raw: string): { readonly value: unknown } | { readonly problem: string } {
  const text = raw.trim()
  if (text === "") return { value: {} }
  const strict = tryParse(text)
  if (strict.ok) return { value: strict.value }
  const bare = text.replace(/^```[a-z]*\s*\n?/i, "").replace(/\n?```$/, "")
  const { text: mended, cut, end } = mend(bare)
  if (cut)
    return { problem: `the arguments break off ${cut}; send the whole call again, in smaller parts if it is long` }
  const rest = end === undefined ? "" : bare.slice(end).trim()
  const first = end === undefined ? "" : bare.slice(0, end)
  // Some servers put an empty object in front of the arguments.
  if (/^\{\s*\}$/.test(first) && rest.startsWith("{")) return parseLooseJson(rest)
  if (rest !== "" && rest !== first && !leftover.test(rest))
    return { problem: `the arguments are not valid JSON: ${strict.message}` }
  // A name without its value, closed, is no valid JSON either and is refused here.
  const loose = tryParse(mended)
  return loose.ok ? { value: loose.value } : { problem: `the arguments are not valid JSON: ${strict.message}` }
}

/** What models and servers leave behind the arguments: closing brackets too many, special tokens, closing tags. */
const leftover = /^(?:[\s}\];]|```|<\/\w{1,30}>|<[|｜][\w▁]{1,40}[|｜]>)*$/

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

interface Mended {
  /** Valid JSON, if the text could be mended. */
  readonly text: string
  /** Where the text breaks off. */
  readonly cut?: string
  /** Index behind the first whole value; undefined when it has no end of its own. */
  readonly end?: number
}

function mend(text: string): Mended {
  const open: string[] = []
  const parts: string[] = []
  // The character before, without white space.
  let last = ""
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? ""
    if (char === '"' || char === "'") {
      const string = mendString(text, at)
      parts.push(string.json)
      if (string.end === undefined) return { text: parts.join(""), cut: "inside a string" }
      at = string.end
      last = char
      continue
    }
    const word = /^[A-Za-z_$][\w$]*/.exec(text.slice(at, at + 200))?.[0]
    if (word !== undefined) {
      at += word.length
      const named = open.at(-1) === "}" && (last === "{" || last === ",")
      const key = named && /^\s*:/.test(text.slice(at, at + 200))
      parts.push(key ? `"${word}"` : (pythonWords[word] ?? word))
      last = word
      continue
    }
    at++
    if (/\S/.test(char)) last = char
    if (char === "{" || char === "[") open.push(char === "{" ? "}" : "]")
    if (char === "," && /^\s*[}\]]/.test(text.slice(at, at + 200))) continue
    parts.push(char)
    if (char === open.at(-1) && open.pop() && open.length === 0) return { text: parts.join(""), end: at }
  }
  const mended = parts.join("")
  if (open.length === 0) return { text: mended }
  if (open.includes("]")) return { text: mended, cut: "inside a list" }
  const complete = /(["}\]]|true|false|null)\s*$/.test(mended)
  return complete ? { text: mended + open.reverse().join("") } : { text: mended, cut: "before their end" }
}

const pythonWords: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" }

/** The string that begins at `start`, with control characters escaped; without an end when it breaks off. */
function mendString(text: string, start: number): { json: string; end?: number } {
  const quote = text[start]
  const parts = ['"']
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? ""
    if (char === quote) return { json: `${parts.join("")}"`, end: at + 1 }
    if (char === "\\") parts.push(mendEscape(text[++at] ?? ""))
    else parts.push(char === '"' ? '\\"' : (controls[char] ?? char))
  }
  return { json: parts.join("") }
}

/** Patterns are often written with one backslash where JSON wants two; other unknown escapes can mean two things. */
function mendEscape(char: string): string {
  if (char === "'") return "'"
  return /[acdeghijklmopqsvwxyzA-Z0-9.()[\]*+?|^-]/.test(char) ? `\\\\${char}` : `\\${char}`
}

const controls: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

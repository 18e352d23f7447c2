import type { SyntaxNode } from "./syntax.ts"

/**
 * The tree of a line that is nothing but commands of bare and whole quoted words, joined by `&&`, `||` and `;`: what the
 * grammar gives, without loading it (29 MB of memory and 60 ms of CPU). Undefined for every other line.
 */
export function plainTree(line: string): SyntaxNode | undefined {
  if (line.length > longest || !plain.test(line)) return undefined
  const root: SyntaxNode[] = []
  let words: SyntaxNode[] = []
  let joint: SyntaxNode | undefined
  const close = () => {
    const command = commandOf(line, words)
    words = []
    if (!command) return false
    const left = joint && root.pop()
    root.push(left && joint ? branch("list", [left, joint, command]) : command)
    joint = undefined
    return true
  }
  for (const { 0: text, index } of line.matchAll(token)) {
    const operator = text === "&&" || text === "||" || text === ";"
    if (!operator) words.push(wordAt(text, index))
    else if (!close()) return undefined
    else if (text === ";") root.push(leaf(text, index, index + 1, false))
    else joint = leaf(text, index, index + 2, false)
  }
  return close() ? { type: "program", named: true, start: 0, end: line.length, children: root } : undefined
}

const longest = 4_096

const bare = "[\\w./:@%+,-]+"
const quoted = `'[^'\\n]*'|"[^"\\n$\`\\\\!]*"`
const word = `(?:${bare}|${quoted})`
const name = "[A-Za-z_./][\\w./-]*"
const command = `${name}(?: +${word})*`
/** Starts with a name, ends with a word, and has its words apart. */
const plain = new RegExp(`^${command}(?: *(?:&&|\\|\\||;) *${command})*$`)
const token = new RegExp(`&&|\\|\\||;|${word}`, "g")

/** Words that begin something else than a simple command. */
const keywords: ReadonlySet<string> = new Set(
  (
    "if then elif else fi for while until do done case esac select function in time coproc " +
    "declare typeset export readonly local unset unsetenv"
  ).split(" "),
)

/** Undefined for what begins something else. */
function commandOf(line: string, words: readonly SyntaxNode[]): SyntaxNode | undefined {
  const [name, ...rest] = words
  if (!name || keywords.has(line.slice(name.start, name.end))) return undefined
  return branch("command", [branch("command_name", [name]), ...rest])
}

function wordAt(text: string, start: number): SyntaxNode {
  const end = start + text.length
  if (text.startsWith("'")) return leaf("raw_string", start, end)
  if (!text.startsWith('"')) return leaf(/^-?(?:0x)?\d+$/.test(text) ? "number" : "word", start, end)
  const content = text.length > 2 ? [leaf("string_content", start + 1, end - 1)] : []
  return branch("string", [leaf('"', start, start + 1, false), ...content, leaf('"', end - 1, end, false)])
}

const leaf = (type: string, start: number, end: number, named = true): SyntaxNode => ({
  ...{ type, named, start, end },
  children: [],
})

const branch = (type: string, children: readonly SyntaxNode[]): SyntaxNode => ({
  ...{ type, named: true, children },
  start: children[0]!.start,
  end: children.at(-1)!.end,
})

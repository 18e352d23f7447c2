/** Does a pattern match a whole name? */
export type NameMatcher = (name: string) => boolean

const star = Symbol("*")
type Token = typeof star | ((char: string) => boolean)

/**
 * A matcher of one name as git has it: `*` any run, `?` one character, `[a-z]`, `[!a]` and `[[:digit:]]` classes, `\`
 * quotes. At most name × pattern steps. A class that does not end, or a lone `\` at the end, matches nothing.
 */
export function nameMatcher(pattern: string): NameMatcher {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern
  const tokens = tokensOf([...pattern])
  if (!tokens) return () => false
  return (name) => run(tokens, [...name])
}

function tokensOf(chars: readonly string[]): Token[] | undefined {
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ""
    if (char === "*") {
      if (tokens.at(-1) !== star) tokens.push(star)
    } else if (char === "?") tokens.push(() => true)
    else if (char === "[") {
      const found = classAt(chars, at + 1)
      if (!found) return undefined
      tokens.push(found.test)
      at = found.end
    } else {
      const meant = char === "\\" ? chars[++at] : char
      if (meant === undefined) return undefined
      tokens.push((given) => given === meant)
    }
  }
  return tokens
}

type Test = (char: string) => boolean

/** The class whose `[` stands before `start`, and where its `]` is. */
export function classAt(chars: readonly string[], start: number): { test: Test; end: number } | undefined {
  const negated = chars[start] === "!" || chars[start] === "^"
  const tests: Test[] = []
  let at = negated ? start + 1 : start
  for (const first = at; at < chars.length; at++) {
    if (chars[at] === "]" && at > first) return { test: (char) => tests.some((one) => one(char)) !== negated, end: at }
    if (chars[at] === "[" && chars[at + 1] === ":") {
      const end = chars.indexOf("]", at + 2)
      const kind = kinds.get(chars.slice(at + 2, end - 1).join(""))
      if (end > 0 && chars[end - 1] === ":") {
        if (!kind) return undefined
        tests.push((char) => kind.test(char))
        at = end
        continue
      }
    }
    if (chars[at] === "\\") at++
    const low = chars[at]
    if (low === undefined) return undefined
    if (chars[at + 1] !== "-" || chars[at + 2] === "]" || chars[at + 2] === undefined) {
      tests.push((char) => char === low)
      continue
    }
    at += chars[at + 2] === "\\" ? 3 : 2
    const high = chars[at]
    if (high === undefined) return undefined
    tests.push((char) => char >= low && char <= high)
  }
  return undefined
}

const kinds = new Map([
  ["alnum", /^[0-9A-Za-z]$/],
  ["alpha", /^[A-Za-z]$/],
  ["blank", /^[ \t]$/],
  ["cntrl", /^[\x00-\x1f\x7f]$/],
  ["digit", /^[0-9]$/],
  ["graph", /^[\x21-\x7e]$/],
  ["lower", /^[a-z]$/],
  ["print", /^[\x20-\x7e]$/],
  ["punct", /^[!-/:-@[-`{-~]$/],
  ["space", /^[ \t\n\v\f\r]$/],
  ["upper", /^[A-Z]$/],
  ["xdigit", /^[0-9A-Fa-f]$/],
])

/** Goes forward; on a mismatch the last `*` takes one character more. Earlier ones never need to be tried again. */
function run(tokens: readonly Token[], name: readonly string[]): boolean {
  let at = 0
  let next = 0
  let open = -1
  let taken = 0
  while (at < name.length) {
    const token = tokens[next]
    if (token === star) {
      open = next++
      taken = at
    } else if (token?.(name[at] ?? "")) {
      at++
      next++
    } else if (open >= 0) {
      next = open + 1
      at = ++taken
    } else {
      return false
    }
  }
  while (tokens[next] === star) next++
  return next === tokens.length
}

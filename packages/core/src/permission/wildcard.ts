/** Stands in the text of a command for what is only known when it runs: only `*` covers it. The second is a number. */
export const hole = "\uffff"
export const digits = "\ufffe"
const isHole = (char: string | undefined): boolean => char === hole || char === digits

/**
 * Does the whole text match? `*` is any run of characters, `?` exactly one, both across `/` and line ends; everything
 * else is itself. A trailing ` *` also matches nothing: `git *` covers `git`. At most text × pattern steps.
 */
export function wildcard(text: string, pattern: string): boolean {
  if (matches(text, pattern)) return true
  return pattern.endsWith(" *") && matches(text, pattern.slice(0, -2))
}

/** True for a text that is a pattern and not only itself. */
export const hasWildcard = (text: string): boolean => text.includes("*") || text.includes("?")

function matches(text: string, pattern: string): boolean {
  if (pattern === "*") return true
  if (!hasWildcard(pattern)) return text === pattern
  const wide = pattern.includes("?") && /[\uD800-\uDFFF]/.test(text)
  return wide ? run([...text], [...pattern]) : run(text, pattern)
}

/** Goes forward; on a mismatch the last `*` takes one character more. Earlier ones never need to be tried again. */
function run(text: ArrayLike<string>, pattern: ArrayLike<string>): boolean {
  let at = 0
  let next = 0
  let star = -1
  let taken = 0
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next++
      taken = at
    } else if (next < pattern.length && ((pattern[next] === "?" && !isHole(text[at])) || pattern[next] === text[at])) {
      at++
      next++
    } else if (star >= 0) {
      next = star + 1
      at = ++taken
    } else {
      return false
    }
  }
  while (pattern[next] === "*") next++
  return next === pattern.length
}

const mostSteps = 4_000_000
const star = /^\*$/
const number = /^[*?\d-]$/
const anything = /^[\s\S]$/

/** Could the text match, whatever stands in its holes? True in doubt. */
export function mayMatch(text: string, pattern: string): boolean {
  return meets(text, pattern) || (pattern.endsWith(" *") && meets(text, pattern.slice(0, -2)))
}

/** Do two patterns have a text in common: `text` with holes for `*`, and `pattern`? */
function meets(text: string, pattern: string): boolean {
  if (text.length * pattern.length > mostSteps) return true
  // Row: how much of the text is used. Column: how much of the pattern.
  let row = new Uint8Array(pattern.length + 1)
  row[0] = 1
  // What a hole may take of the pattern: anything, or what can be part of a number.
  const spread = (takes: RegExp) => {
    for (let column = 1; column < row.length; column++)
      if (row[column - 1] && takes.test(pattern[column - 1]!)) row[column] = 1
  }
  spread(star)
  for (const char of text) {
    if (isHole(char)) {
      spread(char === digits ? number : anything)
      continue
    }
    const next = new Uint8Array(pattern.length + 1)
    for (let column = 1; column < row.length; column++) {
      const want = pattern[column - 1]
      if (want === "*" ? row[column] : row[column - 1] && (want === "?" || want === char)) next[column] = 1
    }
    row = next
    spread(star)
  }
  return row.at(-1) === 1
}

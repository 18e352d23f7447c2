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
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
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

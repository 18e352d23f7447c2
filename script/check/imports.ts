import { scan } from "./scan.ts"
import { lineAt } from "./source.ts"

/** A module named by a file, by whichever syntax. `computed`: an `import(…)` whose argument is not a plain string. */
export interface Import {
  readonly specifier: string
  readonly line: number
  readonly computed: boolean
}

const named = /\bfrom\s*$/
const bare = /(?<![.\w$])import\s*$/
const call =
  /(?:(?<![.\w$])import|(?<![.\w$])require(?:\s*\.\s*resolve)?|\bimport\s*\.\s*meta\s*\.\s*resolve(?:Sync)?)\s*\(\s*$/
const dynamic = /(?<![.\w$])import\s*\(\s*(?!["'`\s])/g
const augmentation = /\bdeclare\s+module\s*$/

/**
 * Every module a TypeScript file names: `import` and `export … from` with and without `type`, side-effect
 * imports, `import()` as value and as type, `import x = require()`, `require()`. Comments and strings do not count.
 */
export function importsOf(source: string): Import[] {
  const { code, literals } = scan(source)
  const found: Import[] = []
  for (const { at, value } of literals) {
    const before = code.slice(Math.max(0, at - 120), at)
    if (augmentation.test(before)) continue
    if (named.test(before) || bare.test(before) || call.test(before)) {
      found.push({ specifier: value, line: lineAt(source, at), computed: false })
    }
  }
  const plain = new Set(literals.map((literal) => literal.at))
  for (const match of code.matchAll(/(?<![.\w$])import\s*\(\s*`/g)) {
    const at = match.index + match[0].length - 1
    if (!plain.has(at)) found.push({ specifier: "", line: lineAt(source, at), computed: true })
  }
  for (const match of code.matchAll(dynamic)) {
    found.push({ specifier: "", line: lineAt(source, match.index), computed: true })
  }
  return found.toSorted((a, b) => a.line - b.line)
}

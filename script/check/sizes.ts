import { scan } from "./scan.ts"
import { isCode, isTest, lineAt, render, type Finding, type SourceFile } from "./source.ts"

const fileLimit = 600
const fileAim = 250
const functionAim = 60

/** Fails files over 600 lines; lists files over 250 and, outside tests, functions over 60. */
export function checkSizes(files: readonly SourceFile[]): { failures: string[]; notes: string[] } {
  const failures: Finding[] = []
  const notes: Finding[] = []
  for (const { path, text } of files) {
    if (!isCode(path)) continue
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
    if (lines > fileLimit) failures.push({ path, line: 0, message: `has ${lines} lines (limit ${fileLimit})` })
    else if (lines > fileAim) notes.push({ path, line: 0, message: `has ${lines} lines (aim ${fileAim})` })
    if (isTest(path)) continue
    for (const { line, lines } of functionsOver(text, functionAim)) {
      notes.push({ path, line, message: `function of ${lines} lines (aim ${functionAim})` })
    }
  }
  return { failures: render(failures), notes: render(notes) }
}

const control = /(?<![.\w$])(?:if|for|while|switch|catch|with|await)\s*$/

/** Functions with more than `limit` lines from the opening to the closing brace. */
export function functionsOver(source: string, limit: number): { line: number; lines: number }[] {
  const { code } = scan(source)
  const found: { line: number; lines: number }[] = []
  const open: number[] = []
  for (let at = 0; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "{") open.push(at)
    if (char !== "}") continue
    const start = open.pop()
    if (start === undefined) continue
    const first = lineAt(code, start)
    const lines = lineAt(code, at) - first + 1
    if (lines > limit && opensFunction(code, start)) found.push({ line: first, lines })
  }
  return found
}

/** Whether the brace at `at` opens the body of a function: after `=>`, or after parameters (and a return type) that no control word precedes. */
function opensFunction(code: string, at: number): boolean {
  const before = code.slice(Math.max(0, at - 2000), at).trimEnd()
  if (before.endsWith("=>")) return true
  const typed = /\)\s*:\s*[^;{}()]*$/.exec(before)
  const close = typed ? typed.index : before.endsWith(")") ? before.length - 1 : -1
  if (close === -1) return false
  let depth = 0
  for (let index = close; index >= 0; index--) {
    const char = before.charAt(index)
    if (char === ")") depth++
    if (char === "(" && --depth === 0) return !control.test(before.slice(0, index))
  }
  return false
}

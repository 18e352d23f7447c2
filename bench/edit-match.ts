// Edit matching on a large file, in a process of its own: prints `{[case]: {comparisons, ms}}` as JSON.
import { applyEdit } from "../packages/core/src/tool/edit/match.ts"

/** One way to look for a text: what was compared, and the fastest of several tries, ms. */
export interface Matched {
  readonly comparisons: number
  readonly ms: number
}

const cases = {
  exact: { oldString: "  return value49990\n", found: true },
  indentation: { oldString: "      return value49990\n    }", found: true },
  nothing: { oldString: "  return value49990 + 1\n  }\n  // and more\n", found: false },
}

function fileOf(lines: number): string {
  const block = (n: number) =>
    `function name${n}() {\n  const value${n} = ${n}\n  // about ${n}\n  return value${n}\n}\n`
  let text = ""
  for (let n = 0; n < lines; n += 5) text += block(n)
  return text
}

function measure(content: string, name: keyof typeof cases): Matched {
  const { oldString, found } = cases[name]
  let ms = Number.POSITIVE_INFINITY
  let comparisons = 0
  for (let turn = 0; turn < 5; turn++) {
    const counter = { comparisons: 0 }
    const start = performance.now()
    const applied = applyEdit(content, { oldString, newString: "" }, counter)
    ms = Math.min(ms, performance.now() - start)
    comparisons = counter.comparisons
    if (applied.ok !== found) throw new Error(`edit matching, ${name}: ${JSON.stringify(applied).slice(0, 200)}`)
  }
  return { comparisons, ms }
}

const content = fileOf(50_000)
const names = Object.keys(cases) as (keyof typeof cases)[]
console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, measure(content, name)]))))
